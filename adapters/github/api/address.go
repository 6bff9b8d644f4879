package api

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// BaseURLDefault is the API of github.com.
const BaseURLDefault = "https://api.github.com/"

// ParseBaseURL reads the address of an API and puts its last slash right. Without
// encryption it must be on this machine: a token is sent there.
func ParseBaseURL(text string) (*url.URL, error) {
	if text == "" {
		text = BaseURLDefault
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("the API's URL cannot be read: give it as %s or https://HOST/api/v3/", BaseURLDefault)
	}
	refuse := func(why string) error {
		return fmt.Errorf("the API's URL %s %s: give it as %s or https://HOST/api/v3/", u.Redacted(), why, BaseURLDefault)
	}
	switch {
	case u.Host == "" || u.Hostname() == "":
		return nil, refuse("names no host")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, refuse("is not an https one")
	case u.User != nil:
		return nil, refuse("holds a user: the token has its own place")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, refuse("holds more than a path")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, refuse("would send the token unencrypted")
	case strings.EqualFold(u.Hostname(), "github.com") || strings.EqualFold(u.Hostname(), "www.github.com"):
		return nil, refuse("is the site, not the API")
	}
	u.Host = strings.ToLower(u.Host)
	u.Path = strings.TrimRight(u.Path, "/") + "/"
	u.RawPath = ""
	return u, nil
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Web is where people look and git fetches, by the address of the API: https://github.com
// of api.github.com, else the API's own host.
func Web(root *url.URL) string { return root.Scheme + "://" + strings.TrimPrefix(root.Host, "api.") }

// Host is the host in the names of streams: github.com, or the host of the API.
func (c *Client) Host() string {
	if host := c.root.Hostname(); host != "api.github.com" {
		return host
	}
	return "github.com"
}

// ours reports whether an address is the API's own: the only place that is sent the
// token.
func (c *Client) ours(u *url.URL) bool {
	return u != nil && strings.EqualFold(u.Scheme, c.root.Scheme) && strings.EqualFold(hostPort(u), hostPort(c.root)) && u.User == nil
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[strings.ToLower(u.Scheme)]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// repoPath is the path of a repository. Names come from configurations and from
// GitHub, so what would change the path is refused.
func repoPath(name events.RepoName) (string, bool) {
	owner, repo, ok := strings.Cut(string(name), "/")
	if !ok || !plainName(owner) || !plainName(repo) {
		return "", false
	}
	return "repos/" + owner + "/" + repo, true
}

// repoNameBytesMax is GitHub's bound on a repository's name, and more than its bound
// on an owner's.
const repoNameBytesMax = 100

func plainName(s string) bool {
	if s == "" || s == "." || s == ".." || len(s) > repoNameBytesMax {
		return false
	}
	for _, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.') {
			return false
		}
	}
	return true
}
