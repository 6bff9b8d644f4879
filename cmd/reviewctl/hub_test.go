package main

import (
	"log/slog"
	"testing"
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
