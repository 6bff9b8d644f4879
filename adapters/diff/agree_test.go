package diff_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/diff"
)

// scratch is a git repository without anybody's configuration.
type scratch struct {
	t    testing.TB
	dir  string // the repository's own folder
	tree string // the checkout, where there is one
	less int    // lines of context less than adapters/git asks for

	renamed int // files that were compared and had another name before
}

func (s *scratch) git(stdin string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{
		"-c", "safe.directory=*", "-c", "core.autocrlf=false", "-c", "core.attributesFile=" + os.DevNull,
	}, args...)...)
	cmd.Dir, cmd.Stdin = s.dir, strings.NewReader(stdin)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_DIR=" + s.dir,
	}
	if s.tree != "" {
		cmd.Env = append(cmd.Env, "GIT_WORK_TREE="+s.tree)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("git %q: %v: %s", args, err, errs.String())
	}
	return string(out)
}

// compare asks git for the change between two trees, as adapters/git does (case
// D18), in two forms.
func (s *scratch) compare(from, to string) (patch, list string) {
	s.t.Helper()
	options := []string{
		"diff-tree", "-r", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/",
		"--diff-algorithm=myers", "--submodule=short", "--find-renames=50%", "-l200",
	}
	form := func(args ...string) string {
		return s.git("", append(append(options[:len(options):len(options)], args...), from, to, "--")...)
	}
	return form("-p", "-U"+strconv.Itoa(3-s.less)), form("-z", "--raw", "--numstat")
}

// agree holds what the parser reads against git's own list, and the rows against the
// blobs: the hunks applied to the old one give the new one, byte for byte, and back.
func (s *scratch) agree(from, to string) (files int) {
	s.t.Helper()
	patch, list := s.compare(from, to)
	change, err := diff.Parse([]byte(patch))
	if err != nil {
		s.t.Fatalf("%s to %s: %v", from, to, err)
	}
	records := recordsOf(s.t, list)
	if len(records) != len(change.Files) {
		s.t.Fatalf("%s to %s: %d files, git lists %d", from, to, len(change.Files), len(records))
	}
	blobs := s.blobs(records)
	for i := range records {
		f, r := &change.Files[i], &records[i]
		if f.Status == diff.Renamed {
			s.renamed++
		}
		if got := recordOf(f, r); got != *r {
			s.t.Errorf("%s to %s: read %+v, git says %+v", from, to, got, *r)
			continue
		}
		if f.Binary || f.Submodule {
			continue
		}
		was, is := blobs[r.oldID], blobs[r.newID]
		if got, err := apply(f, was, diff.OpRemove); err != nil || got != is {
			s.t.Errorf("%s to %s: %s applied is not the new file: %v", from, to, f.Path(), err)
		}
		if got, err := apply(f, is, diff.OpAdd); err != nil || got != was {
			s.t.Errorf("%s to %s: %s taken back is not the old file: %v", from, to, f.Path(), err)
		}
	}
	return len(records)
}

// record is one file in the words of --raw and --numstat.
type record struct {
	status           byte
	score            int
	oldMode, newMode string
	oldID, newID     string
	old, new         string
	binary           bool
	added, removed   int
}

func recordsOf(t testing.TB, list string) []record {
	t.Helper()
	var all []record
	fields := strings.Split(strings.TrimSuffix(list, "\x00"), "\x00")
	next := func() string {
		if len(fields) == 0 {
			t.Fatal("git's list ends early")
		}
		field := fields[0]
		fields = fields[1:]
		return field
	}
	for len(fields) > 0 && strings.HasPrefix(fields[0], ":") {
		head := strings.Fields(strings.TrimPrefix(next(), ":"))
		r := record{oldMode: head[0], newMode: head[1], oldID: head[2], newID: head[3], status: head[4][0], old: next()}
		if r.new = r.old; len(head[4]) > 1 {
			r.score, _ = strconv.Atoi(head[4][1:])
			r.new = next()
		}
		switch r.status {
		case 'A':
			r.old, r.oldMode = "", ""
		case 'D':
			r.new, r.newMode = "", ""
		}
		all = append(all, r)
	}
	for i := range all {
		r := &all[i]
		counts := strings.SplitN(next(), "\t", 3)
		if counts[2] == "" { // renamed: both names follow
			next()
			next()
		}
		var err, err2 error
		if r.binary = counts[0] == "-"; !r.binary {
			r.added, err = strconv.Atoi(counts[0])
			r.removed, err2 = strconv.Atoi(counts[1])
		}
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// recordOf is what was read, in the same words. Ids are not read, and modes that do
// not change are not printed for a file that was only renamed.
func recordOf(f *diff.File, git *record) record {
	r := record{
		status: byte(f.Status), score: git.score, oldMode: f.OldMode, newMode: f.NewMode, oldID: git.oldID, newID: git.newID,
		old: f.Old, new: f.New, binary: f.Binary, added: f.Added, removed: f.Removed,
	}
	if f.Status == diff.Renamed || f.Status == diff.Copied {
		r.score = f.Similarity
	}
	if f.OldMode == "" && f.NewMode == "" && git.oldMode == git.newMode {
		r.oldMode, r.newMode = git.oldMode, git.newMode
	}
	return r
}

// blobs reads the contents of all ids with one process.
func (s *scratch) blobs(records []record) map[string]string {
	s.t.Helper()
	var ask strings.Builder
	for i := range records {
		r := &records[i]
		for _, id := range []string{r.oldID, r.newID} {
			if strings.Trim(id, "0") != "" && !r.binary && r.oldMode != "160000" && r.newMode != "160000" {
				ask.WriteString(id + "\n")
			}
		}
	}
	blobs := map[string]string{}
	for rest := s.git(ask.String(), "cat-file", "--batch"); rest != ""; {
		head, after, _ := strings.Cut(rest, "\n")
		var id, kind string
		var size int
		if _, err := fmt.Sscan(head, &id, &kind, &size); err != nil || kind != "blob" || len(after) < size+1 {
			s.t.Fatalf("git cat-file: %q: %v", head, err)
		}
		blobs[id], rest = after[:size], after[size+1:]
	}
	return blobs
}

// apply puts the hunks to a text that has the rows of op and lacks the opposite: to
// the old one with OpRemove, and back with OpAdd.
func apply(f *diff.File, text string, op diff.Op) (string, error) {
	var out strings.Builder
	lines := strings.SplitAfter(text, "\n")
	at, made := 0, 0 // lines of the text, and of what comes out
	keep := func(until int) error {
		if until < at || until > len(lines) {
			return fmt.Errorf("a hunk at line %d after line %d of %d", until, at, len(lines))
		}
		out.WriteString(strings.Join(lines[at:until], ""))
		made += until - at
		at = until
		return nil
	}
	for i := range f.Hunks {
		h := &f.Hunks[i]
		side := h.Old
		if op == diff.OpAdd {
			side = h.New
		}
		if f.Status == diff.TypeChanged && side.Count == 0 && side.Start == 0 {
			side.Start = at // the hunk of the other half
		}
		if err := keep(max(side.Start-min(side.Count, 1), 0)); err != nil {
			return "", err
		}
		for row := range h.Rows() {
			is, goes := row.OldLine, row.NewLine
			if op == diff.OpAdd {
				is, goes = goes, is
			}
			line := row.Text + "\n"
			if row.NoNewline {
				line = row.Text
			}
			if is != 0 {
				if is != at+1 || at >= len(lines) || lines[at] != line {
					return "", fmt.Errorf("row %+v is not line %d", row, at+1)
				}
				at++
			}
			if goes != 0 {
				if made++; goes != made {
					return "", fmt.Errorf("row %+v becomes line %d", row, made)
				}
				out.WriteString(line)
			}
		}
	}
	err := keep(len(lines))
	return out.String(), err
}

// Our own history, the newest commits first, as far as the clone has it; and all
// that is there as one change from nothing.
func TestAgreesWithGitOnOurHistory(t *testing.T) {
	t.Parallel()
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(top, ".git")); err != nil {
		t.Skip("not in a checkout: ", err)
	}
	dir, err := exec.Command("git", "-c", "safe.directory=*", "-C", top, "rev-parse", "--absolute-git-dir").Output()
	if err != nil {
		t.Skip("git does not know the checkout: ", err)
	}
	s := &scratch{t: t, dir: strings.TrimSpace(string(dir))}
	count := 300
	if testing.Short() {
		count = 10
	}
	nothing := strings.TrimSpace(s.git("", "hash-object", "-t", "tree", os.DevNull))
	files, steps := s.agree(nothing, "HEAD"), 1
	for line := range strings.Lines(s.git("", "rev-list", "--first-parent", "--parents", "-n", strconv.Itoa(count), "HEAD")) {
		commits := strings.Fields(line)
		if len(commits) > 1 { // the last one of a shallow clone has no parent there
			files += s.agree(commits[1], commits[0])
			steps++
		}
	}
	t.Logf("%d changes, %d files", steps, files)
}
