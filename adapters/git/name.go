package git

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// A local repository without a configured name is called after its origin, else
// after its folder and its root commit. (ARCHITECTURE, "Streams")

// rootDigits is how much of the root commit stands in a name.
const rootDigits = 6

// nameNone stands where a folder's name has no usable character.
const nameNone = "repository"

// localOwner stands before the slash where a name has one part only.
const localOwner = "local/"

// Name is the repository's name where the configuration gives none.
func (r *Repo) Name(ctx context.Context) (events.RepoName, error) {
	origin, err := r.Origin(ctx)
	if err != nil {
		return "", err
	}
	if name := OriginName(origin); name != "" {
		return name, nil
	}
	root, err := r.RootCommit(ctx)
	if err != nil {
		return "", err
	}
	folder := safeName(strings.TrimSuffix(filepath.Base(r.home()), ".git"))
	return events.RepoName(localOwner + folder + "-" + string(root[:rootDigits])), nil
}

// Origin is the address that the repository was cloned from, as its configuration
// says; "" = none. It is text of others, and may hold a password.
func (r *Repo) Origin(ctx context.Context) (string, error) {
	out, err := r.run(ctx, "config", "--local", "--get", "remote.origin.url")
	if err != nil && exitCode(err) != 1 { // 1: the key is not set
		return "", fmt.Errorf("read origin: %w", err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// home is the folder that people know the repository by.
func (r *Repo) home() string {
	if r.Bare && filepath.Base(r.GitDir) == ".git" {
		return filepath.Dir(r.GitDir)
	}
	return r.Top
}

// OriginName makes a name of an origin's address, or "" where it holds none:
// "OWNER/REPO" of a server, "local/REPO" of a folder.
func OriginName(address string) events.RepoName {
	path, server := address, false
	switch parsed, err := url.Parse(address); {
	case strings.Contains(address, "://"):
		if err != nil {
			return ""
		}
		path, server = parsed.Path, parsed.Host != ""
	case strings.HasPrefix(address, "/") || strings.HasPrefix(address, "."):
	default: // "user@host:path", as ssh spells it
		if host, rest, ok := strings.Cut(address, ":"); ok && !strings.ContainsAny(host, `/\`) && len(host) > 1 {
			path, server = rest, true
		}
	}
	path = strings.TrimRight(strings.ReplaceAll(path, `\`, "/"), "/")
	path = strings.TrimSuffix(strings.TrimSuffix(path, "/.git"), ".git")
	parts := strings.FieldsFunc(path, func(c rune) bool { return c == '/' })
	if len(parts) == 0 || strings.Trim(parts[len(parts)-1], ".") == "" {
		return ""
	}
	name := safeName(parts[len(parts)-1])
	if server && len(parts) > 1 {
		return events.RepoName(safeName(parts[len(parts)-2]) + "/" + name)
	}
	return events.RepoName(localOwner + name)
}

// safeName keeps what can stand in a stream's name and on a command line.
func safeName(s string) string {
	s = strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '.', c == '_', c == '-':
			return c
		}
		return '-'
	}, s)
	const most = 100
	s = strings.Trim(s, "-.")
	if len(s) > most {
		s = s[:most]
	}
	if s == "" {
		return nameNone
	}
	return s
}

// RootCommit is the oldest first commit of any branch: one that a new orphan
// branch does not change. It walks the whole history.
func (r *Repo) RootCommit(ctx context.Context) (events.Commit, error) {
	out, err := r.call(OutputShort, "rev-list", "--max-parents=0", "--timestamp",
		"--branches", "HEAD", "--").output(ctx)
	if err != nil && exitCode(err) == 128 { // HEAD has no commit yet
		out, err = r.call(OutputShort, "rev-list", "--max-parents=0", "--timestamp", "--branches", "--").output(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("find root commit: %w", err)
	}
	best, bestAge := "", ""
	for line := range strings.Lines(string(out)) {
		age, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !IsCommit(id) {
			continue
		}
		older := len(age) < len(bestAge) || len(age) == len(bestAge) && age < bestAge
		if best == "" || older || age == bestAge && id < best {
			best, bestAge = id, age
		}
	}
	if best == "" {
		return "", fmt.Errorf("find root commit: %w", ErrNoCommit)
	}
	return events.Commit(best), nil
}

// ErrNoCommit is ErrUnknownRef where nothing is committed at all.
var ErrNoCommit = errors.Join(ErrUnknownRef, errors.New("the repository has no commit"))
