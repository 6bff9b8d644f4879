package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Person is an author or committer as the commit names them. Anyone can write
// anything there.
type Person struct {
	Name  string
	Email string
	At    time.Time
}

// Commit is what a commit says of itself.
type Commit struct {
	ID        events.Commit
	Parents   []events.Commit // as written, whether they are here or not
	Author    Person
	Committer Person
	Subject   string // the first line of the message
}

// Commit reads a commit.
func (r *Repo) Commit(ctx context.Context, id events.Commit) (*Commit, error) {
	out, err := r.run(ctx, "cat-file", "commit", string(id))
	if err != nil {
		return nil, fmt.Errorf("read commit %s: %w", id, err)
	}
	return parseCommit(id, string(out)), nil
}

// parseCommit reads the commit's text. It never fails: what is odd stays empty.
func parseCommit(id events.Commit, text string) *Commit {
	c := &Commit{ID: id}
	headers, message, _ := strings.Cut(text, "\n\n")
	for line := range strings.SplitSeq(headers, "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "parent":
			c.Parents = append(c.Parents, events.Commit(value))
		case "author":
			c.Author = parsePerson(value)
		case "committer":
			c.Committer = parsePerson(value)
		}
	}
	c.Subject, _, _ = strings.Cut(strings.TrimLeft(message, "\n"), "\n")
	c.Subject = strings.TrimSpace(shown(c.Subject))
	return c
}

// parsePerson reads "NAME <EMAIL> SECONDS ZONE".
func parsePerson(text string) Person {
	var p Person
	name, rest, _ := strings.Cut(text, "<")
	p.Name = shown(strings.TrimSpace(name))
	at := strings.LastIndexByte(rest, '>')
	if at < 0 {
		return p
	}
	p.Email = shown(rest[:at])
	seconds, _, _ := strings.Cut(strings.TrimSpace(rest[at+1:]), " ")
	if n, err := strconv.ParseInt(seconds, 10, 64); err == nil {
		p.At = time.Unix(n, 0).UTC()
	}
	return p
}

// shown makes a text safe to store: valid UTF-8 on one line.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
