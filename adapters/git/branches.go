package git

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// BranchesMax bounds git's list of branches, in bytes.
const BranchesMax int64 = 64 << 20

// Branch is a local branch and what its tip says of itself.
type Branch struct {
	Name      string // without refs/heads/
	Head      events.Commit
	Author    Person
	Committer Person
	Subject   string
}

const headsPrefix = "refs/heads/"

// branchFields are read for each branch, each ended by NUL; a newline ends the
// branch.
var branchFields = []string{
	"refname", "objectname", "objecttype",
	"authorname", "authoremail", "authordate:unix",
	"committername", "committeremail", "committerdate:unix", "contents:subject",
}

// Branches lists the local branches that match one of the globs (all where there
// is none), by name. It fails as a whole: a list that git could not finish is no
// list.
func (r *Repo) Branches(ctx context.Context, globs ...string) ([]Branch, error) {
	format := "%(" + strings.Join(branchFields, ")%00%(") + ")%00"
	out, err := r.call(BranchesMax, "for-each-ref", "--sort=refname", "--format="+format, headsPrefix).output(ctx)
	if err != nil {
		return nil, fmt.Errorf("list branches: %w", err)
	}
	var branches []Branch
	for rest := string(out); rest != ""; {
		fields := strings.SplitN(rest, "\x00", len(branchFields)+1)
		if len(fields) != len(branchFields)+1 {
			return nil, fmt.Errorf("list branches: unexpected record %.200q", rest)
		}
		rest = strings.TrimPrefix(fields[len(branchFields)], "\n")
		name := strings.TrimPrefix(fields[0], headsPrefix)
		if fields[2] != "commit" || !IsCommit(fields[1]) || !matchesAny(globs, name) {
			continue
		}
		branches = append(branches, Branch{
			Name: name, Head: events.Commit(fields[1]),
			Author:    person(fields[3], fields[4], fields[5]),
			Committer: person(fields[6], fields[7], fields[8]),
			Subject:   shown(fields[9]),
		})
	}
	return branches, nil
}

func person(name, email, seconds string) Person {
	p := Person{Name: shown(name), Email: shown(strings.Trim(email, "<>"))}
	if n, err := strconv.ParseInt(seconds, 10, 64); err == nil {
		p.At = time.Unix(n, 0).UTC()
	}
	return p
}
