package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/github/api"
)

// TestOriginsOnHub: an origin is text of others. Only what is plainly on a GitHub is
// taken, and nothing of it that was not held against a pattern.
func TestOriginsOnHub(t *testing.T) {
	t.Parallel()
	secret := "gh" + "p_" + strings.Repeat("s3cr3t", 6)
	for origin, want := range map[string]originOnHub{
		"https://github.com/acme/shop.git":               {"acme/shop", "github.com", ""},
		"https://github.com/acme/shop":                   {"acme/shop", "github.com", ""},
		"https://www.GitHub.com/acme/shop/":              {"acme/shop", "github.com", ""},
		"https://github.com:443/acme/shop":               {"acme/shop", "github.com", ""},
		"https://" + secret + "@github.com/acme/shop":    {"acme/shop", "github.com", ""},
		"https://bob:" + secret + "@github.com/acme/x.y": {"acme/x.y", "github.com", ""},
		"git@github.com:acme/shop.git":                   {"acme/shop", "github.com", ""},
		"github.com:acme_corp/shop":                      {"acme_corp/shop", "github.com", ""},
		"ssh://git@github.com/acme/shop.git":             {"acme/shop", "github.com", ""},
		"ssh://git@ssh.github.com:443/acme/shop.git":     {"acme/shop", "github.com", ""},
		"git://github.com/acme/shop.git":                 {"acme/shop", "github.com", ""},
		"https://github.example.com/acme/shop.git":       {"acme/shop", "github.example.com", "https://github.example.com/api/v3/"},
		"https://ghe.example.com:8443/acme/shop.git":     {"acme/shop", "ghe.example.com", "https://ghe.example.com:8443/api/v3/"},
		"ssh://git@acme-ghe.example.com:2222/acme/shop":  {"acme/shop", "acme-ghe.example.com", "https://acme-ghe.example.com/api/v3/"},
		"git@github.example.com:acme/shop.git":           {"acme/shop", "github.example.com", "https://github.example.com/api/v3/"},
		"https://octo.ghe.com/acme/shop.git":             {"acme/shop", "octo.ghe.com", "https://api.octo.ghe.com/"},
	} {
		got, ok := parseOriginOnHub(origin)
		if !ok || got != want {
			t.Errorf("%s: %+v %v", origin, got, ok)
		}
		if _, err := api.ParseBaseURL(got.api); err != nil {
			t.Errorf("%s: %v", origin, err)
		}
	}
	for _, origin := range []string{
		"", "/srv/git/github.com/acme/shop.git", "../shop", "file:///github.com/acme/shop.git", `C:\github.com\acme\shop`,
		"https://example.org/acme/shop.git", "https://gitlab.com/acme/shop.git", "git@gitlab.com:acme/shop.git",
		"https://github.com.evil.example/acme/shop", "https://evil.github.com.example.org/acme/shop", "https://gist.github.com/acme/0123",
		"https://raw.github.com/acme/shop", "https://github.io/acme/shop", "https://notgithub.example/acme/shop", "https://a.b.ghe.com/acme/shop",
		"https://github.com:8443/acme/shop", "https://github.com@evil.example/acme/shop", "https://github.com\\@evil.example/acme/shop",
		"https://github.com/acme", "https://github.com/acme/shop/tree/main", "https://github.com/acme/..", "https://github.com/../shop", "https://github.com//shop",
		"https://github.com/acme/shop?x=1", "https://github.com/acme/shop#x", "https://github.com/acme/sh%20op", "https://github.com/ac%2Fme/shop",
		"https://github.com/acme/shop\napi_url: https://evil.example/", "git@github.com:acme/shop\n", "https://github.com/acme/\x1b[31mshop",
		"https://github.com/acme/" + secret, "https://github.com/acme/" + strings.Repeat("x", 101), "https://gіthub.com/acme/shop", // the second letter is Cyrillic
		"https://github.example.com\nx/acme/shop", "ext::sh -c x github.com:acme/shop", "git@github.com:/acme/shop/more", "https://[::1]/acme/shop",
		"-oProxyCommand=x@github.com/a:acme/shop", "https://github.%65xample.com:x/acme/shop",
	} {
		if got, ok := parseOriginOnHub(origin); ok {
			t.Errorf("%q: taken as %+v", origin, got)
		}
	}
}

// TestInitOnHubIsAConfiguration: as it is, and with its examples.
func TestInitOnHubIsAConfiguration(t *testing.T) {
	t.Parallel()
	comment := regexp.MustCompile(`(?m)^( *)# ?( *[a-z_]+:.*|  - .*)$`)
	for _, origin := range []string{"https://github.com/acme/shop", "git@github.example.com:1e3/true.git"} {
		hub, ok := parseOriginOnHub(origin)
		if !ok {
			t.Fatal(origin)
		}
		a := InitAnswer{Repository: string(hub.name), Path: "a\nb: \x1b'\"#", Base: "main", GitHub: hub.host, hub: hub}
		written := a.yaml()
		for name, text := range map[string]string{"as it is": written, "with its examples": comment.ReplaceAllString(written, "$1$2")} {
			config, err := DefaultConfig(fakeEnv("HOME", "/home/someone"))
			if err == nil {
				err = ParseConfig(config, "f.yaml", []byte(text))
			}
			if err != nil {
				t.Fatalf("%s %s: %v\n%s", origin, name, err, text)
			}
			apiURL := hub.api
			if apiURL == "" {
				apiURL = GitHubAPIDefault
			}
			r := config.Repositories
			if len(r) != 1 || r[0].RepoName() != hub.name || r[0].Path != "" || config.GitHub.APIURL != apiURL || config.GitHub.TokenEnv != hub.tokenEnv() {
				t.Errorf("%s %s: %+v %+v", origin, name, r, config.GitHub)
			}
			if name != "as it is" && (config.GitHub.TokenFile == "" || !r[0].Approve) {
				t.Errorf("%s: the examples are not there: %s", origin, text)
			}
		}
	}
}
