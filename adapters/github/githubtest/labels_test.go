package githubtest_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// Case G41: adding makes, case does not matter, and names may have anything in them.
func TestLabels(t *testing.T) {
	t.Parallel()
	w := newWorld(t, githubtest.Params{NoGit: true})
	repo, pull := w.openTown()
	repo.Labels("tag:skip-review", "area/x", "prio #1", "100%", "Ümlaut")
	const path = "/repos/octo/town/issues/1/labels"
	add := func(token string, names ...string) raw {
		w.write()
		return w.do(token, "POST", path, m{"labels": names})
	}
	remove := func(name string) raw {
		w.write()
		return w.do(w.token, "DELETE", path+"/"+url.PathEscape(name), nil)
	}
	if got := add(w.token, "TAG:skip-Review", "area/x", "prio #1", "100%", "ümlaut"); got.Status != 200 {
		t.Fatalf("%s", got.Text)
	}
	if got := pull.LabelNames(); !slices.Equal(got, []string{"100%", "area/x", "prio #1", "tag:skip-review", "Ümlaut"}) {
		t.Errorf("%v", got)
	}
	for _, name := range []string{"area/x", "PRIO #1", "100%", "Ümlaut"} {
		if got := remove(name); got.Status != 200 {
			t.Errorf("%s: %s", name, got.Text)
		}
	}
	if got := remove("area/x"); got.Status != 404 || got.Message != "Label does not exist" {
		t.Errorf("%s", got.Text)
	}
	if got := add(w.token, "made"); got.Status != 200 || !slices.Contains(pull.LabelNames(), "made") {
		t.Errorf("%s", got.Text)
	}
	triage := w.Token("tri")
	repo.Access("tri", githubtest.RoleTriage)
	if got := add(triage, "made"); got.Status != 200 {
		t.Errorf("one that is there: %s", got.Text)
	}
	if got := add(triage, "garbage"); got.Status != 403 {
		t.Errorf("one that is not there: %s", got.Text)
	}
	if got := add(w.token, strings.Repeat("x", 51)); got.Status != 422 {
		t.Errorf("%s", got.Text)
	}
	all, _, err := w.client.Issues.ListLabels(context.Background(), "octo", "town", nil)
	if err != nil || len(all) != 6 {
		t.Errorf("%v %v", all, err)
	}
	if got := w.do(w.token, "GET", path, nil); !strings.Contains(got.Text, "tag:skip-review") {
		t.Errorf("%s", got.Text)
	}
	repo.DropLabel("made")
	if got := pull.LabelNames(); !slices.Equal(got, []string{"tag:skip-review"}) {
		t.Errorf("%v", got)
	}
	// go-github's own call does not escape: what follows # is lost.
	pull.Label("prio #1")
	if _, err := w.client.Issues.RemoveLabelForIssue(w.write(), "octo", "town", 1, "prio #1"); err == nil || !slices.Contains(pull.LabelNames(), "prio #1") {
		t.Errorf("go-github escapes names now: %v", err)
	}
}
