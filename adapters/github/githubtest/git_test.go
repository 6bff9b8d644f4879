package githubtest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// git runs git in a new folder, with nobody's configuration.
func git(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1"}, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// with is a URL with a token as git gets it.
func with(token, url string) string {
	return strings.Replace(url, "://", "://x-access-token:"+token+"@", 1)
}

func TestGitFetches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{TLS: true})
	repo, pull := w.openTown()
	repo.Push("theirs", githubtest.Files{"t": "t"})
	forked := repo.Open(githubtest.Pull{Head: "theirs", Fork: true, Author: "ann"})
	repo.Private(true)
	repo.Access("stranger", githubtest.RoleNone)
	noContents := w.Token("carl", githubtest.WritePulls)
	env := []string{"GIT_SSL_CAINFO=" + w.CAFile()}
	old := repo.CloneURL()
	refs := func(url string) string {
		out, err := git(t, env, "ls-remote", url)
		if err != nil {
			return "error: " + out
		}
		return out
	}
	for name, test := range map[string]struct {
		url  string
		want string
	}{
		"the pull request's head":   {with(w.token, old), string(pull.Head()) + "\trefs/pull/1/head"},
		"the head of a fork's":      {with(w.token, old), string(forked.Head()) + "\trefs/pull/2/head"},
		"the fork itself":           {with(w.token, w.repo("ann/town").CloneURL()), string(forked.Head()) + "\trefs/heads/theirs"},
		"without a token":           {old, "error: fatal: could not read Username"},
		"with a wrong one":          {with("x", old), "Authentication failed"},
		"who must not see it":       {with(w.Token("stranger"), old), "error: remote: Repository not found."},
		"without right to contents": {with(noContents, old), "The requested URL returned error: 403"},
	} {
		if got := refs(test.url); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := refs(with(w.token, old)); strings.Contains(got, "namespaces") || strings.Contains(got, "theirs") {
		t.Errorf("the fork's branches are shown: %s", got)
	}
	repo.Rename("octo/city")
	if got := refs(with(w.token, old)); !strings.Contains(got, "refs/pull/1/head") {
		t.Errorf("a renamed repository: %s", got)
	}
	w.Fault(githubtest.Fault{Route: "GET /octo/city.git/info/refs", Nth: 1, Kind: githubtest.BadGateway})
	if got := refs(with(w.token, repo.CloneURL())); !strings.Contains(got, "error: 502") {
		t.Errorf("with a fault: %s", got)
	}
	clone := filepath.Join(t.TempDir(), "x.git")
	if out, err := git(t, env, "clone", "-q", "--bare", with(w.token, repo.CloneURL()), clone); err != nil {
		t.Fatalf("%s %v", out, err)
	}
	if out, err := git(t, env, "-C", clone, "push", with(w.token, repo.CloneURL()), "main:x"); err == nil || !strings.Contains(out, "403") {
		t.Errorf("a push was taken: %s", out)
	}
}
