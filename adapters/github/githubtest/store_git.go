package githubtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/events"
)

// gitStore is a bare repository.
type gitStore struct {
	scratch *gittest.Scratch
	made    int64 // commits, for their dates
	diffs   map[[2]events.Commit][]change
	bases   map[[2]events.Commit]events.Commit
	lists   map[[2]events.Commit][]events.Commit
}

// dateFirst is the date of the first commit, in seconds.
const dateFirst = 1_700_000_000

func newGitStore(s *Server) *gitStore {
	scratch := gittest.New(s.t, "--bare")
	config, err := os.OpenFile(filepath.Join(scratch.Dir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = config.WriteString(settings)
		err = errors.Join(err, config.Close())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return &gitStore{
		scratch: scratch, diffs: map[[2]events.Commit][]change{}, bases: map[[2]events.Commit]events.Commit{},
		lists: map[[2]events.Commit][]events.Commit{},
	}
}

// settings let any commit be fetched, as GitHub does, and nothing be pushed; the
// branches of forks are not shown.
const settings = `[http]
	receivepack = false
[uploadpack]
	allowAnySHA1InWant = true
[gc]
	auto = 0
[transfer]
	hideRefs = refs/namespaces
`

func (g *gitStore) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), "git", args...)
	cmd.Dir, cmd.Env = g.scratch.Dir, g.scratch.Env()
	return cmd
}

// run runs git; it never ends the test, because requests are served on goroutines
// of their own.
func (g *gitStore) run(stdin string, args ...string) (string, error) {
	cmd := g.command(args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out), fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// commit makes one commit in one process, however many files it has.
func (g *gitStore) commit(ref string, parents []events.Commit, files Files) (events.Commit, error) {
	g.made++
	var in strings.Builder
	message := fmt.Sprintf("commit %d", g.made)
	fmt.Fprintf(&in, "commit %s\nmark :1\ncommitter Ada <ada@example.org> %d +0000\ndata %d\n%s\n", ref, dateFirst+g.made, len(message), message)
	for i, p := range parents {
		fmt.Fprintf(&in, "%s %s\n", map[bool]string{true: "from", false: "merge"}[i == 0], p)
	}
	for _, path := range sortedKeys(files) {
		content := files[path]
		if content == Gone {
			fmt.Fprintf(&in, "D %s\n", importPath(path))
			continue
		}
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", importPath(path), len(content), content)
	}
	in.WriteString("\nget-mark :1\ndone\n")
	out, err := g.run(in.String(), "fast-import", "--quiet", "--force", "--done")
	return events.Commit(strings.TrimSpace(out)), err
}

// importPath is a path as fast-import reads it, in C's quotes.
func importPath(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

func (g *gitStore) point(ref string, at events.Commit) error {
	if file := filepath.Join(g.scratch.Dir, ref); strings.HasPrefix(ref, "refs/pull/") { // no program for what every push does
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(at+"\n"), 0o644)
	}
	if at == "" {
		_, err := g.run("", "update-ref", "-d", ref)
		return err
	}
	_, err := g.run("", "update-ref", ref, string(at))
	return err
}

func (g *gitStore) mergeBase(a, b events.Commit) (events.Commit, error) {
	key := [2]events.Commit{a, b}
	if at, known := g.bases[key]; known {
		return at, nil
	}
	out, err := g.run("", "merge-base", string(a), string(b))
	if err != nil && out == "" {
		err = nil // unrelated histories: there is none
	}
	if err == nil {
		g.bases[key] = events.Commit(out)
	}
	return events.Commit(out), err
}

func (g *gitStore) commits(base, head events.Commit) ([]events.Commit, error) {
	key := [2]events.Commit{base, head}
	if kept, known := g.lists[key]; known {
		return kept, nil
	}
	args := []string{"rev-list", string(head)}
	if base != "" {
		args = append(args, "^"+string(base))
	}
	out, err := g.run("", args...)
	var list []events.Commit
	for id := range strings.FieldsSeq(out) {
		list = append(list, events.Commit(id))
	}
	if err == nil {
		g.lists[key] = list
	}
	return list, err
}

func (g *gitStore) content(at events.Commit, path string) (string, bool, error) {
	listed, err := g.run("", "ls-tree", "-z", string(at), "--", path)
	if err != nil || listed == "" {
		return "", false, err
	}
	fields := strings.Fields(listed) // MODE TYPE ID
	cmd := g.command("cat-file", "blob", fields[2])
	out, err := cmd.Output()
	return string(out), err == nil, err
}

// emptyTree is git's name of nothing.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// diff is git's, with its rename detection: one process, kept for the next time.
func (g *gitStore) diff(from, to events.Commit) ([]change, error) {
	if from == "" {
		from = emptyTree
	}
	key := [2]events.Commit{from, to}
	if kept, known := g.diffs[key]; known {
		return kept, nil
	}
	out, err := g.run("", "diff", "--raw", "-p", "-z", "-M", "--no-abbrev", "--no-color", "--no-ext-diff", "--no-textconv", string(from), string(to))
	if err != nil {
		return nil, err
	}
	changes, err := parseGitDiff(out)
	if err == nil {
		g.diffs[key] = changes
	}
	return changes, err
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
