package diff_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/diff"
)

var update = flag.Bool("update", false, "write testdata/diffs/*.want anew")

const diffs = "../../testdata/diffs"

// describe renders what was read: files, hunks and rows, exactly.
func describe(files []diff.File, err error) string {
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	var b strings.Builder
	for i := range files {
		f := &files[i]
		fmt.Fprintf(&b, "%s %q %q modes %q %q +%d -%d", f.Status, f.Old, f.New, f.OldMode, f.NewMode, f.Added, f.Removed)
		for _, flag := range []struct {
			is   bool
			word string
		}{{f.Binary, " binary"}, {f.Submodule, " submodule"}, {f.Truncated, " truncated"}} {
			if flag.is {
				b.WriteString(flag.word)
			}
		}
		b.WriteByte('\n')
		for j := range f.Hunks {
			h := &f.Hunks[j]
			fmt.Fprintf(&b, "@ %d,%d %d,%d %q\n", h.Old.Start, h.Old.Count, h.New.Start, h.New.Count, h.Heading)
			for r := range h.Rows() {
				text := fmt.Sprintf("%q", r.Text)
				if len(r.Text) > 1000 {
					text = fmt.Sprintf("%.10q… %d bytes", r.Text, len(r.Text))
				}
				fmt.Fprintf(&b, "%c %d,%d %s", r.Op, r.OldLine, r.NewLine, text)
				if r.NoNewline {
					b.WriteString(" end")
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// Each patch of testdata/diffs is read as its .want says. The names begin with
// the case of spec/cases.md.
func TestPatches(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join(diffs, "*.diff"))
	if err != nil || len(names) < 50 {
		t.Fatalf("%d patches, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			patch, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var files []diff.File
			change, err := diff.Parse(patch)
			if err == nil {
				files = change.Files
			}
			got, wantFile := describe(files, err), strings.TrimSuffix(name, ".diff")+".want"
			if *update {
				if err := os.WriteFile(wantFile, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(wantFile)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("read as\n%swant\n%s", got, want)
			}
		})
	}
}

// git itself counts the same: "git apply --numstat" reads a patch as we do. It
// refuses some that we read or that nobody should.
func TestPatchesAsGitCountsThem(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob(filepath.Join(diffs, "*.diff"))
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, name := range names {
		patch, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		change, parseErr := diff.Parse(patch)
		cmd := exec.Command("git", "apply", "--numstat", "-z", "-")
		cmd.Dir, cmd.Stdin = t.TempDir(), bytes.NewReader(patch)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull}
		out, gitErr := cmd.Output()
		if gitErr != nil || parseErr != nil || strings.Contains(name, "submodule-log") {
			continue
		}
		counted++
		want := map[string]string{}
		for record := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			var added, removed int
			counts, path, _ := strings.Cut(record, "\t")
			second, path, _ := strings.Cut(path, "\t")
			if _, err := fmt.Sscan(counts, &added); err != nil { // "-": binary
				want[path] = "binary"
				continue
			}
			if _, err := fmt.Sscan(second, &removed); err != nil {
				t.Fatalf("%s: git printed %q", name, record)
			}
			var before [2]int // of the other half of a change of type
			if had, ok := want[path]; ok {
				if _, err := fmt.Sscanf(had, "+%d -%d", &before[0], &before[1]); err != nil {
					t.Fatal(err)
				}
			}
			want[path] = fmt.Sprintf("+%d -%d", added+before[0], removed+before[1])
		}
		for i := range change.Files {
			f := &change.Files[i]
			got := fmt.Sprintf("+%d -%d", f.Added, f.Removed)
			if f.Binary {
				got = "binary"
			}
			if want[f.Path()] != got {
				t.Errorf("%s: %q %s, git says %q", filepath.Base(name), f.Path(), got, want[f.Path()])
			}
		}
	}
	if counted < 40 {
		t.Errorf("git counted only %d of %d patches", counted, len(names))
	}
}
