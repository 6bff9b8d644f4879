package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestExamplesOfInitHold: with the comments taken away what init writes is a
// configuration, and one that its own check takes; whatever the names are.
func TestExamplesOfInitHold(t *testing.T) {
	t.Parallel()
	comment := regexp.MustCompile(`(?m)^( *)# ?( *[a-z_]+:.*|  - .*)$`)
	for _, a := range []InitAnswer{
		{},
		{Repository: "acme/shop", Path: ".", Base: "main"},
		{Repository: "local/it's a: #1-0a1b2c", Path: "../a # b", Base: "yes"},
		{Repository: "acme/shop", Path: "."},
	} {
		for _, linter := range lintersKnown {
			if !slices.Contains(kindsLater, linter.kind) {
				a.Linters = append(a.Linters, linter.name)
			}
		}
		written := a.yaml()
		if strings.Contains(a.Repository, " ") {
			written = strings.ReplaceAll(written, "it's a: #1", "x") // a name that validate refuses
		}
		for name, text := range map[string]string{"as it is": written, "with its examples": comment.ReplaceAllString(written, "$1$2")} {
			config, err := DefaultConfig(fakeEnv("HOME", "/home/someone"))
			if err == nil {
				err = ParseConfig(config, "f.yaml", []byte(text))
			}
			if err != nil {
				t.Errorf("%q %s: %v\n%s", a.Repository, name, err, text)
				continue
			}
			if a.Repository != "" && (config.Repositories[0].Base != a.Base && a.Base != "" || config.Repositories[0].Path != a.Path) {
				t.Errorf("%q %s: got %+v", a.Repository, name, config.Repositories[0])
			}
			if name != "as it is" && (len(config.Engines) == 0 || len(config.Pools) == 0) {
				t.Errorf("%q: the examples are not there: %s", a.Repository, text)
			}
		}
	}
}
