package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/workspace/mirror"
	"github.com/reviewctl/reviewctl/events"
)

// source is where the objects of a run are read from: the repository itself, or
// its mirror, where they are pinned.
type source struct {
	repo    *git.Repo
	base    string   // the configured base branch; "" where there is none
	exclude []string // the configured patterns of files that nobody reviews
	pin     mirror.Pin
}

// source finds the repository and makes the run's commits readable there.
func (w *Workspace) source(ctx context.Context, job actors.WorkspaceJob) (source, error) {
	place, err := w.locate(job.Repo)
	if err != nil {
		return source{}, &finalError{fmt.Errorf("find repository %s: %w", job.Repo, err)}
	}
	if w.mirrors != nil && (place.Mirror || place.Path == "") {
		from, err := w.fromMirror(ctx, job, place)
		if place.Path == "" || !errors.Is(err, git.ErrIncomplete) {
			return from, err
		}
		// A partial clone cannot be copied. It can be read, as far as it goes.
		w.log.Warn("repository is read without a mirror", "repo", job.Repo, "error", err)
	}
	repo, err := git.Open(ctx, place.Path)
	if err != nil {
		return source{}, err
	}
	return source{repo: repo, base: place.Base, exclude: place.Exclude}, nil
}

// fromMirror makes the run's commits readable in the repository's mirror.
func (w *Workspace) fromMirror(ctx context.Context, job actors.WorkspaceJob, place Place) (source, error) {
	from := place.From
	if place.Path != "" {
		var err error
		if from, err = git.LocalAddress(place.Path); err != nil {
			return source{}, err
		}
	}
	want := mirror.Want{Run: job.Run, Commits: []events.Commit{job.Head}, Newest: job.Base == ""}
	forge := strings.HasPrefix(job.Ref, pullPrefix) // a pull request, as GitHub keeps it
	if forge {
		want.Ref = job.Ref
	}
	if job.Base != "" && !git.IsEmptyTree(job.Base) && job.Base != job.Head {
		want.Commits = append(want.Commits, job.Base)
	}
	if !nameable(string(job.Run)) {
		return source{}, &finalError{fmt.Errorf("run %q cannot stand in a ref's name", job.Run)}
	}
	repo, pin, err := w.mirrors.Ensure(ctx, mirror.Source{Repo: job.Repo, From: from, Env: place.Env, Credential: place.Credential}, want)
	if forge && passing(err) {
		return source{}, &passingError{err}
	}
	if errors.Is(err, git.ErrAccess) || errors.Is(err, git.ErrBadObject) || errors.Is(err, mirror.ErrBorrowed) {
		err = &finalError{err}
	}
	if errors.Is(err, git.ErrMissingObject) {
		err = &goneError{err}
	}
	if err != nil {
		return source{}, err
	}
	return source{repo: repo, base: place.Base, exclude: place.Exclude, pin: pin}, nil
}

// pullPrefix begins the refs under which GitHub keeps the heads of pull requests,
// those of forks that are gone among them. (case G31)
const pullPrefix = "refs/pull/"

// passing reports whether a forge may say otherwise soon: its copies lag behind each
// other, a head that was just rewritten away is superseded by the next poll, and a
// token is replaced.
func passing(err error) bool {
	return errors.Is(err, git.ErrMissingObject) || errors.Is(err, git.ErrAccess)
}

// passingError is tried again, whatever it wraps.
type passingError struct{ err error }

func (e *passingError) Error() string {
	if errors.Is(e.err, git.ErrAccess) {
		return "the forge lets nothing be fetched (reviewctl doctor says what the token lacks): " + e.err.Error()
	}
	return "the forge does not have the commit (any more); if the branch was rewritten, its new head is reviewed instead: " + e.err.Error()
}

func (e *passingError) Unwrap() error { return e.err }

// goneError says why a repository may not have a commit that a review was asked
// for. It is final, as ErrMissingObject is.
type goneError struct{ err error }

func (e *goneError) Error() string {
	return "the commits are not in the repository: they held uncommitted work, or the branch was rewritten since; " +
		"commit or push, and a review of that is asked for"
}

func (e *goneError) Unwrap() error { return e.err }

// between is the base of a job that names a branch and the branch's tip.
func between(ctx context.Context, repo *git.Repo, job actors.WorkspaceJob) (git.Base, error) {
	asked := []string{string(job.Head), string(job.Base)}
	if job.Base == repo.EmptyTree {
		asked = asked[:1] // the empty tree is no commit
	}
	found, err := repo.ResolveCommits(ctx, asked...)
	if err != nil {
		return git.Base{}, err
	}
	for i, commit := range found {
		if commit == "" {
			return git.Base{}, &git.RefError{Ref: asked[i]}
		}
	}
	return repo.Between(ctx, job.Base, job.Head)
}
