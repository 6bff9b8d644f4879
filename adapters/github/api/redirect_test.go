package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/events"
)

// TestAWriteIsNeverSentElsewhere: case G35, with each status that net/http would
// follow. The fault says where the repository is now, and nothing was written.
func TestAWriteIsNeverSentElsewhere(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(itoa(int64(status)), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var seen []string
				c := client(t, func(r *http.Request) (*http.Response, error) {
					seen = append(seen, r.Method+" "+r.URL.Path)
					switch r.URL.Path {
					case "/repositories/7":
						return reply(200, `{"id":7,"full_name":"octo/city"}`), nil
					case "/repos/octo/town":
						return reply(301, "", "Location: https://api.github.com/repositories/7"), nil
					}
					return reply(status, `{"message":"Moved Permanently"}`, "Location: https://api.github.com/repositories/7/pulls/1/reviews"), nil
				})
				_, err := c.CreatePending(t.Context(), town, 1, Draft{})
				f := faultIn(t, err)
				if f.Kind != KindRedirected || f.Moved != "octo/city" || f.Unknown {
					t.Error(f)
				}
				if got := strings.Join(seen, ", "); got != "POST /repos/octo/town/pulls/1/reviews, GET /repos/octo/town, GET /repositories/7" {
					t.Error(got)
				}
				if c.Moved(town) != "octo/city" {
					t.Error(c.Moved(town))
				}
			})
		})
	}
}

// TestTheSecondFence: should an answer reach net/http all the same, it does not
// follow.
func TestTheSecondFence(t *testing.T) {
	t.Parallel()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.github.com/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if f := faultIn(t, refuseRedirect(req, []*http.Request{req})); f.Kind != KindRedirected {
		t.Error(f)
	}
	c := client(t, always(200, "{}"))
	post := req.Clone(t.Context())
	post.Method = http.MethodPost
	if f := faultIn(t, c.followRead(req, []*http.Request{post})); f.Kind != KindRedirected {
		t.Error(f)
	}
	if err := c.followRead(req, []*http.Request{req}); err != nil {
		t.Error(err)
	}
	elsewhere := req.Clone(t.Context())
	elsewhere.URL.Host = "elsewhere.test"
	if f := faultIn(t, c.followRead(elsewhere, []*http.Request{req})); f.Kind != KindRedirected {
		t.Error(f)
	}
}

// TestReadsGoWhereTheyAreSent on the same host alone, and not in circles. Nothing
// else is sent the token.
func TestReadsGoWhereTheyAreSent(t *testing.T) {
	for _, c := range []struct{ location, base, says string }{
		{"https://elsewhere.test/repositories/7", "", "another host"},
		{"http://api.github.com/repositories/7", "", "another host"},
		{"https://api.github.com:8443/repositories/7", "", "another host"},
		{"https://user@api.github.com/repositories/7", "", "another host"},
		{"https://api.github.com/repos/octo/town", "", "in circles"},
		{"//elsewhere.test/", "https://ghe.example.org/api/v3", "another host"},
	} {
		t.Run(c.location, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				asked := 0
				access := client(t, func(r *http.Request) (*http.Response, error) {
					if asked++; r.URL.Host != "api.github.com" && r.URL.Host != "ghe.example.org" {
						t.Error("sent to", r.URL)
					}
					if asked > 3*hopsMax {
						return reply(200, repoBody), nil
					}
					return reply(301, "", "Location: "+c.location), nil
				}, func(p *Params) { p.BaseURL = c.base })
				_, err := access.Repo(t.Context(), town)
				if f := faultIn(t, err); f.Kind != KindRedirected || !strings.Contains(f.Message, c.says) || asked > hopsMax+1 || elapsed() != 0 {
					t.Error(asked, f)
				}
			})
		})
	}
}

// TestARenamedRepository on the fake: reads follow, writes are told, and a write to
// the new name is made once. (case G35)
func TestARenamedRepository(t *testing.T) {
	for _, old := range []bool{false, true} {
		t.Run(map[bool]string{false: "307", true: "301"}[old], func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s, c := fake(t, githubtest.Params{Modes: githubtest.Modes{WritesMoved301: old}})
				repo := s.Repo("octo/town")
				repo.Push("feature", map[string]string{"a.txt": "one\n"})
				pull := repo.Open(githubtest.Pull{Head: "feature", Base: "main", Author: "ann", Title: "A change"})
				repo.Rename("octo/city")
				pulls, _, err := c.OpenPulls(t.Context(), town)
				if err != nil || len(pulls) != 1 || pulls[0].BaseName != "octo/city" || c.Moved(town) != "octo/city" {
					t.Fatal(pulls, err, c.Moved(town))
				}
				if _, changed, err := c.OpenPulls(t.Context(), town); err != nil || changed {
					t.Error(changed, err)
				}
				draft := Draft{Commit: pulls[0].Head, Body: "text\n<!-- reviewctl review v1 repo=octo/city pr=1 head=" + string(pulls[0].Head) + " -->"}
				_, err = c.CreatePending(t.Context(), town, pull.Number, draft)
				f := faultIn(t, err)
				if f.Kind != KindRedirected || f.Moved != "octo/city" || f.Unknown || len(pull.Reviews()) != 0 {
					t.Fatal(f, pull.Reviews())
				}
				made, err := c.CreatePending(t.Context(), f.Moved, pull.Number, draft)
				if err != nil || len(pull.Reviews()) != 1 {
					t.Fatal(err)
				}
				for _, err := range []error{
					c.DeletePending(t.Context(), town, pull.Number, made.ID),
					c.AddLabel(t.Context(), town, pull.Number, "x"),
					c.RemoveLabel(t.Context(), town, pull.Number, "x"),
				} {
					if f := faultIn(t, err); f.Moved != "octo/city" {
						t.Error(f)
					}
				}
				if _, err := c.Submit(t.Context(), town, pull.Number, made.ID, EventComment); faultIn(t, err).Moved != "octo/city" {
					t.Error(err)
				}
				if err := c.DeletePending(t.Context(), "octo/city", pull.Number, made.ID); err != nil {
					t.Error(err)
				}
				s.Check(t)
			})
		})
	}
}

// TestARenamedRepositoryWithoutPulls tells its name as well.
func TestARenamedRepositoryWithoutPulls(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, c := fake(t, githubtest.Params{})
		s.Repo("octo/town").Rename("octo/city")
		if _, _, err := c.OpenPulls(t.Context(), town); err != nil || c.Moved(town) != "octo/city" {
			t.Error(err, c.Moved(town))
		}
		repo, err := c.Repo(t.Context(), town)
		if err != nil || repo.FullName != "octo/city" {
			t.Error(repo, err)
		}
	})
}

// TestNamesThatAreNoNames are not sent.
func TestNamesThatAreNoNames(t *testing.T) {
	bubble(t, func(t *testing.T) {
		f, asked := script(says(200, "[]"))
		c := client(t, f)
		for _, name := range []events.RepoName{"", "town", "octo/", "/town", "octo/town/pulls", "../user", "octo/..", "octo/.", "octo/to wn", "octo/town?x", "octo/town#x", "octo/t%2fn", "ö/town"} {
			_, err := c.Repo(t.Context(), name)
			if f := faultIn(t, err); f.Kind != KindValidation || f.Status != 0 {
				t.Errorf("%q: %v", name, err)
			}
			_, _, err = c.OpenPulls(t.Context(), name)
			_ = faultIn(t, err)
			_, err = c.Reviews(t.Context(), name, 1)
			_ = faultIn(t, err)
			_ = faultIn(t, c.AddLabel(t.Context(), name, 1, "x"))
		}
		_, err := c.Pull(t.Context(), town, 0)
		_ = faultIn(t, err)
		_, err = c.Submit(t.Context(), town, 1, 9, "PENDING")
		_ = faultIn(t, err)
		_ = faultIn(t, c.DeletePending(t.Context(), town, 1, 0))
		if *asked != 0 {
			t.Errorf("%d requests", *asked)
		}
	})
}
