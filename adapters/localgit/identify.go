package localgit

import (
	"context"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// ShortCommit is how many digits of a commit stand for a range that has no
// branch. The number is fixed: the range's number in the log hangs on the text.
const ShortCommit = 12

// Range is what `review` is asked for: a head, and the ref that its pull request
// is numbered by.
type Range struct {
	Ref  string // a branch's name, or a commit's first digits
	Head events.Commit
}

// Identify finds the range of a head: a branch by its name, anything else by its
// commit. An empty text is what is checked out.
func Identify(ctx context.Context, repo *git.Repo, head string) (Range, error) {
	if head == "" {
		head = "HEAD"
	}
	commit, err := repo.ResolveCommit(ctx, head)
	if err != nil {
		return Range{}, err
	}
	name, err := repo.FullName(ctx, head)
	if err != nil {
		return Range{}, err
	}
	for _, prefix := range []string{"refs/heads/", "refs/remotes/"} {
		if branch, ok := strings.CutPrefix(name, prefix); ok {
			return Range{Ref: strings.ToValidUTF8(branch, "\uFFFD"), Head: commit}, nil
		}
	}
	return Range{Ref: string(commit[:ShortCommit]), Head: commit}, nil
}
