package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// PRNumberMax bounds a pull request's number on the command line.
const PRNumberMax = 1<<31 - 1

// PRRef is a pull request as people write it.
type PRRef struct {
	Repo   events.RepoName
	Number int
}

// String writes OWNER/REPO#N.
func (r PRRef) String() string { return string(r.Repo) + "#" + strconv.Itoa(r.Number) }

// ParsePR reads OWNER/REPO#N, or OWNER/REPO and N as two words.
func ParsePR(words ...string) (PRRef, error) {
	text := strings.Join(words, "#")
	repo, number, found := strings.Cut(text, "#")
	n, err := strconv.Atoi(number)
	if !found || len(words) > 2 || !isRepoName(repo) || err != nil || n < 1 || n > PRNumberMax || number[0] == '+' {
		return PRRef{}, wrongUsage(fmt.Sprintf("%q is not a pull request", strings.Join(words, " ")), "write OWNER/REPO#N, or OWNER/REPO N")
	}
	return PRRef{Repo: events.RepoName(repo), Number: n}, nil
}

// isRepoName reports whether s is OWNER/REPO, or local/NAME (where NAME may
// hold a slash of its own).
func isRepoName(s string) bool {
	owner, name, found := strings.Cut(s, "/")
	if !found || owner == "" || name == "" || strings.HasSuffix(name, "/") || len(s) > events.StreamNameMax/2 {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' })
}

// PRArg is a pull request on the command line: one word, or two.
type PRArg []string

// Ref reads it. It is good once the verb was validated.
func (a PRArg) Ref() (PRRef, error) { return ParsePR(a...) }

func (a PRArg) check() error {
	_, err := a.Ref()
	return err
}

// SubjectArg is a pull request or a run on the command line.
type SubjectArg []string

// Subject is a pull request, or, where Run is set, the prefix of a run's id.
type Subject struct {
	PR  PRRef
	Run string
}

// Subject reads it. It is good once the verb was validated.
func (a SubjectArg) Subject() (Subject, error) {
	if len(a) == 1 && !strings.ContainsAny(a[0], "/#") {
		return Subject{Run: a[0]}, checkIDPrefix("run", a[0])
	}
	pr, err := ParsePR(a...)
	return Subject{PR: pr}, err
}

func (a SubjectArg) check() error {
	_, err := a.Subject()
	return err
}

// ScopeArg is nothing (everything), a repository or a pull request.
type ScopeArg []string

// Scope is what a pause is about: everything where Repo is "", a repository where
// Number is 0, else a pull request.
type Scope = PRRef

// Scope reads it. It is good once the verb was validated.
func (a ScopeArg) Scope() (Scope, error) {
	switch {
	case len(a) == 0:
		return Scope{}, nil
	case len(a) == 1 && isRepoName(a[0]):
		return Scope{Repo: events.RepoName(a[0])}, nil
	}
	pr, err := ParsePR(a...)
	if err != nil {
		return Scope{}, wrongUsage(fmt.Sprintf("%q is neither a repository nor a pull request", strings.Join(a, " ")),
			"write OWNER/REPO, OWNER/REPO#N, or nothing for everything")
	}
	return pr, nil
}

func (a ScopeArg) check() error {
	_, err := a.Scope()
	return err
}

// checkIDPrefix wants what an id can begin with: hex digits.
func checkIDPrefix(what, s string) error {
	if s == "" || strings.Trim(s, "0123456789abcdef") != "" {
		return wrongUsage(fmt.Sprintf("%q is not the beginning of a %s's id", s, what),
			"copy it from `reviewctl get "+what+"s`, or write OWNER/REPO#N for a pull request")
	}
	return nil
}

func checkLimit(n, least int) error {
	if n < least || n > LimitMax {
		return wrongUsage(fmt.Sprintf("--limit %d is out of bounds", n), fmt.Sprintf("give %d to %d", least, LimitMax))
	}
	return nil
}

// Moment is a time on the command line: RFC 3339, or a duration before now.
type Moment struct {
	at  time.Time
	ago time.Duration
	set bool
}

// IsZero reports whether none was given.
func (m Moment) IsZero() bool { return !m.set }

// Time returns the moment as seen from now; zero where none was given.
func (m Moment) Time(now time.Time) time.Time {
	switch {
	case !m.set:
		return time.Time{}
	case m.at.IsZero():
		return now.Add(-m.ago)
	}
	return m.at
}

// UnmarshalText reads it; kong calls it.
func (m *Moment) UnmarshalText(text []byte) error {
	if at, err := time.Parse(time.RFC3339Nano, string(text)); err == nil {
		*m = Moment{at: at.UTC(), set: true}
		return nil
	}
	ago, err := parseDuration(string(text))
	if err != nil || ago < 0 {
		return wrongUsage(fmt.Sprintf("%q is not a time", text), "write RFC 3339 (2026-11-30T12:00:00Z) or how long ago (30m, 24h, 7d)")
	}
	*m = Moment{ago: ago, set: true}
	return nil
}

// parseDuration is Go's, and whole days such as 7d.
func parseDuration(s string) (time.Duration, error) {
	if days, found := strings.CutSuffix(s, "d"); found {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	return time.ParseDuration(s)
}
