package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// A pull request that is asked for by name is recorded just as a daemon records it:
// what people call their things is bounded and harmless, and what git cannot be
// asked for is refused.
func TestHostilePullsByName(t *testing.T) {
	t.Parallel()
	commit := strings.Repeat("a", 40)
	for name, c := range map[string]struct{ title, login, base, wrong string }{
		"texts":          {title: "a\nb\x1b[31m" + strings.Repeat("x", 5000), login: "@t\n<!--\x1b", base: "main"},
		"option":         {base: "--upload-pack=x", wrong: "base branch"},
		"lines":          {base: "a\nb\x1b", wrong: "base branch"},
		"long":           {base: strings.Repeat("b", 1<<20), wrong: "base branch"},
		"no base branch": {wrong: "base branch"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				repo := map[string]any{"id": 7, "full_name": "o/r"}
				answer := any(repo)
				if strings.Contains(r.URL.Path, "/pulls/") {
					answer = map[string]any{
						"number": 1, "state": "open", "title": c.title, "user": map[string]any{"id": 9, "login": c.login},
						"head": map[string]any{"sha": commit}, "base": map[string]any{"sha": commit, "ref": c.base, "repo": repo},
					}
				}
				_ = json.NewEncoder(w).Encode(answer) // the client's error says it
			}))
			defer s.Close()
			config := defaults(t)
			config.GitHub.APIURL, config.Store = s.URL+"/", "sqlite:"+filepath.Join(t.TempDir(), "events.db")
			app := &App{Context: t.Context(), Stderr: io.Discard, Env: fakeEnv("GITHUB_TOKEN", "x")}
			change, err := (&ReviewCmd{}).hubChange(app, config, PRRef{"o/r", 1})
			if c.wrong != "" {
				var e *CLIError
				if !errors.As(err, &e) || !strings.Contains(e.Subject, c.wrong) || len(e.Subject) > 500 {
					t.Fatal(err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(change.title(), change.commit.Author.Name); len(got) > 400 || strings.ContainsAny(got, "\n\x1b") {
				t.Errorf("%q", got)
			}
		})
	}
}

// What can be meant as a pull request alone is said to be none, and not taken for a
// folder that is not there.
func TestNumbersThatNoPullRequestHas(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"octo/town#0", "octo/town#-1", "octo/town#99999999999"} {
		if _, ok, err := (&ReviewCmd{Path: path}).onHub(&Config{}); ok || err == nil {
			t.Errorf("%s: %v, %v", path, ok, err)
		}
	}
}
