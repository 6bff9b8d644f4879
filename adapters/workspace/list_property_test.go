package workspace_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/git/gittest"
	"github.com/reviewctl/reviewctl/events"
)

// treeNames are of files that a tree may hold, some of which are folders of others.
var treeNames = []string{
	"a", "a/b", "a\tb", "a\nb", `a"b`, `a\b`, "\xff", "caf\xe9/x", "x y", "vendor/v.go", "go.sum", "b.pb.go", "main.go",
	"d/e/f", "d/e", "d", "-x", "gr\u00fcn",
}

// drawEntry draws a file: a text of few kinds, so that files are renamed and copied, a
// binary, a program, a link, a submodule.
func drawEntry(r *rand.Rand, blobs []string, path string) gittest.Entry {
	e := gittest.Entry{Mode: "100644", Type: "blob", ID: blobs[r.IntN(len(blobs))], Path: path}
	switch r.IntN(8) {
	case 0:
		e.Mode = "100755"
	case 1:
		e.Mode = "120000"
	case 2:
		e = gittest.Entry{Mode: "160000", Type: "commit", ID: strings.Repeat(fmt.Sprint(r.IntN(10)), 40), Path: path}
	}
	return e
}

// drawTree draws a tree in which no file is a folder of another.
func drawTree(s *gittest.Scratch, r *rand.Rand, blobs []string) string {
	var entries []gittest.Entry
	taken := map[string]bool{}
	for _, i := range r.Perm(len(treeNames)) {
		name := treeNames[i]
		clash := slices.ContainsFunc(treeNames, func(other string) bool {
			return taken[other] && (strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/"))
		})
		if !clash && r.IntN(2) == 0 {
			taken[name] = true
			entries = append(entries, drawEntry(r, blobs, name))
		}
	}
	return s.DeepTree(entries...)
}

// The list of a change is git's own: each file once, with its status, whatever
// changes into what. (cases D09, D12, D13, D14, W23)
func TestListIsGits(t *testing.T) {
	t.Parallel()
	const rounds = 12
	r := rand.New(rand.NewPCG(7, 11))
	d := setup(t, nil)
	long := strings.Repeat("a line of some length\n", 30)
	blobs := []string{d.s.Blob(""), d.s.Blob("x\n"), d.s.Blob("x"), d.s.Blob("a\x00b"), d.s.Blob(long), d.s.Blob(long + "more\n")}
	before := d.s.CommitTree(drawTree(d.s, r, blobs))
	for n := range rounds {
		after := d.s.CommitTree(drawTree(d.s, r, blobs), before)
		job := d.job(after, before)
		job.Run = events.RunID(fmt.Sprintf("%016x", n))
		cmd := d.answered(job)
		note, ok := cmd.(run.NoteWorkspace)
		if !ok {
			t.Fatalf("answer %T %+v", cmd, cmd)
		}
		var got []string
		for _, f := range note.Ready.Files {
			got = append(got, f.Status+" "+diff.ExactPath(f.Path, f.PathBase64))
		}
		var want []string
		fields := strings.Split(strings.TrimSuffix(d.s.Git("diff-tree", "-r", "-M50%", "-l1000", "--name-status", "-z", before, after), "\x00"), "\x00")
		for i := 0; i+1 < len(fields); i += 2 {
			status := fields[i][:1]
			if status == "R" { // the old name comes first
				i++
			}
			want = append(want, status+" "+fields[i+1])
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("round %d:\n%q\ngit says\n%q", n, got, want)
		}
		d.Release(job.Run)
		before = after
	}
}
