package githubtest

import (
	"fmt"
	"strings"
)

// statusOf is GitHub's word for git's letter.
var statusOf = map[byte]string{'A': "added", 'D': "removed", 'M': "modified", 'R': "renamed", 'C': "copied", 'T': "changed"}

// parseGitDiff reads what "git diff --raw -p -z" prints: entries that end with NUL,
// one NUL, and the patch, whose files are in the same order. It is written apart
// from adapters/diff, so that the two cannot be wrong in the same way.
func parseGitDiff(out string) ([]change, error) {
	var changes []change
	rest := out
	for strings.HasPrefix(rest, ":") {
		header, after, ok := strings.Cut(rest, "\x00")
		fields := strings.Fields(header) // two modes, two ids, the status
		if !ok || len(fields) != 5 {
			return nil, fmt.Errorf("git diff --raw printed %q", header)
		}
		c := change{status: statusOf[fields[4][0]], blob: fields[3]}
		c.path, after, _ = strings.Cut(after, "\x00")
		if fields[4][0] == 'R' || fields[4][0] == 'C' {
			c.previous = c.path
			c.path, after, _ = strings.Cut(after, "\x00")
		}
		if c.status == "removed" {
			c.blob = fields[2]
		}
		changes, rest = append(changes, c), after
	}
	sections := splitPatch(strings.TrimPrefix(rest, "\x00"))
	at := 0
	for i := range changes {
		n := 1
		if changes[i].status == "changed" {
			n = 2 // another type of file: taken away and added
		}
		for range n {
			if at == len(sections) {
				return nil, fmt.Errorf("git's patch has %d files, its list %d", len(sections), len(changes))
			}
			if n == 1 {
				changes[i].take(sections[at])
			}
			at++
		}
	}
	return changes, nil
}

// splitPatch cuts a patch into its files. Lines of hunks are counted, so that a
// line of a file that looks like a header is none.
func splitPatch(patch string) [][]string {
	var sections [][]string
	var old, new int // rows that the hunk still has
	for line := range strings.SplitSeq(strings.TrimSuffix(patch, "\n"), "\n") {
		switch {
		case old > 0 || new > 0:
			switch {
			case strings.HasPrefix(line, "-"):
				old--
			case strings.HasPrefix(line, "+"):
				new--
			case strings.HasPrefix(line, "\\"):
			default:
				old, new = old-1, new-1
			}
		case strings.HasPrefix(line, "diff --git "):
			sections = append(sections, nil)
		case strings.HasPrefix(line, "@@ "):
			h := parseHunk(line)
			old, new = h.oldRows, h.newRows
		}
		if len(sections) > 0 {
			sections[len(sections)-1] = append(sections[len(sections)-1], line)
		}
	}
	return sections
}

// take reads the hunks of one file's section.
func (c *change) take(section []string) {
	for i, line := range section {
		if !strings.HasPrefix(line, "@@ ") {
			continue
		}
		c.patch = strings.Join(section[i:], "\n")
		for _, r := range parsePatch(c.patch) {
			switch r.kind {
			case '+':
				c.additions++
			case '-':
				c.deletions++
			}
		}
		return
	}
}
