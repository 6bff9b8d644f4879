package status_test

import (
	"testing"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections/status"
)

// TestANewNameIsFoundByIt: a pull request is found by the newest name of its
// repository, and by no other. (case G35)
func TestANewNameIsFoundByIt(t *testing.T) {
	t.Parallel()
	described := at{pr, events.PRDescribed{Repo: "acme/mall", Ref: "topic", Title: "U", Author: "ann"}}
	rows, _ := view(t, opened, queued, described, at{pr, events.HeadSkipped{Head: head, Cause: events.HoldLabel, Why: "w"}})
	p, err := status.FindPR(t.Context(), rows, "acme/mall", 5)
	if err != nil || p == nil || p.Title != "U" || p.State != status.StateSkipped || p.Why != "w" {
		t.Errorf("got %+v, %v", p, err)
	}
	if p, err := status.FindPR(t.Context(), rows, "acme/shop", 5); err != nil || p != nil {
		t.Errorf("by its old name: %+v, %v", p, err)
	}
	heads, err := status.GetHeads(t.Context(), rows, status.Filter{Repo: "acme/mall"})
	if err != nil || len(heads.Items) != 1 || heads.Items[0].Cause != events.HoldLabel {
		t.Errorf("got %+v, %v", heads, err)
	}
	if queue, err := status.Queue(t.Context(), rows); err != nil || len(queue.Items) != 0 {
		t.Errorf("what is held back waits: %+v, %v", queue, err)
	}
}

// TestRenamedRepository: the configuration goes on using the old name.
func TestRenamedRepository(t *testing.T) {
	t.Parallel()
	const repo events.StreamName = "repo-github.com/77"
	configured := at{repo, events.RepoConfigured{Repo: "acme/shop", Enabled: true}}
	renamed := at{repo, events.RepoRenamed{From: "acme/shop", To: "acme/mall"}}
	for name, c := range map[string]struct {
		story []at
		repo  events.RepoName
		was   events.RepoName
	}{
		"renamed":                  {[]at{configured, renamed}, "acme/mall", "acme/shop"},
		"configured by its old":    {[]at{configured, renamed, configured}, "acme/mall", "acme/shop"},
		"configured by its new":    {[]at{configured, renamed, {repo, events.RepoConfigured{Repo: "acme/mall", Enabled: true}}}, "acme/mall", ""},
		"renamed twice":            {[]at{configured, renamed, {repo, events.RepoRenamed{From: "acme/mall", To: "acme/arcade"}}}, "acme/arcade", "acme/shop"},
		"renamed and renamed back": {[]at{configured, renamed, {repo, events.RepoRenamed{From: "acme/mall", To: "acme/shop"}}}, "acme/shop", ""},
	} {
		rows, _ := view(t, c.story...)
		repos, err := status.GetRepos(t.Context(), rows, status.Filter{})
		if err != nil || len(repos.Items) != 1 || repos.Items[0].Repo != c.repo || repos.Items[0].Was != c.was {
			t.Errorf("%s: got %+v, %v", name, repos, err)
		}
	}
}
