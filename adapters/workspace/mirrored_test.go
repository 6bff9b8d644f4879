package workspace_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
)

func answeredBy(w *workspace.Workspace, job actors.WorkspaceJob) events.Command {
	got := make(chan events.Command, 1)
	w.Prepare(job, func(cmds ...events.Command) { got <- cmds[len(cmds)-1] })
	return <-got
}

// branch adds a branch with one commit and returns the job for it.
func branch(s *gittest.Scratch, name, base string) actors.WorkspaceJob {
	s.Git("checkout", "-q", "-b", name, base)
	s.Write(name, name+"\n")
	job := jobOf("run-"+name, s.Commit(name))
	job.Base = events.Commit(base)
	return job
}

// wrapGit puts a git on the PATH that runs a shell script first, in which "git" is
// the real one as $REAL. The test must not be parallel.
func wrapGit(t *testing.T, script string) (bin string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin = t.TempDir()
	text := "#!/bin/sh\nBIN=" + bin + "\nREAL=" + real + "\n" + script + "\nexec $REAL \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return bin
}

// The pull requests of a repository that are queued together cost one fetch, and
// no run more than eight git processes, from the fetch to the removal of its pins.
// (performance goal 17)
func TestManyRunsOneFetch(t *testing.T) {
	s, dir := gittest.New(t), t.TempDir()
	s.Write("f", "base\n")
	base := s.Commit("base")
	var jobs []actors.WorkspaceJob
	for i := range 9 {
		jobs = append(jobs, branch(s, fmt.Sprint("b", i), base))
	}
	w := kept(t, s, dir, "b1", newClock())
	bin := wrapGit(t, `echo "$1" >> $BIN/count`)
	counted := func() []string {
		text, err := os.ReadFile(filepath.Join(bin, "count"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, "count"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(text))
	}
	answers := make(chan events.Command, len(jobs))
	for _, job := range jobs[:8] {
		w.Prepare(job, func(cmds ...events.Command) { answers <- cmds[len(cmds)-1] })
	}
	for range jobs[:8] {
		if cmd, ok := (<-answers).(run.NoteWorkspace); !ok {
			t.Fatalf("answer %T %+v", cmd, cmd)
		}
	}
	started := counted()
	fetches := 0
	for _, name := range started {
		if name == "fetch" {
			fetches++
		}
	}
	if fetches != 1 || len(started) > 8*processesMax {
		t.Errorf("8 runs took %d fetches and %d processes: %v", fetches, len(started), started)
	}
	alone := kept(t, s, t.TempDir(), "b2", newClock())
	if cmd, ok := answeredBy(alone, jobs[8]).(run.NoteWorkspace); !ok {
		t.Fatalf("answer %T %+v", cmd, cmd)
	}
	alone.Stop()
	if started := counted(); len(started) > processesMax {
		t.Errorf("a run by itself, with a mirror that is made for it, took %d processes: %v", len(started), started)
	}
}

// A run reads what it began with, whatever happens to the repository: branches that
// go, a clean-up, the end of the repository itself. (case W28)
func TestRepositoryChangesUnderneath(t *testing.T) {
	t.Parallel()
	s, dir := gittest.New(t), t.TempDir()
	s.Write("f", "base\n")
	job := branch(s, "a", s.Commit("base"))
	w := kept(t, s, dir, "b1", newClock())
	if cmd, ok := answeredBy(w, job).(run.NoteWorkspace); !ok {
		t.Fatalf("answer %T %+v", cmd, cmd)
	}
	s.Git("checkout", "-q", "main")
	s.Git("branch", "-D", "a")
	s.Git("reflog", "expire", "--expire=now", "--all")
	s.Git("gc", "-q", "--prune=now")
	again := kept(t, s, dir, "b2", newClock()) // the lanes' process, after a crash
	change, err := again.Open(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(change.Dir, "a")); err != nil || string(text) != "a\n" {
		t.Errorf("a = %q, %v", text, err)
	}
	if err := os.RemoveAll(filepath.Join(s.Dir, ".git")); err != nil {
		t.Fatal(err)
	}
	third := kept(t, s, dir, "b3", newClock())
	if _, err := third.Open(context.Background(), job); err != nil {
		t.Error(err)
	}
}

// A run whose folder is out of sight for a moment loses nothing to the clean-up of
// others: there is no list of work trees that could be pruned, its pins are its
// boot's, and its name keeps the folder. (cases W01, W03)
func TestOutOfSight(t *testing.T) {
	t.Parallel()
	s, dir := gittest.New(t), t.TempDir()
	s.Write("f", "base\n")
	job := branch(s, "a", s.Commit("base"))
	w, other := kept(t, s, dir, "b1", newClock()), kept(t, s, dir, "b2", newClock())
	change, err := w.Open(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	away := filepath.Join(t.TempDir(), "away")
	if err := os.Chmod(change.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(change.Dir, away); err != nil {
		t.Fatal(err)
	}
	living := func(events.BootID) bool { return false }
	if _, err := other.Sweep(living); err != nil {
		t.Error(err)
	}
	if _, err := other.Collect(context.Background(), 0, living); err != nil {
		t.Error(err)
	}
	mirrors := names(t, filepath.Join(dir, "mirrors"))
	for _, name := range mirrors {
		if _, err := os.Stat(filepath.Join(dir, "mirrors", name, "worktrees")); err == nil {
			t.Errorf("%s has work trees", name)
		}
		pins, _ := filepath.Glob(filepath.Join(dir, "mirrors", name, "refs", "run", "b1", "*", "*"))
		if strings.HasSuffix(name, ".git") && len(pins) != 2 {
			t.Errorf("pins of %s: %q", name, pins)
		}
	}
	if err := os.Rename(away, change.Dir); err != nil {
		t.Fatal(err)
	}
	if back, err := w.Open(context.Background(), job); err != nil || back.Dir != change.Dir {
		t.Errorf("back = %+v, %v", back, err)
	}
	if err := os.Rename(change.Dir, away); err != nil {
		t.Fatal(err)
	}
	if anew, err := w.Open(context.Background(), job); err != nil || anew.Dir == change.Dir { // gone for good
		t.Errorf("anew = %+v, %v", anew, err)
	}
}

// A full disk is waited for, with words that say what to do; pooled trees make room
// first. (issue 3, "Bad input")
// Not parallel: it sets the PATH.
func TestDiskFull(t *testing.T) {
	s, dir := gittest.New(t), t.TempDir()
	s.Write("f", "base\n")
	base := s.Commit("base")
	w := kept(t, s, dir, "b1", newClock())
	opened(t, w, "r0", base)
	w.Release("r0")
	w.Settle()
	job := branch(s, "a", base)
	bin := wrapGit(t, `if [ "$1" = fetch ] && [ -e $BIN/full ]; then
echo "error: unable to write file: No space left on device" >&2; echo "fatal: index-pack failed" >&2; exit 128; fi`)
	if err := os.WriteFile(filepath.Join(bin, "full"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, ok := answeredBy(w, job).(run.NoteWorkspaceTrouble)
	if !ok || !strings.Contains(cmd.Reason, "make room there, or lower worktree_budget_gb") {
		t.Errorf("answer %T %+v, want trouble with a remedy", cmd, cmd)
	}
	if trees := names(t, filepath.Join(dir, "trees")); len(trees) != 0 {
		t.Errorf("trees on a full disk: %q", trees)
	}
	if err := os.Remove(filepath.Join(bin, "full")); err != nil {
		t.Fatal(err)
	}
	if cmd, ok := answeredBy(w, job).(run.NoteWorkspace); !ok {
		t.Errorf("with room again: %T %+v", cmd, cmd)
	}
}

// A mirror that lost its objects is trouble once, and made anew for the next try.
func TestDamagedMirror(t *testing.T) {
	t.Parallel()
	s, dir := gittest.New(t), t.TempDir()
	s.Write("f", "base\n")
	job := branch(s, "a", s.Commit("base"))
	w := kept(t, s, dir, "b1", newClock())
	if cmd, ok := answeredBy(w, job).(run.NoteWorkspace); !ok {
		t.Fatalf("answer %T %+v", cmd, cmd)
	}
	w.Stop()
	if err := os.RemoveAll(filepath.Join(dir, "trees")); err != nil {
		t.Fatal(err)
	}
	packs, err := filepath.Glob(filepath.Join(dir, "mirrors", "*.git", "objects", "pack", "*"))
	if err != nil || len(packs) == 0 {
		t.Fatalf("packs %q, %v", packs, err)
	}
	for _, pack := range packs {
		if err := os.Remove(pack); err != nil {
			t.Fatal(err)
		}
	}
	w = kept(t, s, dir, "b2", newClock())
	for range 2 {
		if _, ok := answeredBy(w, job).(run.NoteWorkspace); ok {
			return
		}
	}
	t.Error("the mirror was not made anew")
}

// A mirror takes no objects from outside of its source; what is partial is read as
// far as it goes. (case W18)
func TestBorrowedAndPartialObjects(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("f", "base\n")
	head := s.Commit("base")
	s.Git("config", "uploadpack.allowFilter", "true")
	shared, partial := filepath.Join(t.TempDir(), "shared"), filepath.Join(t.TempDir(), "partial")
	s.Git("clone", "-q", "--shared", s.Dir, shared)
	w := kept(t, gittest.At(t, shared), t.TempDir(), "b1", newClock())
	cmd, ok := answeredBy(w, jobOf("r", head)).(run.NoteWorkspaceFailure)
	if !ok || !strings.Contains(cmd.Message, "git repack -a -d") {
		t.Errorf("borrowed: %T %+v", cmd, cmd)
	}
	s.Git("clone", "-q", "--filter=blob:none", "file://"+s.Dir, partial) // the checkout fetches what it shows
	w = kept(t, gittest.At(t, partial), t.TempDir(), "b1", newClock())
	if cmd, ok := answeredBy(w, jobOf("r", head)).(run.NoteWorkspace); !ok {
		t.Errorf("partial: %T %+v", cmd, cmd)
	}
	bare := filepath.Join(t.TempDir(), "bare")
	s.Git("clone", "-q", "--bare", "--filter=blob:none", "file://"+s.Dir, bare)
	w = kept(t, gittest.At(t, bare), t.TempDir(), "b1", newClock())
	if cmd, ok := answeredBy(w, jobOf("r", head)).(run.NoteWorkspaceFailure); !ok || !strings.Contains(cmd.Message, "git fetch --refetch") {
		t.Errorf("without its files: %T %+v", cmd, cmd)
	}
}

// A head that the repository does not have can be what `review --worktree` made of a
// checkout, or a branch that was rewritten: the answer says so, and is the last.
func TestHeadThatIsGone(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("f", "base\n")
	s.Commit("base")
	w := kept(t, s, t.TempDir(), "b1", newClock())
	cmd, ok := answeredBy(w, jobOf("r", strings.Repeat("0d", 20))).(run.NoteWorkspaceFailure)
	if !ok || !strings.Contains(cmd.Message, "uncommitted work") {
		t.Errorf("answer %T %+v", cmd, cmd)
	}
}

// A head that shares no history with its base is compared with the empty tree, in a
// mirror too, and the review says so. (case W14)
func TestUnrelatedInMirror(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("base", "base\n")
	base := s.Commit("base")
	s.Git("checkout", "-q", "--orphan", "z")
	s.Git("rm", "-q", "-rf", ".")
	s.Write("only", "z\n")
	job := jobOf("r", s.Commit("z"))
	job.Base = events.Commit(base)
	w := kept(t, s, t.TempDir(), "b1", newClock())
	got, ok := answeredBy(w, job).(run.NoteWorkspace)
	if !ok || len(got.Ready.Files) != 1 || got.Ready.Files[0].Path != "only" || !strings.Contains(got.Ready.BaseNote, "shares no history") {
		t.Errorf("answer %+v", got)
	}
}
