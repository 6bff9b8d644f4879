package api

import (
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// TestDoctor says in words what a token lacks.
func TestDoctor(t *testing.T) {
	for _, c := range []struct {
		name    string
		grant   githubtest.Grant
		change  func(*githubtest.Server, *githubtest.Repo)
		missing []string // a part of each
	}{
		{name: "all is well"},
		{name: "a scope", grant: githubtest.Grant{Scopes: []string{"read:user"}}, missing: []string{"the scope public_repo or repo of the token, which has read:user"}},
		{name: "archived", change: func(_ *githubtest.Server, r *githubtest.Repo) { r.Archive(true) }, missing: []string{"octo/town is archived"}},
		{name: "the role", change: func(_ *githubtest.Server, r *githubtest.Repo) { r.Access("reviewer", githubtest.RoleRead) }, missing: []string{"the role Triage or Write of reviewer in octo/town"}},
		{name: "a fine-grained token", grant: githubtest.Grant{Permissions: []githubtest.Permission{githubtest.ReadContents}}, change: func(_ *githubtest.Server, r *githubtest.Repo) { r.Private(true) }, missing: []string{"pull_requests=read"}},
		{name: "the clock", change: func(s *githubtest.Server, _ *githubtest.Repo) {
			s.Set(func(p *githubtest.Params) { p.Skew = -4 * time.Minute })
		}, missing: []string{"a right clock: GitHub's is -4m0s ahead"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := githubtest.New(t, githubtest.Params{Clock: bubbleClock{}, NoGit: true})
				repo := s.Repo("octo/town")
				repo.Access("reviewer", githubtest.RoleTriage)
				c.grant.Login = "reviewer"
				token := s.Issue(c.grant)
				if c.change != nil {
					c.change(s, repo)
				}
				access := client(t, s.RoundTripper().RoundTrip, func(p *Params) { p.Token = func() (string, error) { return token, nil } })
				a, err := access.Doctor(t.Context(), town)
				if err != nil {
					t.Fatal(err)
				}
				if a.Viewer.Login != "reviewer" || a.Repo.FullName != town || a.Classic != (c.grant.Permissions == nil) || (len(a.Unseen) == 0) != a.Classic || a.Rate.Limit != 5000 {
					t.Errorf("%+v", a)
				}
				if len(a.Missing) != len(c.missing) {
					t.Fatalf("%q", a.Missing)
				}
				for i, part := range c.missing {
					if !strings.Contains(a.Missing[i], part) {
						t.Errorf("%q does not say %q", a.Missing[i], part)
					}
				}
			})
		})
	}
}

// TestDoctorWithoutAnAnswer is an error.
func TestDoctorWithoutAnAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, c := fake(t, githubtest.Params{})
		_, err := c.Doctor(t.Context(), town)
		if f := faultIn(t, err); f.Kind != KindNotFound {
			t.Error(f)
		}
		if _, err := c.Doctor(t.Context(), "no name"); faultIn(t, err).Kind != KindValidation {
			t.Error(err)
		}
		s.Repo("octo/town")
		s.Fault(githubtest.Fault{Route: "GET /user", Kind: githubtest.Unavailable, Nth: githubtest.Every})
		if _, err := c.Doctor(t.Context(), town); faultIn(t, err).Kind != KindTransient {
			t.Error(err)
		}
	})
}

// TestTokensThatExpire are told when.
func TestTokensThatExpire(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"2026-12-31 10:00:00 UTC", "2026-12-31 12:00:00 +0200"} {
		var a Access
		a.headers(headers("GitHub-Authentication-Token-Expiration: "+text, "X-OAuth-Scopes: repo, read:org"), at)
		if !a.Expires.Equal(time.Date(2026, 12, 31, 10, 0, 0, 0, time.UTC)) || len(a.Scopes) != 2 || !a.Classic {
			t.Errorf("%s: %+v", text, a)
		}
	}
}
