//go:build unix

package git_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
)

// git speaks English whatever the operator's language is. (case W06)
// Not parallel: it sets the process's environment.
func TestLocale(t *testing.T) {
	for _, name := range []string{"LANG", "LC_ALL", "LC_MESSAGES", "LANGUAGE"} {
		t.Setenv(name, "de_DE.UTF-8")
	}
	fakeGit(t, "echo \"fatal: $LC_ALL $LANG $LC_MESSAGES $LANGUAGE.\" >&2\nexit 128\n")
	var exit *git.ExitError
	if _, err := git.Open(context.Background(), t.TempDir()); !errors.As(err, &exit) || exit.Said != "C   ." {
		t.Errorf("git's language: %v", err)
	}
}

// The exit code comes first: what a git says that succeeds is no error. (case W06)
func TestFetchErrors(t *testing.T) {
	source := t.TempDir()
	from, err := git.LocalAddress(source)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := git.MakeBare(dir, git.SHA1); err != nil {
		t.Fatal(err)
	}
	repo := git.OpenBare(dir, git.SHA1)
	for said, want := range map[string]error{
		"fatal: sha1 file write error: No space left on device":                        git.ErrNoSpace,
		"fatal: remote error: upload-pack: not our ref 12":                             git.ErrMissingObject,
		"fatal: Unable to create '/x/packed-refs.lock': File exists.":                  git.ErrLocked,
		"error: object 12: hasDot: contains '.'\nfatal: fsck error in packed object":   git.ErrBadObject,
		"fatal: could not read Username for 'https://x': terminal prompts disabled":    git.ErrAccess,
		"x@y: Permission denied (publickey).\nfatal: Could not read from remote":       git.ErrAccess,
		"fatal: unable to access 'https://x/': The requested URL returned error: 403":  git.ErrAccess,
		"fatal: '/x' does not appear to be a git repository":                           git.ErrNotRepository,
		"remote: fatal: could not fetch 12 from promisor remote\nfatal: bad pack":      git.ErrIncomplete,
		"error: cannot lock ref\nerror: some local refs could not be updated; try run": git.ErrSomeRefs,
		"fatal: detected dubious ownership in repository at '/x'":                      git.ErrOwnership,
	} {
		quoted := strings.ReplaceAll(said, "'", `'\''`)
		fakeGit(t, "echo '"+quoted+"' >&2\n[ \"$1\" = config ] && exit 1\nexit 128\n")
		if err := repo.Fetch(context.Background(), git.Fetch{From: from}); !errors.Is(err, want) {
			t.Errorf("%q: error %v, want %v", said, err, want)
		}
		fakeGit(t, "echo '"+quoted+"' >&2\nexit 0\n")
		if err := repo.Fetch(context.Background(), git.Fetch{From: from}); err != nil {
			t.Errorf("%q with exit 0: %v", said, err)
		}
	}
}

// Only four protocols are spoken, and no address holds a secret. (cases W16, W19)
func TestAddresses(t *testing.T) {
	t.Parallel()
	secret := "s3" + "cret"
	for text, local := range map[string]bool{
		"https://forge.example/o/r.git": false, "ssh://git@forge.example:22/o/r": false, "git@forge.example:o/r.git": false,
		"forge:r": false, "file:///srv/git/x.git": true, "http://127.0.0.1:8080/x": false, "http://localhost/x": false,
	} {
		a, err := git.ParseAddress(text)
		if err != nil || a.Local() != local || local && a.Path() != "/srv/git/x.git" {
			t.Errorf("%q: %q, %v", text, a, err)
		}
		if !git.LooksRemote(text) {
			t.Errorf("%q is taken for a path", text)
		}
	}
	for _, text := range []string{
		"", "ext::sh -c touch% x", "fd::17", "https://u:" + secret + "@forge.example/o/r", "https://" + secret + "@forge.example/o/r",
		"http://forge.example/o/r", "git://forge.example/o/r", "ftp://forge.example/o/r", "https:///o/r", "https://forge.example",
		"ssh://-oProxyCommand=x/o", "ssh://-x@forge/o", "-x:o/r", "forge:-x", "file://server/x", "./a:b", "/a:b", "a\nb:c",
		"https://forge.example/\x00", "transport::https://forge.example/x",
	} {
		_, err := git.ParseAddress(text)
		if !errors.Is(err, git.ErrAddress) {
			t.Errorf("%q: error %v, want ErrAddress", text, err)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error shows the secret: %v", err)
		}
	}
	for _, text := range []string{"", ".", "/srv/x", "./a:b", "a/b:c", `C:\x`} {
		if git.LooksRemote(text) {
			t.Errorf("%q is taken for an address", text)
		}
	}
}

// A configuration that names a folder outside as the checkout gives the repository
// no checkout: nothing of that folder is read.
func TestForeignCheckout(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Write("f", "x")
	head := s.Commit("one")
	for _, folder := range []string{"../..", filepath.Dir(s.Dir), t.TempDir(), "/"} {
		s.Git("config", "core.worktree", folder)
		repo, err := git.Open(context.Background(), s.Dir)
		if err != nil {
			t.Errorf("%q: %v", folder, err)
			continue
		}
		if dirty, err := repo.Dirty(context.Background()); !repo.Bare || repo.Top != filepath.Join(s.Dir, ".git") || dirty || err != nil {
			t.Errorf("%q: top %q, bare %v, dirty %v, %v", folder, repo.Top, repo.Bare, dirty, err)
		}
		again, err := git.Open(context.Background(), repo.Top)
		if err != nil {
			t.Errorf("%q again: %v", folder, err)
			continue
		}
		if got, err := again.ResolveCommit(context.Background(), "HEAD"); err != nil || string(got) != head {
			t.Errorf("%q: HEAD %s, %v", folder, got, err)
		}
	}
	sub := filepath.Join(t.TempDir(), "separate")
	tree := filepath.Join(t.TempDir(), "tree")
	s2 := gittest.New(t)
	s2.Git("clone", "-q", "--separate-git-dir", sub, "file://"+s.Dir, tree)
	if repo, err := git.Open(context.Background(), tree); err != nil || repo.Bare || repo.Top != tree {
		t.Errorf("a git directory elsewhere: %+v, %v", repo, err)
	}
}
