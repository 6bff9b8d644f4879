package githubtest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

func (w *world) ask(token, path, tag string) raw {
	w.t.Helper()
	r, err := w.try(token, "GET", path, nil, http.Header{"If-None-Match": {tag}})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// Cases G02 and G03: the tag hangs on the token, the whole URL and the body, and on
// nothing that is nested.
func TestETags(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	_, pulls := w.openMany(3)
	const path = "/repos/octo/town/pulls?per_page=2"
	first := w.do(w.token, "GET", path, nil)
	tag := first.Header.Get("ETag")
	if !strings.HasPrefix(tag, `W/"`) {
		t.Fatalf("%q is no weak tag", tag)
	}
	again := w.ask(w.token, path, tag)
	if again.Status != http.StatusNotModified || again.Text != "" || again.Header.Get("Link") != "" {
		t.Errorf("%d %s", again.Status, again.Text)
	}
	if before, after := first.Header.Get("X-Ratelimit-Used"), again.Header.Get("X-Ratelimit-Used"); before != after {
		t.Errorf("a 304 was charged: %s, %s", before, after)
	}
	if got := w.ask(w.token, path, strings.TrimPrefix(tag, "W/")+`, "x"`); got.Status != http.StatusNotModified {
		t.Errorf("compared weakly: %d", got.Status)
	}
	if got := w.ask(w.Token("bot[bot]"), path, tag); got.Status != http.StatusOK || got.Header.Get("ETag") == tag {
		t.Errorf("another token of the same login (case G02): %d", got.Status)
	}
	if got := w.ask(w.token, path+"&page=2", tag); got.Status != http.StatusOK || got.Header.Get("ETag") == tag {
		t.Errorf("another page (case G02): %d", got.Status)
	}
	w.post(pulls[2], m{"event": "COMMENT", "body": "x", "comments": []m{{"path": "f", "line": 1, "body": "y"}}})
	if got := w.ask(w.token, path, tag); got.Status != http.StatusNotModified {
		t.Errorf("a review changed the list's tag (case G03): %d", got.Status)
	}
	pulls[2].Retitle("new")
	if got := w.ask(w.token, path, tag); got.Status != http.StatusOK || got.Header.Get("ETag") == tag {
		t.Errorf("a changed title: %d", got.Status)
	}
	if got := w.do(w.token, "POST", "/repos/octo/town/issues/1/labels", m{"labels": []string{"x"}}); got.Header.Get("ETag") != "" {
		t.Errorf("a write has a tag: %q", got.Header.Get("ETag"))
	}
}
