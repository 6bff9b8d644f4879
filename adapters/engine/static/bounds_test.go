package static

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
)

// Case W20: a symlink that is moved with its target is judged where it is now.
func TestMovedSymlinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var patch strings.Builder
	for _, c := range []struct{ from, to, target string }{
		{"deep/er/out", "out", "../x"}, {"deep/in", "other/in", "../x"}, {"was/out", "still/out", "../../x"}, {"a/abs", "b/abs", "/etc/passwd"}, {"deep/text", "text", "../x\n"},
	} {
		fmt.Fprintf(&patch, "diff --git a/%s b/%s\nsimilarity index 100%%\nrename from %s\nrename to %s\n", c.from, c.to, c.from, c.to)
		name := filepath.Join(dir, filepath.FromSlash(c.to))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(c.target), 0o600); err != nil { // as core.symlinks=false has it
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../y", filepath.Join(dir, "real")); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&patch, "diff --git a/d/real b/real\nsimilarity index 100%%\nrename from d/real\nrename to real\n")
	parsed, err := diff.Parse([]byte(patch.String()))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := New(Options{}).Review(t.Context(), &session.Input{Change: &actors.Change{Dir: dir}, Diff: parsed})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := lines(answer), []string{"symlink-escape out:0-0", "symlink-escape real:0-0"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := severities(answer), []string{"symlink-escape suggestion", "symlink-escape blocking"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAddressesOfSubmodules(t *testing.T) {
	t.Parallel()
	answer := review(t, New(Options{}), changetest.Files{".gitmodules": "x\n"}, changetest.Files{
		".gitmodules": "x\n[submodule \"a\"]\n\tpath = a\n\tURL= https://a.example\n[submodule \"b\"] url = https://b.example\n\turls = no\n",
	})
	if got, want := lines(answer), []string{"submodule-url .gitmodules:4-4", "submodule-url .gitmodules:5-5"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A million findings of one file are some findings and a number.
func TestAMillionFindingsAreCounted(t *testing.T) {
	t.Parallel()
	const n = 300_000 // each line has two
	set := "<<<<<<< a\n=======\n>>>>>>> b\n"
	answer := review(t, New(Options{}), nil, changetest.Files{
		"a.js": strings.Repeat("debugger; \u202e\n", n), "b.txt": strings.Repeat(set, n/3),
	})
	if len(answer.Findings) != 2*PerRuleMax+1 {
		t.Errorf("%d findings", len(answer.Findings))
	}
	counted := map[string]bool{}
	for _, w := range answer.Withheld {
		counted[w.Finding.Rule+" "+w.Finding.Title] = true
	}
	for _, want := range []string{
		fmt.Sprintf("unicode-bidi Bidirectional control character: %d more in the file", n-PerRuleMax),
		fmt.Sprintf("debugger-statement Leftover debugger statement: %d more in the file", n-PerRuleMax),
	} {
		if !counted[want] {
			t.Errorf("%q is not among %v", want, counted)
		}
	}
	if last := answer.Findings[len(answer.Findings)-1]; !strings.Contains(last.Body, fmt.Sprintf("and %d more", n/3-moreListed)) {
		t.Errorf("%s", last.Body)
	}
}

// The order of the files in the patch says nothing.
func TestOrderOfFilesDoesNotMatter(t *testing.T) {
	t.Parallel()
	head := changetest.Files{}
	for i := range 12 {
		head[fmt.Sprintf("d%d/a%d.js", i%3, i)] = fmt.Sprintf("debugger;\nkey = '%s'\nx\u202e = %d;\n", awsKey, i)
	}
	head[".github/workflows/w.yml"] = "on: push\npermissions: write-all\njobs:\n" +
		"  a: {runs-on: ubuntu-latest, steps: [{uses: x/y@v1}]}\n  b: {runs-on: ubuntu-latest, steps: [{uses: x/z@v1}]}\n"
	change := changetest.New(t, nil, head)
	parsed := changetest.Parse(t, change)
	var first *session.Answer
	random := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		answer, err := New(Options{}).Review(t.Context(), &session.Input{Change: change, Diff: parsed})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = answer
		}
		if !reflect.DeepEqual(first, answer) {
			t.Fatalf("first %+v, then %+v", first, answer)
		}
		random.Shuffle(len(parsed.Files), func(i, j int) { parsed.Files[i], parsed.Files[j] = parsed.Files[j], parsed.Files[i] })
	}
}

// BenchmarkThroughput compares what the engine needs for a diff with what it costs
// to touch every line of it, and gitleaks with what it needs for the same text by
// itself: limits of this machine, measured in the same run. (performance.md §4)
func BenchmarkThroughput(b *testing.B) {
	row := "\tresult, err := client.Do(request.WithContext(ctx), %d) // ask again where it fails\n"
	head := changetest.Files{}
	for i := range 160 {
		var text strings.Builder
		for j := range 1000 {
			fmt.Fprintf(&text, row, i*j)
		}
		head[fmt.Sprintf("d%d/f%d.txt", i%10, i)] = text.String()
	}
	change := changetest.New(b, nil, head)
	in := &session.Input{Change: change, Diff: changetest.Parse(b, change)}
	size := float64(len(change.Patch)) / 1e6
	b.Run("floor", func(b *testing.B) {
		n := 0
		for b.Loop() {
			for i := range in.Diff.Files {
				for line := range in.Diff.Files[i].AddedLines() {
					n += len(line.Text)
				}
			}
		}
		b.ReportMetric(size*float64(b.N)/b.Elapsed().Seconds(), "MB/s")
	})
	for name, secrets := range map[string]int{"rules": 0, "rules-and-secrets": TotalBytesMax} {
		b.Run(name, func(b *testing.B) {
			e := New(Options{})
			e.totalMax = secrets
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Review(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(size*float64(b.N)/b.Elapsed().Seconds(), "MB/s")
		})
	}
	b.Run("gitleaks-alone", func(b *testing.B) {
		scan, err := newScan()
		if err != nil {
			b.Fatal(err)
		}
		text := strings.Repeat(head["d0/f0.txt"], 4)
		for b.Loop() {
			scan.find(b.Context(), "", text)
		}
		b.ReportMetric(float64(len(text))/1e6*float64(b.N)/b.Elapsed().Seconds(), "MB/s")
	})
}
