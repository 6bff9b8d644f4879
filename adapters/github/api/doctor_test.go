package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// TestAccess says in words what a token lacks.
func TestAccess(t *testing.T) {
	for _, c := range []struct {
		name    string
		grant   githubtest.Grant
		change  func(*githubtest.Server, *githubtest.Repo)
		skewed  bool
		missing []string // a part of each
	}{
		{name: "all is well"},
		{name: "a scope", grant: githubtest.Grant{Scopes: []string{"read:user"}}, missing: []string{"the token lacks the scope public_repo or repo: it has read:user"}},
		{name: "no scope", grant: githubtest.Grant{Scopes: []string{}}, missing: []string{"the token lacks the scope public_repo or repo: it has none"}},
		{name: "archived", change: func(_ *githubtest.Server, r *githubtest.Repo) { r.Archive(true) }, missing: []string{"octo/town is archived"}},
		{name: "the role", change: func(_ *githubtest.Server, r *githubtest.Repo) { r.Access("reviewer", githubtest.RoleRead) }, missing: []string{"reviewer has no role Triage or Write in octo/town"}},
		{name: "a fine-grained token", grant: githubtest.Grant{Permissions: []githubtest.Permission{githubtest.ReadContents}}, change: func(_ *githubtest.Server, r *githubtest.Repo) { r.Private(true) }, missing: []string{"the token lacks the permission pull requests: read"}},
		{name: "the clock", skewed: true, change: func(s *githubtest.Server, _ *githubtest.Repo) {
			s.Set(func(p *githubtest.Params) { p.Skew = -4 * time.Minute })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := githubtest.New(t, githubtest.Params{Clock: bubbleClock{}, NoGit: true})
				repo := s.Repo("octo/town")
				repo.Access("reviewer", githubtest.RoleTriage)
				access := grantee(t, s, c.grant)
				if c.change != nil {
					c.change(s, repo)
				}
				a, err := access.Account(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got, err := access.Access(t.Context(), a, town)
				if err != nil {
					t.Fatal(err)
				}
				if a.Viewer.Login != "reviewer" || a.ClockOff() != c.skewed || a.Classic != (c.grant.Permissions == nil) || got.Repo.FullName != town || access.Rate().Limit != 5000 {
					t.Errorf("%+v %+v", a, got)
				}
				if len(got.Missing) != len(c.missing) {
					t.Fatalf("%q", got.Missing)
				}
				for i, part := range c.missing {
					if !strings.Contains(got.Missing[i].What, part) || got.Missing[i].Remedy == "" {
						t.Errorf("%q does not say %q", got.Missing[i], part)
					}
				}
			})
		})
	}
}

// grantee is the access of a login "reviewer".
func grantee(t *testing.T, s *githubtest.Server, g githubtest.Grant) *Client {
	t.Helper()
	g.Login = "reviewer"
	token := s.Issue(g)
	return client(t, s.RoundTripper().RoundTrip, func(p *Params) { p.Token = func() (string, error) { return token, nil } })
}

// TestMayReview: whether a token without scopes may write is tried with a request
// that changes nothing. (case G33)
func TestMayReview(t *testing.T) {
	for _, c := range []struct {
		name    string
		grant   []githubtest.Permission
		may     bool
		missing string
	}{
		{"it may", []githubtest.Permission{githubtest.WritePulls}, true, ""},
		{"it may read", []githubtest.Permission{githubtest.ReadPulls}, false, "the token lacks the permission pull requests: write"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := githubtest.New(t, githubtest.Params{Clock: bubbleClock{}, NoGit: true})
				repo := s.Repo("octo/town")
				repo.Access("reviewer", githubtest.RoleWrite)
				repo.Push("fix", githubtest.Files{"a": "a"})
				pull := repo.Open(githubtest.Pull{Head: "fix", Author: "ann"})
				access := grantee(t, s, githubtest.Grant{Permissions: c.grant})
				a, err := access.Account(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got, err := access.Access(t.Context(), a, town)
				if err != nil || got.Pull != pull.Number || got.Missing != nil {
					t.Fatalf("%+v %v", got, err)
				}
				lack, known, err := access.MayReview(t.Context(), town, got.Pull)
				if err != nil || !known || (lack == nil) != c.may || lack != nil && lack.What != c.missing {
					t.Errorf("%+v %v %v", lack, known, err)
				}
				in := s.Fault(githubtest.Fault{Route: "DELETE /repos/*/pulls/*/reviews/*", Kind: githubtest.BadGateway, Nth: githubtest.Every})
				if _, known, err := access.MayReview(t.Context(), town, got.Pull); known || faultIn(t, err).Kind != KindTransient || in.Hits() != 1 {
					t.Errorf("a fault: %v %v", known, err)
				}
				s.Check(t)
			})
		})
	}
}

func TestPermissionsInWords(t *testing.T) {
	t.Parallel()
	for needs, want := range map[string]string{
		"": "", "nonsense": "", "pull_requests=write": "pull requests: write",
		"issues=write; pull_requests=write": "issues: write, or pull requests: write", "contents=read,metadata=read": "contents: read and metadata: read",
	} {
		if got := permissionWords(needs); got != want {
			t.Errorf("%s: %s", needs, got)
		}
	}
}

// TestAccessWithoutAnAnswer is an error.
func TestAccessWithoutAnAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, c := fake(t, githubtest.Params{})
		_, err := c.Access(t.Context(), &Account{}, town)
		if f := faultIn(t, err); f.Kind != KindNotFound {
			t.Error(f)
		}
		if _, err := c.Access(t.Context(), &Account{}, "no name"); faultIn(t, err).Kind != KindValidation {
			t.Error(err)
		}
		s.Repo("octo/town")
		s.Fault(githubtest.Fault{Route: "GET /repos/*/pulls", Kind: githubtest.HTML, Nth: githubtest.Every})
		if _, err := c.Access(t.Context(), &Account{}, town); faultIn(t, err).Kind != KindTransient {
			t.Error(err)
		}
		s.Fault(githubtest.Fault{Route: "GET /user", Kind: githubtest.Unavailable, Nth: githubtest.Every})
		if _, err := c.Account(t.Context()); faultIn(t, err).Kind != KindTransient {
			t.Error(err)
		}
	})
}

// TestTokensThatExpire are told when.
func TestTokensThatExpire(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"2026-12-31 10:00:00 UTC", "2026-12-31 12:00:00 +0200"} {
		var a Account
		a.headers(headers("GitHub-Authentication-Token-Expiration: "+text, "X-OAuth-Scopes: repo, read:org"), at, at)
		if !a.Expires.Equal(time.Date(2026, 12, 31, 10, 0, 0, 0, time.UTC)) || len(a.Scopes) != 2 || !a.Classic {
			t.Errorf("%s: %+v", text, a)
		}
	}
}

// TestTheSlowAnswer is no clock that is off.
func TestTheSlowAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ date, asked, now, skew time.Duration }{
		{0, 0, 900 * time.Millisecond, 0}, {0, 500 * time.Millisecond, time.Minute, 0}, {time.Minute, 0, time.Hour, 0},
		{time.Hour, 0, time.Minute, 59 * time.Minute}, {-time.Hour, 0, time.Minute, -time.Hour},
	} {
		from := at.Truncate(time.Second)
		var a Account
		a.headers(headers("Date: "+from.Add(c.date).UTC().Format(http.TimeFormat)), from.Add(c.asked), from.Add(c.now))
		if a.Skew != c.skew {
			t.Errorf("%+v: %s", c, a.Skew)
		}
	}
}
