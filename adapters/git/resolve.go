package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// RefMax bounds the text that may name a commit, in bytes.
const RefMax = 4 << 10

// ResolveCommit returns the commit that the text names. An unknown or ambiguous
// text is a *RefError.
func (r *Repo) ResolveCommit(ctx context.Context, ref string) (events.Commit, error) {
	found, err := r.ResolveCommits(ctx, ref)
	if err != nil {
		return "", err
	}
	if found[0] == "" {
		return "", &RefError{Ref: ref}
	}
	return found[0], nil
}

// ResolveCommits asks git once for the commits that the texts name, "" for each
// that names none. The texts travel on standard input, where none of them can be
// an option.
func (r *Repo) ResolveCommits(ctx context.Context, refs ...string) ([]events.Commit, error) {
	var asked strings.Builder
	var places []int
	found := make([]events.Commit, len(refs))
	for i, ref := range refs {
		if r.known.has(ref) {
			found[i] = events.Commit(ref)
			continue
		}
		if !resolvable(ref) {
			continue
		}
		places = append(places, i)
		asked.WriteString(ref + "^{commit}\n")
	}
	if len(places) == 0 {
		return found, nil
	}
	c := r.call(OutputShort, "cat-file", "--batch-check=%(objectname) %(objecttype)")
	c.stdin = strings.NewReader(asked.String())
	out, err := c.output(ctx)
	if err != nil {
		return nil, fmt.Errorf("resolve refs: %w", err)
	}
	answers := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(answers) != len(places) {
		return nil, fmt.Errorf("resolve refs: asked for %d, git answered %d", len(places), len(answers))
	}
	for i, answer := range answers {
		id, kind, _ := strings.Cut(answer, " ")
		if kind == "commit" && IsCommit(id) {
			found[places[i]] = events.Commit(id)
		}
	}
	return found, nil
}

// resolvable reports whether git may be asked: one line of a bounded length.
func resolvable(ref string) bool {
	return ref != "" && len(ref) <= RefMax && !strings.ContainsAny(ref, "\n\x00")
}

// IsCommit reports whether the text is a full object id: 40 or 64 lower-case hex
// digits. (case W25)
func IsCommit(text string) bool {
	if len(text) != 40 && len(text) != 64 {
		return false
	}
	return strings.Trim(text, "0123456789abcdef") == ""
}

// MergeBase returns the best common ancestor, or ErrNoMergeBase.
func (r *Repo) MergeBase(ctx context.Context, a, b events.Commit) (events.Commit, error) {
	out, err := r.run(ctx, "merge-base", "--end-of-options", string(a), string(b))
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 1 && exit.Said == "" {
		return "", ErrNoMergeBase
	}
	if err != nil {
		return "", fmt.Errorf("find merge base: %w", err)
	}
	id := strings.TrimSpace(string(out))
	if !IsCommit(id) {
		return "", fmt.Errorf("find merge base: unexpected answer %q", id)
	}
	return events.Commit(id), nil
}
