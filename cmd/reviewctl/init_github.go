package main

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// What init takes for a GitHub, and nothing is asked to find out.
const (
	hubWeb = "github.com"
	// hubTenants are enterprises of GitHub's own cloud; the API is at api.HOST.
	hubTenants = ".ghe.com"
	// hubTokenOfServer holds the token of another GitHub than github.com. It has a name
	// of its own, as for gh: whoever can write an origin cannot send the token of
	// github.com to a host of theirs.
	hubTokenOfServer = "GITHUB_ENTERPRISE_TOKEN"
)

var (
	// hubHost is a host's name, without a port.
	hubHost = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$`)
	// hubServer is what people call their GitHub Enterprise Server: github.example.com,
	// acme-ghe.example.com.
	hubServer = regexp.MustCompile(`^([a-z0-9-]+-)?(github|ghe)(-[a-z0-9-]+)?\.[^.]+\.`)
	// hubPath is OWNER/REPO. Owners that an enterprise manages have a "_".
	hubPath = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9_-]{0,99})/([A-Za-z0-9._-]{1,100})$`)
)

// originOnHub is a repository on a GitHub, as the address of its clone tells.
type originOnHub struct {
	name events.RepoName
	host string // where people look: github.com
	api  string // "" = the default
}

// tokenEnv is the variable that holds the token.
func (o originOnHub) tokenEnv() string {
	if o.api == "" {
		return GitHubTokenDefault
	}
	return hubTokenOfServer
}

// parseOriginOnHub reads an origin. It is text of others: what is returned holds
// nothing but names that were held against patterns. ok is false for whatever is not
// plainly on a GitHub.
func parseOriginOnHub(origin string) (o originOnHub, ok bool) {
	host, path, ok := splitOrigin(origin)
	if !ok {
		return o, false
	}
	name, port, _ := strings.Cut(strings.ToLower(host), ":")
	name = strings.TrimPrefix(name, "www.")
	if name == "ssh."+hubWeb { // ssh through the port of https
		name = hubWeb
	}
	parts := hubPath.FindStringSubmatch(strings.TrimSuffix(strings.TrimRight(strings.TrimPrefix(path, "/"), "/"), ".git"))
	if parts == nil || strings.Trim(parts[2], ".") == "" || !hubHost.MatchString(name) || secretWord.MatchString(parts[0]) {
		return o, false
	}
	o = originOnHub{name: events.RepoName(parts[0]), host: name}
	switch {
	case name == hubWeb:
		return o, port == ""
	case strings.Contains("."+name, "."+hubWeb+".") || strings.HasSuffix(name, "."+hubWeb): // it only looks like github.com
		return o, false
	case strings.HasSuffix(name, hubTenants):
		o.api = "https://api." + name + "/"
		return o, port == "" && strings.Count(name, ".") == 2
	case !hubServer.MatchString(name):
		return o, false
	}
	if port != "" {
		name += ":" + port
	}
	o.api = "https://" + name + "/api/v3/"
	return o, true
}

// splitOrigin takes host and path out of an address, and neither a user nor a
// password. The port is kept where it is one of https.
func splitOrigin(origin string) (host, path string, ok bool) {
	if !strings.Contains(origin, "://") { // user@host:path, as ssh spells it
		host, path, ok = strings.Cut(origin, ":")
		host = host[strings.LastIndex(host, "@")+1:]
		return host, path, ok && !strings.ContainsAny(host, `/\`)
	}
	u, err := url.Parse(origin)
	if err != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "" || strings.Contains(u.EscapedPath(), "%") {
		return "", "", false
	}
	switch u.Scheme {
	case "https":
		if u.Port() == "443" {
			return u.Hostname(), u.Path, true
		}
		return u.Host, u.Path, true
	case "ssh", "git+ssh", "git", "http":
		return u.Hostname(), u.Path, true
	}
	return "", "", false
}

// writeOnHub writes the repository as one on GitHub, and beside it, as a comment,
// what would review this folder alone.
func (a *InitAnswer) writeOnHub(b *strings.Builder) {
	name := inYAML(a.Repository)
	b.WriteString("# What \"reviewctl serve\" reviews: each open pull request of a repository on GitHub.\n")
	fmt.Fprintf(b, "repositories:\n  - name: %s\n    engines: [static]\n", name)
	b.WriteString("    # approve: true      # let a clean review approve; without it, it is a comment\n")
	b.WriteString("    # debounce: 30m      # quiet time after a push\n")
	b.WriteString("  # The branches of this folder instead, without GitHub:\n")
	fmt.Fprintf(b, "  # {name: %s, path: %q, branches: [\"**\"], engines: [static]}\n\n", name, a.Path)
	b.WriteString("# The token never stands here. It is a classic one with the scope repo, or a\n")
	b.WriteString("# fine-grained one with contents: read and pull requests: read and write.\n")
	b.WriteString("github:\n")
	if a.hub.api != "" {
		fmt.Fprintf(b, "  api_url: %s\n", inYAML(a.hub.api))
	}
	fmt.Fprintf(b, "  token_env: %s   # the variable that holds it\n", a.hub.tokenEnv())
	b.WriteString("  # token_file: /run/secrets/github   # or a file, which others may not read\n")
	b.WriteString("  # Verdicts are labelled where the repository has all three labels:\n")
	b.WriteString("  # labels: { approved: \"reviewctl:approved\", changes_requested: \"reviewctl:changes-requested\", commented: \"reviewctl:commented\" }\n\n")
}

func (a *InitAnswer) textOnHub() string {
	return fmt.Sprintf("  repository %s on GitHub, at %s; the token is read from %s\n%s  → set %s, then reviewctl doctor and reviewctl serve\n",
		Plain(a.Repository), Plain(a.GitHub), a.hub.tokenEnv(), a.textLinters(), a.hub.tokenEnv())
}
