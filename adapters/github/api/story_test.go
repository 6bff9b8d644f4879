package api

import (
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// TestAReviewIsPublished walks all calls of a publication on the fake.
func TestAReviewIsPublished(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, c := fake(t, githubtest.Params{})
		repo := s.Repo("octo/town")
		repo.Push("feature", map[string]string{"a.txt": "one\ntwo\n"})
		pull := repo.Open(githubtest.Pull{Head: "feature", Base: "main", Author: "ann", Title: "A change"})
		ctx := t.Context()

		pulls, changed, err := c.OpenPulls(ctx, town)
		if err != nil || len(pulls) != 1 || !changed || pulls[0].Number != pull.Number || pulls[0].BaseRepo != repo.ID {
			t.Fatal(pulls, changed, err)
		}
		if _, changed, err := c.OpenPulls(ctx, town); err != nil || changed {
			t.Fatal(changed, err)
		}
		me, err := c.Viewer(ctx)
		if err != nil || me.Login != "reviewer" {
			t.Fatal(me, err)
		}
		files, complete, err := c.Files(ctx, town, pull.Number)
		if err != nil || !complete || len(files) != 1 || !files[0].HasPatch {
			t.Fatal(files, complete, err)
		}
		mark := "\n<!-- reviewctl review v1 repo=octo/town pr=1 head=" + string(pulls[0].Head) + " -->"
		draft := Draft{Commit: pulls[0].Head, Body: "text" + mark, Comments: []Comment{{Path: "a.txt", StartLine: 1, Line: 2, Body: "here" + mark}}}
		made, err := c.CreatePending(ctx, town, pull.Number, draft)
		if err != nil || made.State != StatePending {
			t.Fatal(made, err)
		}
		reviews, err := c.Reviews(ctx, town, pull.Number)
		if err != nil || len(reviews) != 1 || reviews[0].ID != made.ID || reviews[0].Author.ID != me.ID {
			t.Fatal(reviews, err)
		}
		shown, err := c.Submit(ctx, town, pull.Number, made.ID, EventComment)
		if err != nil || shown.State != StateCommented || shown.Submitted.IsZero() {
			t.Fatal(shown, err)
		}
		s.Check(t)
		if got, want := c.Requests(), (Counts{Sent: 7, NotModified: 1, Writes: 2, Polls: 2, Looks: 3}); got != want {
			t.Errorf("%+v, not %+v", got, want)
		}
	})
}
