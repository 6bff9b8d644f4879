package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// FullName returns the full name of the ref that the text is short for
// ("refs/heads/x"), "HEAD" where no branch is checked out, or "" where the text
// names a commit in another way. The text must resolve.
func (r *Repo) FullName(ctx context.Context, text string) (string, error) {
	if !resolvable(text) {
		return "", &RefError{Ref: text}
	}
	out, err := r.run(ctx, "rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options", text)
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code > 0 {
		return "", &RefError{Ref: text}
	}
	if err != nil {
		return "", fmt.Errorf("name ref: %w", err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// DefaultBranch finds the branch that others go into: the configured one, else
// what origin/HEAD points to, else main, else master. It returns the branch's
// name without a remote, and its tip here, else at the origin. The error is
// ErrUnknownRef where there is none.
func (r *Repo) DefaultBranch(ctx context.Context, configured string) (name string, tip events.Commit, err error) {
	names := []string{configured}
	if configured == "" {
		names = []string{"main", "master"}
		const remote = "refs/remotes/origin/"
		out, err := r.run(ctx, "symbolic-ref", "--quiet", remote+"HEAD")
		if err != nil && exitCode(err) != 1 { // 1: it is not set
			return "", "", fmt.Errorf("find default branch: %w", err)
		}
		if at, ok := strings.CutPrefix(strings.TrimSuffix(string(out), "\n"), remote); ok {
			names = append([]string{at}, names...)
		}
	}
	var refs []string
	for _, n := range names {
		refs = append(refs, headsPrefix+n, "refs/remotes/origin/"+n)
	}
	found, err := r.ResolveCommits(ctx, refs...)
	if err != nil {
		return "", "", fmt.Errorf("find default branch: %w", err)
	}
	for i, commit := range found {
		if commit != "" {
			return names[i/2], commit, nil
		}
	}
	return "", "", fmt.Errorf("find default branch: %w", &RefError{Ref: names[0]})
}
