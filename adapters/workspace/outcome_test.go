package workspace_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
)

// What cannot get better is a failure with clear words, and leaves no checkout.
func TestFailures(t *testing.T) {
	t.Parallel()
	unknown := strings.Repeat("1", 40)
	cases := []struct {
		name, words string
		params      func(*workspace.Params)
		job         func(d *desk, head string) actors.WorkspaceJob
	}{
		{name: "base unknown", words: "unknown ref", job: func(d *desk, head string) actors.WorkspaceJob {
			return d.job(head, unknown)
		}},
		{name: "head unknown", words: "unknown ref", job: func(d *desk, _ string) actors.WorkspaceJob {
			return d.job(unknown, "")
		}},
		{name: "head unknown with a base", words: "unknown ref", job: func(d *desk, head string) actors.WorkspaceJob {
			return d.job(unknown, head)
		}},
		{name: "repository unknown", words: "no such repository", job: func(d *desk, head string) actors.WorkspaceJob {
			job := d.job(head, "")
			job.Repo = "z/z"
			return job
		}},
		{name: "run with a strange name", words: "folder's name", job: func(d *desk, head string) actors.WorkspaceJob {
			job := d.job(head, "")
			job.Run = "../../x"
			return job
		}},
		{name: "tree too large", words: "more than 1 files", params: func(p *workspace.Params) { p.Bounds.Export.Files = 1 }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := setup(t, c.params)
			d.s.Write("f", "text\n")
			d.s.Write("g", "text\n")
			job := d.job(d.s.Commit("one"), "")
			if c.job != nil {
				job = c.job(d, string(job.Head))
			}
			cmd, ok := d.answered(job).(run.NoteWorkspaceFailure)
			if !ok || cmd.Kind != events.FailureFatal || cmd.Try != 3 || !strings.Contains(cmd.Message, c.words) {
				t.Errorf("answer %T %+v, want a failure with %q", cmd, cmd, c.words)
			}
			if names := d.folders(t); len(names) != 0 {
				t.Errorf("checkouts left: %q", names)
			}
		})
	}
}

// A repository that is not there may be moved back: a head that started in that
// moment is tried again.
func TestMovedAwayIsTrouble(t *testing.T) {
	t.Parallel()
	d := setup(t, func(p *workspace.Params) {
		dir := filepath.Dir(p.Root)
		p.Locate = func(events.RepoName) (workspace.Place, error) { return workspace.Place{Path: dir}, nil }
	})
	d.s.Write("f", "text\n")
	cmd, ok := d.answered(d.job(d.s.Commit("one"), "")).(run.NoteWorkspaceTrouble)
	if !ok || !strings.Contains(cmd.Reason, "not a git repository") {
		t.Errorf("answer %T %+v, want trouble that names the repository", cmd, cmd)
	}
}

// What may pass is trouble.
func TestTrouble(t *testing.T) {
	t.Parallel()
	d := setup(t, nil)
	head := d.s.Commit("one")
	if err := os.Remove(d.root); err != nil {
		t.Fatal(err)
	}
	if cmd, ok := d.answered(d.job(head, "")).(run.NoteWorkspaceTrouble); !ok || cmd.Try != 3 || cmd.Reason == "" {
		t.Errorf("answer %T %+v, want trouble", cmd, cmd)
	}
	if err := os.Mkdir(d.root, 0o700); err != nil {
		t.Fatal(err)
	}
	if cmd, ok := d.answered(d.job(head, "")).(run.NoteWorkspace); !ok {
		t.Errorf("answer %T, want the code", cmd)
	}
	for _, err := range []error{
		&fs.PathError{Op: "write", Path: "f", Err: syscall.ENOSPC},
		&git.ExitError{Command: "diff-tree", Code: -1, Said: "signal: killed"},
		&git.ExitError{Command: "rev-parse", Code: 128, Said: "Unable to create 'x.lock': File exists."},
		context.DeadlineExceeded,
	} {
		if workspace.Final(fmt.Errorf("prepare: %w", err)) {
			t.Errorf("%v is final", err)
		}
	}
}

// Bases: none given, the empty tree, the first parent, an equal one.
func TestBases(t *testing.T) {
	t.Parallel()
	d := setup(t, nil)
	d.s.Write("f", "one\n")
	one := d.s.Commit("one")
	d.s.Write("f", "two\n")
	two := d.s.Commit("two")
	d.s.Git("checkout", "-q", "--orphan", "z")
	orphan := d.s.Commit("z")
	const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	cases := []struct {
		name, head, base, mergeBase, note string
		files                             int
	}{
		{"empty change", two, two, two, "", 0},
		{"empty tree", two, emptyTree, emptyTree, "the empty tree", 1},
		{"first commit", one, "", emptyTree, "first commit", 1},
		{"first commit, the empty tree given", one, emptyTree, emptyTree, "first commit", 1},
		{"first parent", two, one, one, "first parent", 1},
		{"head behind base", one, two, one, "", 0},
		{"none given", two, "", one, "already lies on main", 1},
		{"unrelated", orphan, two, emptyTree, "no history", 1},
	}
	for _, c := range cases {
		got, ok := d.answered(d.job(c.head, c.base)).(run.NoteWorkspace)
		if !ok {
			t.Errorf("%s: answer %T", c.name, got)
			continue
		}
		ready := got.Ready
		if string(ready.MergeBase) != c.mergeBase || len(ready.Files) != c.files || ready.Files == nil ||
			(c.note == "") != (ready.BaseNote == "") || !strings.Contains(ready.BaseNote, c.note) {
			t.Errorf("%s: %+v", c.name, ready)
		}
	}
}
