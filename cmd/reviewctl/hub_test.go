package main

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/api"
	"github.com/reviewctl/reviewctl/events"
)

// The token goes to the configured GitHub alone, wherever an answer says that a
// repository is. (case W16)
func TestHubFetchesFromItselfAlone(t *testing.T) {
	t.Parallel()
	config := &Config{GitHub: defaultGitHub()}
	h, err := openHub(config, HomeOf(t.TempDir()+"/events.db"), func(string) string { return "" }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for clone, want := range map[string]string{
		"":                                "https://github.com/o/r.git",
		"https://github.com/o/new.git":    "https://github.com/o/new.git",
		"https://github.com.evil/o/r.git": "", "http://github.com/o/r.git": "", "file:///etc": "", "https://x@github.com/o/r.git": "",
	} {
		at, err := h.placeOf(namedRepo{now: "o/r", clone: clone})
		if (err == nil) != (want != "") || want != "" && at.From.String() != want {
			t.Errorf("%q: %q %v", clone, at.From, err)
		}
	}
}

// A name that went over to another repository is that one's alone: the other is
// neither fetched nor posted to under it. (case G35)
func TestHubKnowsWhoHasTheName(t *testing.T) {
	t.Parallel()
	config := &Config{GitHub: defaultGitHub(), Repositories: []RepositoryConfig{{Name: "o/r"}}}
	h, err := newHub(config, "", nil, func(string) string { return "" }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h.learn("o/r", api.Repo{ID: 1, FullName: "o/moved"})
	if name, ok := h.nameOf("1"); name != "o/moved" || !ok {
		t.Fatal(name, ok)
	}
	h.learn("o/r", api.Repo{ID: 2, FullName: "o/r"})
	if name, ok := h.nameOf("1"); ok {
		t.Error("another repository is served as", name)
	}
	h.known["1"] = namedRepo{configured: "o/r", now: "o/moved"} // as the record may say it after a start
	for range 20 {
		if got := h.find("o/r"); got.now != "o/r" {
			t.Fatal(got)
		}
	}
}

// What GitHub does not say is no reason to call again later.
func TestHubProblems(t *testing.T) {
	t.Parallel()
	later := time.Unix(1_800_000_000, 0)
	for _, c := range []struct {
		fault  api.Fault
		code   Code
		remedy string
	}{
		{api.Fault{Kind: api.KindTransient}, CodeUnavailable, "call again later"},
		{api.Fault{Kind: api.KindPrimary, RetryAt: later}, CodeUnavailable, "call again after " + events.FormatTime(later)},
		{api.Fault{Kind: api.KindRedirected}, CodeConfig, "github.api_url"},
		{api.Fault{Kind: api.KindValidation}, CodeUsage, "OWNER/REPO#N"},
		{api.Fault{Kind: api.KindUnexpected, Status: 418}, CodeUnavailable, "doctor"},
		{api.Fault{Kind: api.KindGone, Status: 410}, CodeNotFound, "doctor"},
	} {
		var e *CLIError
		if err := hubProblem(&c.fault, PRRef{"o/r", 1}); !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Remedy, c.remedy) {
			t.Errorf("%s: %+v", c.fault.Kind, e)
		}
	}
	h, err := newHub(&Config{GitHub: defaultGitHub()}, "", nil, func(string) string { return "" }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.placeOf(namedRepo{now: "o/r", clone: "file:///etc"})
	var e *CLIError
	if !errors.As(err, &e) || e.Code != CodeConfig || !strings.Contains(e.Remedy, "github.api_url") {
		t.Error(err)
	}
}
