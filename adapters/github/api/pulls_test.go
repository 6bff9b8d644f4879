package api

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

const sha = "0123456789abcdef0123456789abcdef01234567"

func pullBody(more string) string {
	return `{"number":1,"state":"open","head":{"sha":"` + sha + `","ref":"x","repo":null,"user":null},"base":{"sha":"` + sha +
		`","ref":"main","repo":{"id":7,"full_name":"octo/town"}}` + more + `}`
}

// TestWhatMayBeMissing: a fork and an account that were deleted (case G31),
// and mergeable, which nobody waits for (case G55).
func TestWhatMayBeMissing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f, asked := script(says(200, pullBody(`,"user":null,"labels":null,"mergeable":null,"mergeable_state":"unknown","merged":null`)))
		pull, err := client(t, f).Pull(t.Context(), town, 1)
		if err != nil || pull.HeadRepo != "" || pull.Author != (User{}) || pull.Head != sha || pull.BaseRepo != 7 || pull.Closed || *asked != 1 {
			t.Errorf("%+v, %v", pull, err)
		}
		f, _ = script(says(200, `[{"id":9,"user":null,"body":null,"state":"approved","commit_id":null}]`))
		reviews, err := client(t, f).Reviews(t.Context(), town, 1)
		if err != nil || len(reviews) != 1 || reviews[0].State != StateApproved || !reviews[0].Submitted.IsZero() || reviews[0].Author.ID != 0 {
			t.Errorf("case G16: %+v, %v", reviews, err)
		}
	})
}

// TestPullsThatAreNone are refused: what they say would be given to git.
func TestPullsThatAreNone(t *testing.T) {
	for name, body := range map[string]string{
		"no head":         `{"number":1,"base":{"sha":"` + sha + `","repo":{"id":7}}}`,
		"a head in words": strings.Replace(pullBody(""), sha, "--upload-pack=x", 1),
		"a short head":    strings.Replace(pullBody(""), sha, sha[:12], 1),
		"upper case":      strings.Replace(pullBody(""), sha, strings.ToUpper(sha), 1),
		"another number":  strings.Replace(pullBody(""), `"number":1`, `"number":2`, 1),
		"no repository":   strings.Replace(pullBody(""), `"id":7`, `"id":0`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				f, _ := script(says(200, body))
				_, err := client(t, f).Pull(t.Context(), town, 1)
				if f := faultIn(t, err); f.Kind != KindTransient {
					t.Error(f)
				}
				f, _ = script(says(200, "["+body+",null]"))
				pulls, _, err := client(t, f).OpenPulls(t.Context(), town)
				if f := faultIn(t, err); f.Kind != KindTransient || pulls != nil {
					t.Error(f)
				}
			})
		})
	}
}

// TestPullsOfTheFake shows each state of a pull request.
func TestPullsOfTheFake(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, c := fake(t, githubtest.Params{})
		repo := s.Repo("octo/town")
		repo.Labels("b", "a")
		repo.Push("feature", map[string]string{"a.txt": "one\n"})
		pull := repo.Open(githubtest.Pull{Head: "feature", Base: "main", Author: "ann", Title: "</details> \x1b[31m <!-- reviewctl -->", Draft: true, Fork: true, Labels: []string{"b", "a"}})
		got := func() *Pull {
			t.Helper()
			p, err := c.Pull(t.Context(), town, pull.Number)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := got()
		if !p.Draft || p.Closed || p.Merged || p.Head != pull.Head() || p.HeadRepo == "" || p.HeadRepo == town || p.BaseRepo != repo.ID || p.BaseName != town ||
			p.BaseRef != "main" || p.Author.Login != "ann" || p.Author.ID != s.UserID("ann") || !slices.Equal(p.Labels, []string{"a", "b"}) || p.URL == "" || p.Created.IsZero() {
			t.Errorf("%+v", p)
		}
		pull.DeleteFork()
		pull.Lock(true)
		if p := got(); p.HeadRepo != "" || !p.Locked || p.Head != pull.Head() {
			t.Errorf("case G31: %+v", p)
		}
		pull.Close()
		if p := got(); !p.Closed || p.Merged {
			t.Errorf("%+v", p)
		}
		if pulls, _, err := c.OpenPulls(t.Context(), town); err != nil || len(pulls) != 0 {
			t.Error(pulls, err)
		}
		repo.Delete()
		_, err := c.Pull(t.Context(), town, pull.Number)
		if f := faultIn(t, err); f.Kind != KindNotFound {
			t.Error(f)
		}
	})
}

// TestFilesEndAtThreeThousand: case G06. What GitHub does not list is said to be
// missing.
func TestFilesEndAtThreeThousand(t *testing.T) {
	for _, c := range []struct {
		files    int
		complete bool
	}{{0, true}, {1, true}, {100, true}, {250, true}, {2999, true}, {3000, false}, {3500, false}} {
		t.Run(strconv.Itoa(c.files), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				access := client(t, func(r *http.Request) (*http.Response, error) {
					at, _ := strconv.Atoi(r.URL.Query().Get("page"))
					at = max(at, 1)
					var items []string
					for i := (at - 1) * 100; i < min(at*100, c.files); i++ {
						items = append(items, fmt.Sprintf(`{"filename":"f%d","status":"added"}`, i))
					}
					var link []string
					if at*100 < c.files {
						link = append(link, fmt.Sprintf(`Link: <https://api.github.com/repositories/7/pulls/1/files?page=%d>; rel="next"`, at+1))
					}
					return reply(200, "["+strings.Join(items, ",")+"]", link...), nil
				})
				files, complete, err := access.Files(t.Context(), town, 1)
				if err != nil || len(files) != min(c.files, 3000) || complete != c.complete {
					t.Error(len(files), complete, err)
				}
			})
		})
	}
}

// TestFiles tells a patch that is empty from one that is not there.
func TestFiles(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f, _ := script(says(200, `[{"filename":"a","status":"modified","patch":"@@ -1 +1 @@\n-x\n+y"},{"filename":"b","status":"renamed","previous_filename":"c"},{"filename":"d","status":"added","patch":""}]`))
		files, complete, err := client(t, f).Files(t.Context(), town, 1)
		want := []File{
			{Name: "a", Status: "modified", Patch: "@@ -1 +1 @@\n-x\n+y", HasPatch: true}, {Name: "b", Previous: "c", Status: "renamed"}, {Name: "d", Status: "added", HasPatch: true},
		}
		if err != nil || !complete || !slices.Equal(files, want) {
			t.Error(files, complete, err)
		}
	})
}

// TestTheViewerIsAskedForOnce a token.
func TestTheViewerIsAskedForOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f, asked := script(says(200, `{"id":5,"login":"reviewctl[bot]","type":"Bot"}`), says(200, `{"id":6,"login":"ann","type":"User"}`))
		token := "one"
		c := client(t, f, func(p *Params) { p.Token = func() (string, error) { return token, nil } })
		for _, want := range []struct {
			token string
			id    int64
			bot   bool
			asked int
		}{{"one", 5, true, 1}, {"one", 5, true, 1}, {"two", 6, false, 2}, {"one", 5, true, 2}} {
			token = want.token
			if me, err := c.Viewer(t.Context()); err != nil || me.ID != want.id || me.Bot != want.bot || *asked != want.asked {
				t.Error(me, err, *asked)
			}
		}
	})
}

// TestRefusalsOfReviews on the fake: our own pull request (case G13), a commit that
// was pushed away (case G27), rights that are missing (case G33), an archived
// repository and a locked conversation (case G58).
func TestRefusalsOfReviews(t *testing.T) {
	for _, modes := range []githubtest.Modes{{}, {ObjectErrors: true}, {TextErrors: true}} {
		t.Run(fmt.Sprintf("%+v", modes), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, c := fake(t, githubtest.Params{Modes: modes})
				repo := s.Repo("octo/town")
				repo.Push("feature", map[string]string{"a.txt": "one\n"})
				pull := repo.Open(githubtest.Pull{Head: "feature", Base: "main", Author: "reviewer", Title: "Ours"})
				draft := func() Draft {
					return Draft{Commit: pull.Head(), Body: "text\n<!-- reviewctl review v1 repo=octo/town pr=1 head=" + string(pull.Head()) + " -->"}
				}
				refused := func(err error, kind Kind, sub Sub) {
					t.Helper()
					if f := faultIn(t, err); f.Kind != kind || f.Sub != sub || f.Unknown || f.Message == "" {
						t.Error(f)
					}
				}
				ctx := t.Context()
				made, err := c.CreatePending(ctx, town, pull.Number, draft())
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.Submit(ctx, town, pull.Number, made.ID, EventApprove)
				refused(err, KindValidation, SubOwnPull)
				_, err = c.CreatePending(ctx, town, pull.Number, draft())
				refused(err, KindValidation, SubPendingExists)
				if err := c.DeletePending(ctx, town, pull.Number, made.ID); err != nil {
					t.Error(err)
				}
				refused(c.DeletePending(ctx, town, pull.Number, made.ID), KindNotFound, "")

				outside := draft()
				outside.Comments = []Comment{{Path: "b.txt", Line: 1, Body: outside.Body}}
				_, err = c.CreatePending(ctx, town, pull.Number, outside)
				if f := faultIn(t, err); !f.Inline() {
					t.Error(f)
				}
				old := draft()
				old.Comments = []Comment{{Path: "a.txt", Line: 1, Body: old.Body}}
				pull.ForcePush(map[string]string{"a.txt": "two\n"})
				_, err = c.CreatePending(ctx, town, pull.Number, old)
				refused(err, KindValidation, SubCommitGone)

				s.Fault(githubtest.Fault{Route: "POST /repos/*/pulls/*/reviews", Nth: 1, Kind: githubtest.Forbidden})
				_, err = c.CreatePending(ctx, town, pull.Number, draft())
				refused(err, KindPermission, SubToken)
				pull.Lock(true)
				_, err = c.CreatePending(ctx, town, pull.Number, draft())
				refused(err, KindPermission, SubLocked)
				repo.Archive(true)
				_, err = c.CreatePending(ctx, town, pull.Number, draft())
				refused(err, KindPermission, SubArchived)
				if _, err := c.Pull(ctx, town, pull.Number); err != nil {
					t.Error("reading goes on:", err)
				}
			})
		})
	}
}
