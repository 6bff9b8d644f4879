package workspace_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
)

// forge is a workspace that fetches from a GitHub over HTTP.
type forge struct {
	*workspace.Workspace
	hub   *githubtest.Server
	repo  *githubtest.Repo
	token atomic.Value
}

func onForge(t *testing.T) *forge {
	t.Helper()
	f := &forge{hub: githubtest.New(t, githubtest.Params{})}
	f.repo = f.hub.Repo("octo/town")
	f.token.Store(f.hub.Token("robo"))
	f.repo.Private(true)
	from, err := git.ParseAddress(f.repo.CloneURL())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f.Workspace, err = workspace.New(workspace.Params{
		Root: filepath.Join(dir, "checkouts"), Pool: filepath.Join(dir, "trees"), Mirrors: filepath.Join(dir, "mirrors"),
		Boot: "boot1", Clock: impatient{newClock()}, Log: slog.New(slog.DiscardHandler),
		Locate: func(events.RepoName) (workspace.Place, error) {
			return workspace.Place{From: from, Mirror: true, Credential: &git.Credential{
				User: "x-access-token", Token: func() (string, error) { return f.token.Load().(string), nil },
			}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Stop)
	return f
}

func (f *forge) job(run string, pull *githubtest.PullRequest) actors.WorkspaceJob {
	return actors.WorkspaceJob{
		Run: events.RunID(run), Try: 1, Repo: f.repo.Name(), Ref: fmt.Sprintf("refs/pull/%d/head", pull.Number),
		Head: pull.Head(), Base: f.repo.Head("main"), BaseRef: "main",
	}
}

// A token is read anew for each fetch, and one that is refused is waited for.
func TestTokenChangesBetweenFetches(t *testing.T) {
	t.Parallel()
	f := onForge(t)
	f.repo.Push("a", githubtest.Files{"a": "a\n"})
	pull := f.repo.Open(githubtest.Pull{Head: "a", Base: "main", Author: "ann", Title: "a"})
	if cmd, ok := answeredBy(f.Workspace, f.job("one", pull)).(run.NoteWorkspace); !ok {
		t.Fatalf("the first: %+v", cmd)
	}
	old := f.token.Load().(string)
	f.hub.Revoke(old)
	pull.Push(githubtest.Files{"a": "b\n"})
	cmd := answeredBy(f.Workspace, f.job("two", pull))
	trouble, ok := cmd.(run.NoteWorkspaceTrouble)
	if !ok || trouble.Gone || !strings.Contains(trouble.Reason, "reviewctl doctor") || strings.Contains(trouble.Reason, old) {
		t.Errorf("with a worthless token: %T %+v", cmd, cmd)
	}
	f.token.Store(f.hub.Token("robo"))
	if cmd, ok := answeredBy(f.Workspace, f.job("two", pull)).(run.NoteWorkspace); !ok {
		t.Errorf("with a new one: %+v", cmd)
	}
}

// The head of a fork that is deleted is at the pull request's ref. (case G31)
func TestDeletedForkIsFetched(t *testing.T) {
	t.Parallel()
	f := onForge(t)
	f.repo.Push("a", githubtest.Files{"a": "a\n"})
	pull := f.repo.Open(githubtest.Pull{Head: "a", Base: "main", Author: "ann", Title: "a", Fork: true})
	pull.DeleteFork()
	cmd := answeredBy(f.Workspace, f.job("one", pull))
	if ready, ok := cmd.(run.NoteWorkspace); !ok || len(ready.Ready.Files) != 1 {
		t.Errorf("answer %T %+v", cmd, cmd)
	}
}

// A head that the forge does not have is gone, which is no failure by itself: what
// became of it the poller says.
func TestForgeLacksHead(t *testing.T) {
	t.Parallel()
	f := onForge(t)
	f.repo.Push("a", githubtest.Files{"a": "a\n"})
	job := f.job("one", f.repo.Open(githubtest.Pull{Head: "a", Base: "main", Author: "ann", Title: "a"}))
	job.Head = events.Commit(strings.Repeat("d", 40))
	cmd := answeredBy(f.Workspace, job)
	if trouble, ok := cmd.(run.NoteWorkspaceTrouble); !ok || !trouble.Gone {
		t.Errorf("answer %T %+v, want that the head is gone", cmd, cmd)
	}
}

// The change that is reviewed is the one that GitHub shows.
func TestChangeIsAsGitHubShowsIt(t *testing.T) {
	t.Parallel()
	f := onForge(t)
	long := strings.Repeat("the same line\n", 30)
	f.repo.Push("main", githubtest.Files{"keep": long, "move": long + "m\n", "edit": "a\nb\nc\n", "dir/ü b": "x\n", "end": "no newline", "old": "old\n"})
	f.repo.Push("edit", githubtest.Files{"edit": "a\nB\nc\nd\n", "new/file": "1\n2\n", "dir/ü b": "y\n", "end": "newline\n", "old": githubtest.Gone, "move": githubtest.Gone, "moved": long + "m\n"})
	f.repo.Push("bin", githubtest.Files{"bin": "\x00\x01\x02", "empty": ""})
	pulls := []*githubtest.PullRequest{
		f.repo.Open(githubtest.Pull{Head: "edit", Base: "main", Author: "ann", Title: "edit"}),
		f.repo.Open(githubtest.Pull{Head: "bin", Base: "main", Author: "ann", Title: "bin"}),
	}
	f.repo.Push("main", githubtest.Files{"later": "not of the pull requests\n"}) // the base has moved on
	client, err := api.New(api.Params{
		BaseURL: f.hub.URL() + "/", Transport: f.hub.RoundTripper(), Clock: newClock(), CacheDir: t.TempDir(),
		Log: slog.New(slog.DiscardHandler), Token: func() (string, error) { return f.token.Load().(string), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, pull := range pulls {
		files, complete, err := client.Files(context.Background(), f.repo.Name(), pull.Number)
		if err != nil || !complete {
			t.Fatalf("GitHub's list: %v, complete %v", err, complete)
		}
		var want, got []string
		for _, file := range files {
			want = append(want, fmt.Sprintf("%s<%s %s +%d -%d", file.Name, file.Previous, letter(file.Status),
				lines(file.Patch, "+"), lines(file.Patch, "-")))
		}
		cmd := answeredBy(f.Workspace, f.job(fmt.Sprint("run", i), pull))
		ready, ok := cmd.(run.NoteWorkspace)
		if !ok {
			t.Fatalf("answer %T %+v", cmd, cmd)
		}
		for _, file := range ready.Ready.Files {
			got = append(got, fmt.Sprintf("%s<%s %s +%d -%d", file.Path, file.Old, file.Status, max(file.Added, 0), max(file.Deleted, 0)))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("pull request %d:\n%q, GitHub shows\n%q", pull.Number, got, want)
		}
	}
}

// lines counts those of a patch that begin so; a hunk has no headers of files.
func lines(patch, prefix string) int {
	n := 0
	for line := range strings.Lines(patch) {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

// letter is git's for a word of GitHub's.
func letter(status string) string {
	switch status {
	case "added":
		return "A"
	case "removed":
		return "D"
	}
	return strings.ToUpper(status[:1])
}
