package githubtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// memoryStore keeps commits in memory: no program is run, which is what days of
// thousands of pull requests in virtual time need. Its diffs have one hunk a file,
// and it sees no renames.
type memoryStore struct {
	name  string
	made  map[events.Commit]*madeCommit
	count int
}

type madeCommit struct {
	parents []events.Commit
	files   Files
}

func newMemoryStore(name string) *memoryStore {
	return &memoryStore{name: name, made: map[events.Commit]*madeCommit{}}
}

func (m *memoryStore) commit(_ string, parents []events.Commit, files Files) (events.Commit, error) {
	m.count++
	c := &madeCommit{parents: slices.Clone(parents), files: Files{}}
	if len(parents) > 0 {
		parent := m.made[parents[0]]
		if parent == nil {
			return "", fmt.Errorf("commit on %s: no such commit", parents[0])
		}
		c.files = maps.Clone(parent.files)
	}
	for path, content := range files {
		if content == Gone {
			delete(c.files, path)
		} else {
			c.files[path] = content
		}
	}
	id := madeID("commit", fmt.Sprintf("%s %d", m.name, m.count))
	m.made[events.Commit(id)] = c
	return events.Commit(id), nil
}

// madeID is an id that looks like git's.
func madeID(kind, text string) string {
	sum := sha256.Sum256([]byte(kind + " " + text))
	return hex.EncodeToString(sum[:20])
}

func (m *memoryStore) point(string, events.Commit) error { return nil }

// ancestors are a commit and all before it, nearest first.
func (m *memoryStore) ancestors(of events.Commit) []events.Commit {
	seen := map[events.Commit]bool{}
	list, queue := []events.Commit(nil), []events.Commit{of}
	for len(queue) > 0 {
		id := queue[0]
		queue = queue[1:]
		if c := m.made[id]; c != nil && !seen[id] {
			seen[id] = true
			list, queue = append(list, id), append(queue, c.parents...)
		}
	}
	return list
}

func (m *memoryStore) mergeBase(a, b events.Commit) (events.Commit, error) {
	ours := map[events.Commit]bool{}
	for _, id := range m.ancestors(a) {
		ours[id] = true
	}
	for _, id := range m.ancestors(b) {
		if ours[id] {
			return id, nil
		}
	}
	return "", nil
}

func (m *memoryStore) commits(base, head events.Commit) ([]events.Commit, error) {
	below := map[events.Commit]bool{}
	for _, id := range m.ancestors(base) {
		below[id] = true
	}
	var list []events.Commit
	for _, id := range m.ancestors(head) {
		if !below[id] {
			list = append(list, id)
		}
	}
	return list, nil
}

func (m *memoryStore) content(at events.Commit, path string) (string, bool, error) {
	c := m.made[at]
	if c == nil {
		return "", false, fmt.Errorf("content of %s: no such commit", at)
	}
	text, there := c.files[path]
	return text, there, nil
}

func (m *memoryStore) diff(from, to events.Commit) ([]change, error) {
	var was, is Files
	if c := m.made[from]; c != nil {
		was = c.files
	}
	c := m.made[to]
	if c == nil {
		return nil, fmt.Errorf("diff to %s: no such commit", to)
	}
	is = c.files
	all := maps.Clone(is)
	if all == nil {
		all = Files{}
	}
	maps.Copy(all, was)
	var changes []change
	for _, path := range sortedKeys(all) {
		old, had := was[path]
		new, has := is[path]
		if had && has && old == new {
			continue
		}
		ch := change{path: path, status: "modified", blob: madeID("blob", new)}
		switch {
		case !had:
			ch.status = "added"
		case !has:
			ch.status, ch.blob = "removed", madeID("blob", old)
		}
		if !strings.Contains(old+new, "\x00") {
			ch.patch, ch.additions, ch.deletions = onePatch(old, new)
		}
		changes = append(changes, ch)
	}
	return changes, nil
}

// onePatch is the patch between two contents with one hunk: what they have in
// common at both ends is left out but for three lines of context.
func onePatch(old, new string) (patch string, additions, deletions int) {
	const context = 3
	a, aEnded := splitLines(old)
	b, bEnded := splitLines(new)
	first := 0
	for first < len(a) && first < len(b) && a[first] == b[first] && !lastDiffers(a, b, first, aEnded, bEnded) {
		first++
	}
	last := 0
	for last < len(a)-first && last < len(b)-first && a[len(a)-1-last] == b[len(b)-1-last] && (aEnded == bEnded || last > 0) {
		last++
	}
	if aEnded != bEnded {
		last = 0
	}
	var lines []string
	h := hunk{oldStart: max(first-context, 0) + 1, newStart: max(first-context, 0) + 1}
	put := func(sign string, of []string, at int, ended bool) {
		lines = append(lines, sign+of[at])
		if at == len(of)-1 && !ended {
			lines = append(lines, `\ No newline at end of file`)
		}
	}
	for i := max(first-context, 0); i < first; i++ {
		put(" ", a, i, aEnded)
	}
	for i := first; i < len(a)-last; i++ {
		put("-", a, i, aEnded)
		deletions++
	}
	for i := first; i < len(b)-last; i++ {
		put("+", b, i, bEnded)
		additions++
	}
	for i := len(b) - last; i < min(len(b)-last+context, len(b)); i++ {
		put(" ", b, i, bEnded)
	}
	around := first - max(first-context, 0) + min(context, last)
	h.oldRows, h.newRows = around+deletions, around+additions
	if h.oldRows == 0 {
		h.oldStart--
	}
	if h.newRows == 0 {
		h.newStart--
	}
	if len(lines) == 0 {
		return "", 0, 0
	}
	return writeHunk(h, lines), additions, deletions
}

// lastDiffers reports whether line at is the last of one content and differs in
// whether it has an end.
func lastDiffers(a, b []string, at int, aEnded, bEnded bool) bool {
	lastA, lastB := at == len(a)-1, at == len(b)-1
	return lastA && !aEnded != (lastB && !bEnded) || lastB && !bEnded != (lastA && !aEnded)
}
