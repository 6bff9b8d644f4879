package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// hubWorld is a GitHub, and a doctor that is asked about it.
type hubWorld struct {
	*githubtest.Server
	t     *testing.T
	town  *githubtest.Repo
	grant githubtest.Grant
	token string   // "" = one by the grant
	file  string   // "" = the token is in the variable
	repos []string // in the configuration
	carry http.RoundTripper
	url   string
}

func newHubWorld(t *testing.T, p githubtest.Params) *hubWorld {
	t.Helper()
	w := &hubWorld{Server: githubtest.New(t, p), t: t, repos: []string{"octo/town"}, grant: githubtest.Grant{Login: "robo"}}
	w.town = w.Repo("octo/town")
	w.town.Access("robo", githubtest.RoleWrite)
	if p.NoGit {
		w.carry, w.url = w.RoundTripper(), "https://ghe.example.com/api/v3/"
	} else {
		w.url = w.URL() + "/"
	}
	return w
}

func (w *hubWorld) open() {
	w.town.Push("topic", githubtest.Files{"a.txt": "a"})
	w.town.Open(githubtest.Pull{Head: "topic", Author: "ann", Title: "Change it"})
}

// doctor returns its lines and remedies. None may hold the token.
func (w *hubWorld) doctor() string {
	w.t.Helper()
	if w.token == "" {
		w.token = w.Issue(w.grant)
	}
	config := defaults(w.t)
	config.GitHub.APIURL, config.GitHub.TokenFile = w.url, w.file
	for _, name := range w.repos {
		config.Repositories = append(config.Repositories, RepositoryConfig{Name: name})
	}
	app := &App{Context: w.t.Context(), Stderr: io.Discard, Env: fakeEnv("GITHUB_TOKEN", strings.TrimSuffix(w.token, " "))}
	d := &doctor{app: app, config: config, home: HomeOf(filepath.Join(w.t.TempDir(), "events.db")), transport: w.carry}
	d.github(app.Context)
	for _, check := range d.answer.Checks {
		if check.Label == "" || check.Detail == "" || !check.OK && check.Remedy == "" || strings.Contains(check.Detail+check.Remedy, "\n") {
			w.t.Errorf("%+v", check)
		}
	}
	text := d.answer.text(&Printer{})
	if token := strings.TrimSpace(w.token); token != "" && strings.Contains(text, token) {
		w.t.Errorf("the token is told: %s", text)
	}
	return text
}

// TestDoctorOnHub says what a token may do, and what to do about what it may not.
func TestDoctorOnHub(t *testing.T) {
	t.Parallel()
	file := func(mode os.FileMode) func(*hubWorld) {
		return func(w *hubWorld) {
			w.token, w.file = w.Issue(w.grant), filepath.Join(w.t.TempDir(), "token")
			if err := os.WriteFile(w.file, []byte(w.token+"\n"), mode); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	fine := func(permissions ...githubtest.Permission) func(*hubWorld) {
		return func(w *hubWorld) { w.grant.Permissions = permissions }
	}
	for name, c := range map[string]struct {
		change func(*hubWorld)
		want   []string // parts of lines
		fails  int
	}{
		"all is well": {func(w *hubWorld) {
			w.open()
			w.town.Labels("ReviewCTL:Approved", "reviewctl:changes-requested", "reviewctl:commented")
		}, []string{
			"[ok] github token: from the variable GITHUB_TOKEN\n", "[ok] github api: http://127.0.0.1:", "[ok] github clock: it ",
			"[ok] github account: robo, with a classic token of the scopes repo\n",
			"[ok] repository octo/town: on GitHub as octo/town: it can be read; reviews can be written\n",
			"[ok] repository octo/town labels: verdicts are labelled: ReviewCTL:Approved, reviewctl:changes-requested, reviewctl:commented (spelled otherwise than configured: ReviewCTL:Approved; case does not matter)\n",
			"[ok] repository octo/town git: main at ", "can be fetched from http://127.0.0.1:", "[ok] github rate limit: 49", " of 5000 requests left until 20",
		}, 0},
		"a fine-grained token": {func(w *hubWorld) {
			fine(githubtest.WritePulls, githubtest.ReadContents)(w)
			w.open()
		}, []string{"robo, with a fine-grained token", "a request to write reviews, which changed nothing, was not refused", "verdicts are not labelled: the repository has none of reviewctl:approved, "}, 0},
		"one that may only read (case G33)": {func(w *hubWorld) {
			fine(githubtest.ReadPulls, githubtest.ReadContents)(w)
			w.open()
		}, []string{"[FAIL] repository octo/town: on GitHub as octo/town: the token lacks the permission pull requests: write\n  → give it pull requests: write for this repository"}, 1},
		"one without a pull request to try it on": {fine(githubtest.WritePulls), []string{"whether reviews can be written (pull requests: write) shows when a pull request is open"}, 0},
		"one that may not fetch": {func(w *hubWorld) {
			fine(githubtest.WritePulls)(w)
			w.town.Private(true)
		}, []string{"on GitHub as octo/town, private: it can be read", "[FAIL] repository octo/town git: git is refused: ", "→ give the token contents: read"}, 1},
		"the scope of a private repository (case G34)": {func(w *hubWorld) {
			w.grant.Scopes = []string{"public_repo"}
			w.town.Private(true)
		}, []string{"[FAIL] repository octo/town: on GitHub: GitHub does not show it: it is not there, or it is hidden from the token (404 Not Found)\n  → ", "the scope repo"}, 1},
		"the scope of a public one": {func(w *hubWorld) { w.grant.Scopes = []string{"public_repo"} }, []string{"reviews can be written\n"}, 0},
		"no scope at all":           {func(w *hubWorld) { w.grant.Scopes = []string{} }, []string{"the token lacks the scope public_repo or repo: it has none\n  → give it the scope public_repo or repo"}, 1},
		"the role":                  {func(w *hubWorld) { w.town.Access("robo", githubtest.RoleRead) }, []string{"robo has no role Triage or Write in octo/town", "→ let an owner"}, 1},
		"renamed (case G35)": {func(w *hubWorld) { w.town.Rename("octo/city") }, []string{
			"[ok] repository octo/town: it was renamed, on GitHub as octo/city: it can be read; reviews can be written\n  → write name: octo/city in", "[ok] repository octo/town git: main",
		}, 0},
		"archived": {func(w *hubWorld) { w.town.Archive(true) }, []string{"octo/town is archived: nothing can be written there\n  → unarchive it, or set enabled: false"}, 1},
		"disabled": {func(w *hubWorld) { w.town.Disable(true) }, []string{"GitHub refuses it (403 Repository access blocked)\n  → see what GitHub says"}, 1},
		"vanished": {func(w *hubWorld) { w.town.Delete() }, []string{"it is not there, or it is hidden", "if it was deleted, set enabled: false"}, 1},
		"blocked": {func(w *hubWorld) {
			w.Fault(githubtest.Fault{Route: "GET /repos/*", Kind: githubtest.Blocked})
		}, []string{"GitHub shows it to nobody, for legal reasons (451 ", "→ set enabled: false"}, 1},
		"an organisation's sign-on": {func(w *hubWorld) {
			w.Fault(githubtest.Fault{Route: "GET /repos/*", Kind: githubtest.Says, Status: 403, Text: "Resource protected by organization SAML enforcement."})
		}, []string{"GitHub refuses it (403 Resource protected by", "→ authorise the token for the organisation"}, 1},
		"half of the labels (case G41)": {func(w *hubWorld) { w.town.Labels("reviewctl:approved") }, []string{
			"[FAIL] repository octo/town labels: verdicts are not labelled: the repository has reviewctl:approved and lacks reviewctl:changes-requested, reviewctl:commented\n  → make the labels",
		}, 1},
		"labels that are refused": {func(w *hubWorld) {
			w.Fault(githubtest.Fault{Route: "GET /repos/*/labels", Kind: githubtest.Forbidden})
		}, []string{"[FAIL] repository octo/town labels: GitHub refuses it (403 Resource not accessible"}, 1},
		"a file of the token":             {file(0o600), []string{"token (mode 0600), and not from GITHUB_TOKEN, which is set as well\n"}, 0},
		"a file that others may read":     {file(0o644), []string{"[FAIL] github token: the file of the token may be read by others: ", "→ chmod 600", "not looked at: there is no token"}, 2},
		"a token that is none (case G54)": {func(w *hubWorld) { w.token = "nonsense" }, []string{"[ok] github api: ", "[FAIL] github account: ", "GitHub does not take the token (401 Bad credentials)\n  → make a new token", "not looked at: GitHub was not asked"}, 2},
		"none":                            {func(w *hubWorld) { w.token = " " }, []string{"[FAIL] github token: there is no token for GitHub: GITHUB_TOKEN is not set\n  → set GITHUB_TOKEN"}, 2},
		"a token that ends soon":          {func(w *hubWorld) { w.grant.Expires = time.Now().Add(time.Hour) }, []string{"; it holds until 20", "→ make another token before then"}, 0},
		"a token and no repository":       {func(w *hubWorld) { w.repos = nil }, []string{"[ok] github account: robo"}, 0},
		"neither":                         {func(w *hubWorld) { w.repos, w.token = nil, " " }, nil, 0},
		"a name that is none (case G35)":  {func(w *hubWorld) { w.repos = []string{"octo/to wn?"} }, []string{"this is not the name of a repository on GitHub"}, 1},
		"a server that says the token back": {func(w *hubWorld) {
			w.token = w.Issue(w.grant)
			w.Fault(githubtest.Fault{Route: "GET /repos/*", Kind: githubtest.Says, Status: 403, Text: "no: \x1b[31m" + w.token})
		}, []string{"GitHub refuses it (403 no: "}, 1},
		"a GitHub that is no GitHub (GHES)": {func(w *hubWorld) { w.url += "nothing/" }, []string{"[FAIL] github api: ", "/nothing/: GitHub does not show it", "→ see that github.api_url is the API"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newHubWorld(t, githubtest.Params{Silent: true})
			c.change(w)
			text := w.doctor()
			for _, part := range c.want {
				if !strings.Contains(text, part) {
					t.Errorf("it does not say %q", part)
				}
			}
			if n := strings.Count(text, "[FAIL]"); n != c.fails || c.want == nil && text != "" {
				t.Errorf("%d fail, want %d", n, c.fails)
			}
			if t.Failed() {
				t.Log(text)
			}
			w.Check(t)
		})
	}
}

// TestDoctorOnAHubInTrouble ends in bounded time, with words and without a token.
func TestDoctorOnAHubInTrouble(t *testing.T) {
	t.Parallel()
	account := func(f githubtest.Fault) func(*hubWorld) {
		return func(w *hubWorld) { f.Route = "GET /user"; w.Fault(f) }
	}
	const isAPI = "→ see that github.api_url is the API of a GitHub"
	for name, c := range map[string]struct {
		change func(*hubWorld)
		want   []string
	}{
		"HTML":      {account(githubtest.Fault{Kind: githubtest.HTML}), []string{"[FAIL] github api: https://ghe.example.com/api/v3/: there is no answer that can be understood (200 ", isAPI}},
		"nothing":   {account(githubtest.Fault{Kind: githubtest.Empty}), []string{"there is no answer that can be understood (200 ", isAPI}},
		"half":      {account(githubtest.Fault{Kind: githubtest.Truncated}), []string{"there is no answer that can be understood (200 "}},
		"503":       {account(githubtest.Fault{Kind: githubtest.Unavailable}), []string{"there is no answer that can be understood (503 "}},
		"hangs":     {account(githubtest.Fault{Kind: githubtest.Delay, Delay: time.Hour}), []string{"there was no answer in time\n  → see that it can be reached"}},
		"drips":     {account(githubtest.Fault{Kind: githubtest.SlowBody, Delay: time.Minute}), []string{"there was no answer in time"}},
		"closes":    {account(githubtest.Fault{Kind: githubtest.NoConnection}), []string{"there is no answer that can be understood ("}},
		"redirects": {account(githubtest.Fault{Kind: githubtest.Redirect}), []string{"[FAIL] github api: "}},
		"DNS": {func(w *hubWorld) {
			w.carry = carrier(func(*http.Request) (*http.Response, error) {
				return nil, fmt.Errorf("dial tcp: lookup ghe.example.com: no such host")
			})
		}, []string{"(dial tcp: lookup ghe.example.com: no such host)\n  → see that it can be reached"}},
		"the hour is used up": {account(githubtest.Fault{Kind: githubtest.Primary}), []string{"the hourly limit of requests is used up (", "→ call again after 20"}},
		"a pause":             {account(githubtest.Fault{Kind: githubtest.Secondary}), []string{"GitHub asks for a pause (", "→ call again after 20"}},
		"an App's token": {account(githubtest.Fault{Kind: githubtest.Forbidden}), []string{
			"[FAIL] github account: ", "GitHub refuses it (403 Resource not accessible", "→ use a classic token with the scope repo",
		}},
		"the clock (case G54)": {func(w *hubWorld) {
			w.repos = nil
			w.Set(func(p *githubtest.Params) { p.Skew = -4 * time.Minute })
		}, []string{"[FAIL] github clock: it is 4m0s ahead of GitHub's\n  → set the clock"}},
		"little is left": {func(w *hubWorld) {
			w.repos = nil
			w.Set(func(p *githubtest.Params) { p.Limits.Hour = 20 })
			w.token = w.Issue(w.grant)
			for range 17 {
				w.spend()
			}
		}, []string{"[FAIL] github rate limit: 2 of 20 requests left until 20"}},
		"many repositories": {func(w *hubWorld) {
			w.town.Delete()
			for i := range hubReposMax + 2 {
				w.repos = append(w.repos, fmt.Sprintf("octo/r%d", i))
			}
		}, []string{fmt.Sprintf("[FAIL] repository octo/r%d: on GitHub: GitHub does not show it", hubReposMax-2), "[ok] github repositories: 3 more were not looked at"}},
		"slow repositories": {func(w *hubWorld) {
			for i := range 9 {
				w.repos = append(w.repos, fmt.Sprintf("octo/r%d", i))
			}
			w.Fault(githubtest.Fault{Route: "GET /repos/*", Kind: githubtest.Delay, Delay: time.Hour})
		}, []string{"[FAIL] repository octo/town: on GitHub: there was no answer in time", "[FAIL] repository octo/r8: on GitHub: there was no answer in time"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newHubWorld(t, githubtest.Params{NoGit: true, Silent: true, Clock: machineClock{}})
				c.change(w)
				began := time.Now()
				text := w.doctor()
				for _, part := range c.want {
					if !strings.Contains(text, part) {
						t.Errorf("it does not say %q: %s", part, text)
					}
				}
				if took := time.Since(began); took > hubWait {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

// TestDoctorTriesAFew: a write waits for the one before it.
func TestDoctorTriesAFew(t *testing.T) {
	t.Parallel()
	lack, words := (&hubCheck{}).mayReview(t.Context(), &api.Access{Pull: 1})
	if lack != nil || !strings.Contains(words, "was not tried") {
		t.Errorf("%v %s", lack, words)
	}
}

// TestDoctorHidesTheToken, whoever says it.
func TestDoctorHidesTheToken(t *testing.T) {
	t.Parallel()
	d := &doctor{}
	d.good("before", "secret")
	d.bad("after", "a secret.", "no secret")
	d.hide(1, "secret")
	if text := d.answer.text(&Printer{}); strings.Count(text, "secret") != 1 || !strings.Contains(text, "a "+hidden+".") {
		t.Error(text)
	}
}

type carrier func(*http.Request) (*http.Response, error)

func (f carrier) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// spend asks for something with the token.
func (w *hubWorld) spend() {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.url+"user", nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + w.token}, "User-Agent": {"test"}}
	resp, err := w.RoundTripper().RoundTrip(r)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = resp.Body.Close()
}
