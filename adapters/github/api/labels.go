package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/go-github/v66/github"

	"github.com/reviewctl/reviewctl/events"
)

// Labels reads the names of the repository's labels.
func (c *Client) Labels(ctx context.Context, name events.RepoName) ([]string, error) {
	op := "list labels of " + oneLine(string(name))
	path, ok := repoPath(name)
	if !ok {
		return nil, badName(op)
	}
	found, err := scan(ctx, c, listing[string]{
		request: request{op: op, path: path + "/labels?" + perPage, traffic: trafficLook, conditional: true},
		decode:  decodeList(labelOf), id: func(s *string) string { return *s }, pagesMax: pagesMax, shifts: true,
	})
	if err != nil {
		return nil, err
	}
	if !found.complete {
		return nil, &Fault{Kind: KindUnexpected, Op: op, Message: fmt.Sprintf("there are more than %d pages", pagesMax)}
	}
	return found.items, nil
}

func labelOf(l *github.Label) (string, error) {
	if l.GetName() == "" {
		return "", errors.New("the label has no name")
	}
	return l.GetName(), nil
}

// SameLabel compares names of labels as GitHub does. (case G41)
func SameLabel(a, b string) bool { return strings.EqualFold(a, b) }

func hasLabel(list []string, label string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return SameLabel(s, label) })
}

// AddLabel sets a label that the repository has: GitHub would make one that it has
// not, so the caller looks before. (case G41)
func (c *Client) AddLabel(ctx context.Context, name events.RepoName, number int, label string) error {
	op := fmt.Sprintf("add label %s to %s#%d", oneLine(label), oneLine(string(name)), number)
	path, ok := labelsPath(name, number)
	if !ok || strings.TrimSpace(label) == "" {
		return badName(op)
	}
	body := map[string][]string{"labels": {label}}
	r := request{op: op, method: http.MethodPost, path: path, body: body, traffic: trafficLabel, shape: shapeList}
	labels, err := change(ctx, c, r, decodeList(labelOf))
	if err != nil {
		return c.whereTo(ctx, name, err)
	}
	if !hasLabel(labels, label) {
		return &Fault{Kind: KindTransient, Op: op, Status: http.StatusOK, Message: "the label is not there afterwards", Unknown: true}
	}
	return nil
}

// RemoveLabel takes a label off. One that is not set is taken off already.
func (c *Client) RemoveLabel(ctx context.Context, name events.RepoName, number int, label string) error {
	op := fmt.Sprintf("remove label %s from %s#%d", oneLine(label), oneLine(string(name)), number)
	path, ok := labelsPath(name, number)
	if !ok || label == "." || label == ".." || strings.TrimSpace(label) == "" { // guard: a path without the label removes all of them
		return badName(op)
	}
	r := request{op: op, method: http.MethodDelete, path: path + "/" + url.PathEscape(label), traffic: trafficLabel, shape: shapeList}
	labels, err := change(ctx, c, r, decodeList(labelOf))
	var f *Fault
	switch {
	case errors.As(err, &f) && f.Kind == KindNotFound:
		return c.labelGone(ctx, name, number, label, f)
	case err != nil:
		return c.whereTo(ctx, name, err)
	case hasLabel(labels, label):
		return &Fault{Kind: KindTransient, Op: op, Status: http.StatusOK, Message: "the label is still there afterwards", Unknown: true}
	}
	return nil
}

// labelGone tells a label that is not set from a pull request that is hidden: both
// are 404. (cases G34, G41)
func (c *Client) labelGone(ctx context.Context, name events.RepoName, number int, label string, f *Fault) error {
	if strings.Contains(strings.ToLower(f.Message), "label does not exist") {
		return nil
	}
	pull, err := c.Pull(ctx, name, number)
	if err != nil || hasLabel(pull.Labels, label) {
		return f
	}
	return nil
}

func labelsPath(name events.RepoName, number int) (string, bool) {
	path, ok := repoPath(name)
	return fmt.Sprintf("%s/issues/%d/labels", path, number), ok && number > 0
}
