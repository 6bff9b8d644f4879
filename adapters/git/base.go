package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Base is what a head is compared with.
type Base struct {
	// Ref is what names the base: a branch, or a commit's id.
	Ref string
	// Commit is the base's own commit, or the empty tree.
	Commit events.Commit
	// MergeBase is where head and base part: the old side of the change. It is the
	// empty tree where nothing else fits.
	MergeBase events.Commit
	// Note says in words why this is not the usual merge base; "" where it is.
	Note string
}

// DefaultBase finds what a head is compared with when nobody says: its merge base
// with the default branch (origin/HEAD, else the configured branch, else main,
// else master); where it lies on that branch already, its first parent; where it
// has none here, the empty tree. (CLI.md, "Doing a review")
func (r *Repo) DefaultBase(ctx context.Context, head events.Commit, configured string) (Base, error) {
	return r.baseAmong(ctx, head, branchNames(configured))
}

// BaseOn is DefaultBase where the branch is given by its name.
func (r *Repo) BaseOn(ctx context.Context, head events.Commit, branch string) (Base, error) {
	return r.baseAmong(ctx, head, namesOf(branch))
}

func (r *Repo) baseAmong(ctx context.Context, head events.Commit, names []branchName) (Base, error) {
	refs := []string{string(head), string(head) + "^1"}
	for _, n := range names {
		refs = append(refs, n.ref)
	}
	found, err := r.ResolveCommits(ctx, refs...)
	if err != nil {
		return Base{}, fmt.Errorf("find default base: %w", err)
	}
	if found[0] == "" {
		return Base{}, &RefError{Ref: string(head)}
	}
	for i, n := range names {
		tip := found[i+2]
		if tip == "" {
			continue
		}
		base, err := r.Between(ctx, tip, head)
		if err != nil {
			return Base{}, err
		}
		if base.MergeBase != head {
			base.Ref = n.shown
			return base, nil
		}
		return r.parent(ctx, head, found[1], "the head already lies on "+n.shown)
	}
	return r.parent(ctx, head, found[1], "there is no "+listed(names))
}

// branchName is a way to ask git for a branch, and what people call it.
type branchName struct{ ref, shown string }

// branchNames lists the default branch's possible names, the best first.
func branchNames(configured string) []branchName {
	names := []branchName{{"refs/remotes/origin/HEAD", "origin/HEAD"}}
	for _, b := range []string{configured, "main", "master"} {
		if b != "" {
			names = append(names, namesOf(b)...)
		}
	}
	return names
}

// namesOf lists what a branch's name can stand for: here, at the origin, and
// whatever else git knows by it.
func namesOf(branch string) []branchName {
	return []branchName{
		{"refs/heads/" + branch, branch}, {"refs/remotes/origin/" + branch, "origin/" + branch}, {branch, branch},
	}
}

// listed names the branches for people, each once.
func listed(names []branchName) string {
	var shown []string
	for _, n := range names {
		if n.ref == n.shown || strings.HasSuffix(n.ref, "/HEAD") {
			shown = append(shown, n.shown)
		}
	}
	last := len(shown) - 1
	if last < 1 {
		return strings.Join(shown, "")
	}
	return strings.Join(shown[:last], ", ") + " or " + shown[last]
}

// parent is the base of a head that has no other: its first parent, or the empty
// tree where there is none here.
func (r *Repo) parent(ctx context.Context, head, first events.Commit, why string) (Base, error) {
	if first != "" {
		return Base{Ref: string(first), Commit: first, MergeBase: first,
			Note: why + ": compared with its first parent"}, nil
	}
	commit, err := r.Commit(ctx, head)
	if err != nil {
		return Base{}, err
	}
	base := r.nothing("it is a first commit: compared with the empty tree")
	if len(commit.Parents) > 0 {
		base.Note = "its parents are not in this checkout (a shallow clone): compared with the empty tree"
	}
	return base, nil
}

// nothing is the base without files.
func (r *Repo) nothing(note string) Base {
	return Base{Ref: string(r.EmptyTree), Commit: r.EmptyTree, MergeBase: r.EmptyTree, Note: note}
}

// Between is the base of a head whose base is given. Where the two share no
// history the old side is the empty tree, never the base itself: that would show
// the base's own files as deleted. (case W14)
func (r *Repo) Between(ctx context.Context, base, head events.Commit) (Base, error) {
	if base == r.EmptyTree {
		return r.nothing("compared with the empty tree"), nil
	}
	at, err := r.MergeBase(ctx, base, head)
	if errors.Is(err, ErrNoMergeBase) {
		none := r.nothing("it shares no history with its base: compared with the empty tree")
		if r.Shallow {
			none.Note = "its common history with its base is not in this checkout (a shallow clone): compared with the empty tree"
		}
		none.Ref, none.Commit = string(base), base
		return none, nil
	}
	if err != nil {
		return Base{}, err
	}
	return Base{Ref: string(base), Commit: base, MergeBase: at}, nil
}
