package mirror_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/adapters/workspace/mirror"
	"github.com/reviewctl/reviewctl/events"
)

func put(t testing.TB, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// Lock files and half a pack of a killed git are in nobody's way: not after a
// start, and not where they come between. (case W05)
func TestStaleLocks(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	src, root := sourceOf(t, s), t.TempDir()
	first := s.Commit("one")
	before := store(t, root, "b1")
	repo, _ := ensured(t, before, src, want(first))
	left := []string{"packed-refs.lock", "config.lock", "shallow.lock", "HEAD.lock", "refs/heads/main.lock",
		"refs/run/b1/x.lock", "objects/info/commit-graphs/commit-graph-chain.lock", "objects/pack/tmp_pack_x", "objects/incoming-1/x"}
	leave := func() {
		for _, name := range left {
			put(t, filepath.Join(repo.GitDir, filepath.FromSlash(name)), "", 0o600)
		}
	}
	leave()
	st := store(t, root, "b2")
	ensured(t, st, src, want(s.Commit("two")))
	for _, name := range left {
		if _, err := os.Stat(filepath.Join(repo.GitDir, filepath.FromSlash(name))); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	leave()
	ensured(t, st, src, want(s.Commit("three")))
}

// Nobody writes while another process holds the mirror's lock, and its lock files
// are left alone. (hard-parts §2, case W05)
func TestLockAcrossProcesses(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	src, root := sourceOf(t, s), t.TempDir()
	st := store(t, root, "b")
	repo, _ := ensured(t, st, src, want(s.Commit("one")))
	other, err := mirror.LockForTest(strings.TrimSuffix(repo.GitDir, ".git") + ".lock")
	if err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(repo.GitDir, "packed-refs.lock")
	put(t, theirs, "", 0o600)
	head := s.Commit("two")
	ctx, cancel := context.WithCancel(context.Background())
	joined, ended := make(chan struct{}), make(chan error)
	go func() {
		_, _, err := st.Ensure(noticed{Context: ctx, joined: joined}, src, want(head))
		ended <- err
	}()
	<-joined
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("with a foreign lock: %v", err)
	}
	if _, err := os.Stat(theirs); err != nil {
		t.Error("a living process's lock file was removed")
	}
	if err := st.Sweep(context.Background(), func(b events.BootID) bool { return b == "none" }); err != nil {
		t.Error(err)
	}
	if gone, err := st.Remove(strings.TrimSuffix(filepath.Base(repo.GitDir), ".git"), time.Now().Add(time.Hour), func(events.BootID) bool { return true }); gone || err != nil {
		t.Errorf("removed under a lock: %v, %v", gone, err)
	}
	other()
	if err := os.Remove(theirs); err != nil {
		t.Fatal(err)
	}
	ensured(t, st, src, want(head))
}

// What an engine writes into a mirror is undone before the next use, and none of
// it runs: hooks, monitors, filters, other objects. (cases W17, W18)
func TestMirrorIsPutRight(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	src := sourceOf(t, s)
	st := store(t, t.TempDir(), "b")
	repo, _ := ensured(t, st, src, want(s.Commit("one")))
	marker := filepath.Join(t.TempDir(), "ran")
	touch := "#!/bin/sh\ntouch '" + marker + "'\n"
	at := func(name string) string { return filepath.Join(repo.GitDir, filepath.FromSlash(name)) }
	config, err := os.ReadFile(at("config"))
	if err != nil {
		t.Fatal(err)
	}
	evil := filepath.Join(t.TempDir(), "evil")
	put(t, evil, touch, 0o755)
	put(t, at("config"), string(config)+"[core]\n\thooksPath = hooks\n\tfsmonitor = "+evil+"\n\tsshCommand = "+evil+
		"\n\tgitProxy = "+evil+"\n[filter \"evil\"]\n\tsmudge = "+evil+"\n[uploadpack]\n\tpackObjectsHook = "+evil+
		"\n[credential]\n\thelper = "+evil+"\n[include]\n\tpath = "+evil+"\n[extensions]\n\tpartialClone = origin\n", 0o600)
	for _, hook := range []string{"post-checkout", "reference-transaction", "pre-auto-gc", "post-merge", "fsmonitor-watchman"} {
		put(t, at("hooks/"+hook), touch, 0o755)
	}
	foreign := gittest.New(t)
	foreign.Commit("secret")
	put(t, at("objects/info/alternates"), filepath.Join(foreign.Dir, ".git", "objects")+"\n", 0o600)
	put(t, at("info/attributes"), "* filter=evil diff=evil\n", 0o600)
	put(t, at("config.worktree"), "[core]\n\tworktree = /\n", 0o600)
	put(t, at("worktrees/x/gitdir"), "/nowhere\n", 0o600)
	ensured(t, st, src, want(s.Commit("two")))
	if _, err := os.Stat(marker); err == nil {
		t.Error("a program from the mirror ran")
	}
	for _, name := range []string{"hooks", "objects/info/alternates", "info", "config.worktree", "worktrees"} {
		if _, err := os.Lstat(at(name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	if again, err := os.ReadFile(at("config")); err != nil || string(again) != string(config) {
		t.Errorf("config is %s, %v", again, err)
	}
	if err := os.Remove(at("config")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(evil, at("config")); err != nil {
		t.Fatal(err)
	}
	ensured(t, st, src, want(s.Commit("three")))
	if text, err := os.ReadFile(evil); err != nil || string(text) != touch {
		t.Errorf("something outside was written: %q, %v", text, err)
	}
}

// A mirror that has lost its objects, or that is none any more, is made anew.
func TestBrokenMirror(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	src := sourceOf(t, s)
	st := store(t, t.TempDir(), "b")
	head := s.Commit("one")
	repo, pin := ensured(t, st, src, want(head))
	packs, err := filepath.Glob(filepath.Join(repo.GitDir, "objects", "pack", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, pack := range packs {
		if err := os.Remove(pack); err != nil {
			t.Fatal(err)
		}
	}
	st.Suspect(pin)
	st.Suspect(mirror.Pin{})
	ensured(t, st, src, want(head))
	if err := os.Remove(filepath.Join(repo.GitDir, "HEAD")); err != nil {
		t.Fatal(err)
	}
	ensured(t, st, src, want(head))
}

// A hostile source: nothing that its configuration or its tree names is run, and
// objects that only look odd are no reason to refuse the branches beside them.
// (cases W17, W18, W19, W22, W23)
func TestHostileSource(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	marker := filepath.Join(t.TempDir(), "ran")
	evil := filepath.Join(t.TempDir(), "evil")
	put(t, evil, "#!/bin/sh\ntouch '"+marker+"'\n", 0o755)
	s.Write(".gitattributes", "* filter=evil diff=evil merge=evil\n*.bin filter=lfs\n")
	s.Write(".gitmodules", "[submodule \"../../y\"]\n\tpath = .git/x\n\turl = ext::sh -c \"touch "+marker+"\"\n\tupdate = !touch "+marker+"\n")
	s.Write("f", "x")
	base := s.Commit("base")
	s.Git("checkout", "-q", "-b", "odd")
	git1 := s.Tree(s.File("config", "[core]\n"))
	odd := s.CommitTree(s.Tree(s.File(".gitmodules", "[submodule \"a\"]\n\turl = -u./x\n"), s.File("git~1", "x"),
		gittest.Entry{Mode: "040000", Type: "tree", ID: git1, Path: ".git"},
		gittest.Entry{Mode: "040000", Type: "tree", ID: git1, Path: "..."}), base)
	s.Git("update-ref", "refs/heads/odd", odd)
	for _, key := range []string{"core.fsmonitor", "core.sshCommand", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv",
		"diff.external", "uploadpack.packObjectsHook", "core.alternateRefsCommand", "credential.helper", "remote.origin.uploadpack"} {
		s.Git("config", key, evil)
	}
	s.Git("config", "core.hooksPath", filepath.Dir(evil))
	more := filepath.Join(t.TempDir(), "more") // git reads what is included, and runs none of it
	put(t, more, "[core]\n\tfsmonitor = "+evil+"\n[uploadpack]\n\tpackObjectsHook = "+evil+"\n", 0o644)
	s.Git("config", "include.path", more)
	for _, hook := range []string{"pre-receive", "reference-transaction", "post-update", "post-checkout"} {
		put(t, filepath.Join(s.Dir, ".git", "hooks", hook), "#!/bin/sh\ntouch '"+marker+"'\n", 0o755)
	}
	st := store(t, t.TempDir(), "b")
	ensured(t, st, sourceOf(t, s), want(base))
	ensured(t, st, sourceOf(t, s), want(odd, base))
	if _, err := os.Stat(marker); err == nil {
		t.Error("a program of the source ran")
	}
}

// A server that wants credentials gets none, and nobody is asked; one that never
// answers is left when nobody waits any more, with the processes that talk to it.
// (case W16)
// Not parallel: it sets the process's environment.
func TestServers(t *testing.T) {
	home := t.TempDir()
	put(t, filepath.Join(home, ".netrc"), "machine 127.0.0.1 login me password "+strings.Repeat("s", 8)+"\n", 0o600)
	put(t, filepath.Join(home, ".gitconfig"), "[credential]\n\thelper = !touch "+filepath.Join(home, "asked")+"\n", 0o600)
	for name, value := range map[string]string{"HOME": home, "GIT_ASKPASS": "true", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"} {
		t.Setenv(name, value)
	}
	var mu sync.Mutex
	var credentials []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		credentials = append(credentials, r.Header.Get("Authorization"))
		mu.Unlock()
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	address := func(text string) mirror.Source {
		from, err := git.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		return mirror.Source{Repo: "x/y", From: from}
	}
	st := store(t, t.TempDir(), "b")
	commit := strings.Repeat("a", 40)
	if _, _, err := st.Ensure(context.Background(), address(server.URL+"/x.git"), want(commit)); !errors.Is(err, git.ErrAccess) {
		t.Errorf("401: %v, want ErrAccess", err)
	}
	mu.Lock()
	if got := strings.Join(credentials, ""); got != "" || len(credentials) == 0 {
		t.Errorf("%d requests with credentials %q", len(credentials), got)
	}
	mu.Unlock()
	if _, err := os.Stat(filepath.Join(home, "asked")); err == nil {
		t.Error("the operator's credential helper was asked")
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, _, err := st.Ensure(ctx, address("http://"+silent.Addr().String()+"/x.git"), want(commit))
		ended <- err
	}()
	conn, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("a silent server: %v", err)
	}
	st.Close() // returns when git has gone
	for {      // the connection ends with the last process that held it
		if _, err := conn.Read(make([]byte, 1024)); err != nil {
			break
		}
	}
}

// A mirror of another user is refused in words. (case W27)
func TestOwnership(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	head := s.Commit("one")
	st := store(t, t.TempDir(), "b")
	mirror.SetUser(st, os.Geteuid()+1)
	_, _, err := st.Ensure(context.Background(), sourceOf(t, s), want(head))
	if !errors.Is(err, git.ErrOwnership) || !strings.Contains(err.Error(), "remove it, or run as its owner") {
		t.Errorf("error %v", err)
	}
}

// A source of another user is refused, unless the operator has said that git may
// read it. (case W27)
// Not parallel: it sets the process's environment.
func TestSourceOfAnotherUser(t *testing.T) {
	s := gittest.New(t)
	head := s.Commit("one")
	err := filepath.WalkDir(s.Dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, os.Geteuid()+1, -1)
	})
	if err != nil {
		t.Skipf("this user cannot give files away: %v", err)
	}
	st := store(t, t.TempDir(), "b")
	if _, _, err := st.Ensure(context.Background(), sourceOf(t, s), want(head)); !errors.Is(err, git.ErrOwnership) {
		t.Errorf("error %v, want ErrOwnership", err)
	}
	home := t.TempDir()
	put(t, filepath.Join(home, ".gitconfig"), "[safe]\n\tdirectory = "+filepath.Join(s.Dir, ".git")+"\n", 0o600)
	t.Setenv("HOME", home)
	ensured(t, st, sourceOf(t, s), want(head))
}

// A copy from this machine goes on when its run has no time left, so that the next
// try finds it done: a large repository is not copied for ever.
// Not parallel: it sets the PATH.
func TestCopyGoesOn(t *testing.T) {
	s := gittest.New(t)
	head := s.Commit("one")
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	gate, begun := filepath.Join(bin, "gate"), filepath.Join(bin, "begun")
	for _, fifo := range []string{gate, begun} {
		if out, err := exec.CommandContext(context.Background(), "mkfifo", fifo).CombinedOutput(); err != nil {
			t.Skipf("no named pipes here: %v %s", err, out)
		}
	}
	put(t, filepath.Join(bin, "git"), "#!/bin/sh\nif [ \"$1\" = fetch ]; then echo x > "+begun+"; read x < "+gate+"; fi\nexec "+real+" \"$@\"\n", 0o755)
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	st := store(t, t.TempDir(), "b")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, _, err := st.Ensure(ctx, sourceOf(t, s), want(head))
		ended <- err
	}()
	if _, err := os.ReadFile(begun); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := os.WriteFile(gate, []byte("x\n"), 0o600); err != nil { // for the fetch that goes on
		t.Fatal(err)
	}
	ensured(t, st, sourceOf(t, s), want(head)) // a second fetch would wait at the gate for ever
}
