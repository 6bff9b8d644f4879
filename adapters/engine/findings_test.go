package engine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// said runs findings through the runner's one path.
func said(t *testing.T, change *actors.Change, findings ...events.Finding) (kept []events.Finding, withheld []run.Withheld, end run.CompleteLane) {
	t.Helper()
	in := &session.Input{Change: change, Diff: changetest.Parse(t, change)}
	answer := &session.Answer{Findings: findings, Usage: nothing, Engine: "test/1"}
	commands := complete(t.Context(), actors.LaneJob{}, in, answer)
	for _, cmd := range commands[:len(commands)-1] {
		raised := cmd.(run.RaiseFindings)
		if size(raised) > run.RaiseMaxBytes {
			t.Errorf("findings in %d bytes", size(raised))
		}
		kept, withheld = append(kept, raised.Findings...), append(withheld, raised.Withheld...)
	}
	return kept, withheld, commands[len(commands)-1].(run.CompleteLane)
}

func note(file string, start, end int) events.Finding {
	return events.Finding{Title: "T", Severity: events.SeverityNitpick, Category: "bug", File: file, LineStart: start, LineEnd: end}
}

func placed(t *testing.T) *actors.Change {
	t.Helper()
	long := strings.Repeat("line of a long file\n", 40)
	change := changetest.New(t,
		changetest.Files{"long.txt": long, "same.txt": "a\nb\n", "gone.txt": "x\n", "was.txt": "0\n" + long, "bin": "\x00a"},
		changetest.Files{"long.txt": "new\n" + long, "same.txt": "a\nb\n", "now.txt": "1\n" + long, "bin": "\x00b", "b/x": "1\n", "bad\xff": "1\n", "d/in": "1\n"})
	if err := os.Symlink("/etc/passwd", filepath.Join(change.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	return change
}

// case E08: a file that exists and did not change is for the body, one that does not
// exist is withheld on record.
func TestPlacement(t *testing.T) {
	t.Parallel()
	change := placed(t)
	for name, c := range map[string]struct {
		finding          events.Finding
		file             string
		reason, withheld string // both empty: inline
	}{
		"in a hunk":                {note("long.txt", 1, 3), "long.txt", "", ""},
		"context of a hunk":        {note("long.txt", 4, 4), "long.txt", "", ""},
		"outside the hunks":        {note("long.txt", 20, 20), "long.txt", "line 20 is outside the diff", ""},
		"lines outside":            {note("long.txt", 20, 22), "long.txt", "lines 20 to 22 are outside the diff", ""},
		"begins outside":           {note("now.txt", 1, 2), "now.txt", "", ""},
		"last line":                {note("long.txt", 41, 41), "long.txt", "line 41 is outside the diff", ""},
		"beyond the end":           {note("long.txt", 42, 42), "long.txt", "it names line 42, and the file ends at line 41", ""},
		"begins in the file":       {note("same.txt", 2, 3), "same.txt", "it names lines 2 to 3, and the file ends at line 2; the file is not part of the change", ""},
		"unchanged file":           {note("same.txt", 1, 1), "same.txt", "the file is not part of the change", ""},
		"no file":                  {note("", 3, 4), "", "about the change as a whole", ""},
		"the folder itself":        {note(".", 0, 0), "", "about the change as a whole", ""},
		"file without lines":       {note("long.txt", 0, 0), "long.txt", "about the file as a whole", ""},
		"deleted file":             {note("gone.txt", 1, 1), "gone.txt", "the change deletes the file", ""},
		"former name":              {note("was.txt", 1, 1), "now.txt", "", ""},
		"binary file":              {note("bin", 1, 1), "bin", "the file is binary", ""},
		"nowhere":                  {note("no/such.go", 1, 1), "no/such.go", "", "neither the change nor the tree has the file"},
		"outside the tree":         {note("../a/same.txt", 1, 1), "../a/same.txt", "", reasonUpwards},
		"of the machine":           {note("/etc/passwd", 1, 1), "etc/passwd", "", "neither the change nor the tree has the file"},
		"a link out of the tree":   {note("link", 900, 900), "link", "the file is not part of the change", ""},
		"through a link":           {note("link/x", 1, 1), "link/x", "", "neither the change nor the tree has the file"},
		"spelled with a dot":       {note("./long.txt", 1, 1), "long.txt", "", ""},
		"spelled as a patch does":  {note("b/long.txt", 1, 1), "long.txt", "", ""},
		"a folder that is named b": {note("b/x", 1, 1), "b/x", "", ""},
		"spelled in full":          {note(change.Dir+"/d/in", 1, 1), "d/in", "", ""},
		"shown name":               {note("bad\uFFFD", 1, 1), "bad\uFFFD", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, withheld, _ := said(t, change, c.finding)
			if c.withheld != "" {
				if len(kept) != 0 || len(withheld) != 1 || withheld[0].Reason != c.withheld || withheld[0].Finding.File != c.file {
					t.Errorf("kept %+v, withheld %+v", kept, withheld)
				}
				return
			}
			if len(kept) != 1 || len(withheld) != 0 {
				t.Fatalf("kept %+v, withheld %+v", kept, withheld)
			}
			f := kept[0]
			wantPlacement := events.PlacementInline
			if c.reason != "" {
				wantPlacement = events.PlacementBody
			}
			if f.File != c.file || f.Placement != wantPlacement || f.PlacementReason != c.reason {
				t.Errorf("file %q, placement %q, reason %q", f.File, f.Placement, f.PlacementReason)
			}
			if f.Fingerprint != events.FindingHash(c.file, "bug", "T") {
				t.Error("the fingerprint is not that of the stored words")
			}
		})
	}
}

func TestTextsAreCleanedAndCut(t *testing.T) {
	t.Parallel()
	f := note("", 0, 0)
	f.Title = " two\n lines\x00 " + strings.Repeat("é", 400)
	f.Body = "a\r\nb\x1b[31m\xff" + strings.Repeat("x", events.FindingBodyMax)
	f.Category = ""
	kept, _, _ := said(t, changetest.New(t, nil, changetest.Files{"a": "1\n"}), f)
	got := kept[0]
	if !strings.HasPrefix(got.Title, "two lines\uFFFD é") || !strings.HasSuffix(got.Title, cutMark) || len(got.Title) > events.FindingTitleMax {
		t.Errorf("title %q", got.Title)
	}
	if !strings.HasPrefix(got.Body, "a\nb\uFFFD[31m\uFFFDx") || len(got.Body) != events.FindingBodyMax || !strings.HasSuffix(got.Body, cutMark) {
		t.Errorf("body %q… of %d bytes", got.Body[:20], len(got.Body))
	}
	if got.Category != "general" || !utf8.ValidString(got.Title) {
		t.Errorf("category %q", got.Category)
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	change := placed(t)
	var all []events.Finding
	for i := range 60 {
		f := note([]string{"long.txt", "same.txt", "nowhere", ""}[i%4], i%3, i%3)
		f.Title, f.Body = fmt.Sprintf("T%d", i%7), strings.Repeat("x", i)
		f.Severity = events.AllSeverities()[i%3]
		all = append(all, f)
	}
	kept, withheld, _ := said(t, change, all...)
	for seed := range uint64(5) {
		mixed := append([]events.Finding{}, all...)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		keptAgain, withheldAgain, _ := said(t, change, mixed...)
		if !reflect.DeepEqual(kept, keptAgain) || !reflect.DeepEqual(withheld, withheldAgain) {
			t.Fatalf("seed %d: another order, another answer", seed)
		}
	}
}

func TestSaidTwice(t *testing.T) {
	t.Parallel()
	light, heavy := note("long.txt", 1, 1), note("long.txt", 1, 1)
	heavy.Severity = events.SeverityBlocking
	kept, withheld, _ := said(t, placed(t), light, heavy, note("long.txt", 2, 2))
	if len(kept) != 2 || kept[0].Severity != events.SeverityBlocking || len(withheld) != 1 || withheld[0].Reason != "said twice in one answer" {
		t.Errorf("kept %+v, withheld %+v", kept, withheld)
	}
}

func TestCaps(t *testing.T) {
	t.Parallel()
	var all []events.Finding
	for i := range events.FindingsPerLaneMax + WithheldPerLaneMax + 10 {
		f := note("", 0, 0)
		f.Title, f.Body = fmt.Sprintf("T%04d", i), "body"
		all = append(all, f)
	}
	all[len(all)-1].Severity = events.SeverityBlocking
	kept, withheld, _ := said(t, changetest.New(t, nil, changetest.Files{"a": "1\n"}), all...)
	if len(kept) != events.FindingsPerLaneMax || len(withheld) != WithheldPerLaneMax+1 {
		t.Fatalf("%d kept, %d withheld", len(kept), len(withheld))
	}
	blocking := 0
	for _, f := range kept {
		blocking += f.Severity.Weight() / 3
	}
	last := withheld[WithheldPerLaneMax]
	if blocking != 1 || last.Finding.Title != "10 more withheld findings" || withheld[0].Finding.Body != "" {
		t.Errorf("%d blocking kept, last %+v", blocking, last)
	}
}

func TestPiecesHoldTheirBound(t *testing.T) {
	t.Parallel()
	var all []events.Finding
	for i := range 40 {
		f := note("", 0, 0)
		f.Title = fmt.Sprintf("T%02d", i)
		f.Body = strings.Repeat("<", events.FindingBodyMax) // six bytes of JSON each
		f.Suggestion = strings.Repeat("<", events.FindingSuggestionMax)
		all = append(all, f)
	}
	kept, _, _ := said(t, changetest.New(t, nil, changetest.Files{"a": "1\n"}), all...)
	if len(kept) != len(all) {
		t.Fatalf("%d of %d findings", len(kept), len(all))
	}
	for i, f := range kept {
		if f.Title != all[i].Title || !strings.HasSuffix(f.Body, cutMark) || f.Dedupe != events.DedupeKey(f.File, f.Category, f.Title, f.Body) {
			t.Errorf("finding %d: %q", i, f.Title)
		}
	}
}

func TestNotesAreOnRecord(t *testing.T) {
	t.Parallel()
	got := summary(&session.Answer{Summary: " All good.\x00 ", Notes: []string{"head_sha filled in", "a\nb"}})
	if want := "All good.\uFFFD\n(Put right: head_sha filled in; a b.)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := summary(&session.Answer{Summary: strings.Repeat("x", 9000), Notes: []string{strings.Repeat("y", 9000)}}); len(got) > summaryMax {
		t.Errorf("a summary of %d bytes", len(got))
	}
}

func FuzzComplete(f *testing.F) {
	f.Add("a.txt", "T", "b", 1, 2)
	f.Add("../x", " ", "\xff\x00", -1, 1<<30)
	f.Add("./a\xff.txt", "é", strings.Repeat("<", 40000), 5, 5)
	change := changetest.New(f, changetest.Files{"a.txt": "1\n2\n"}, changetest.Files{"a.txt": "1\n2\n3\n"})
	f.Fuzz(func(t *testing.T, file, title, body string, start, end int) {
		found := events.Finding{Title: title, File: file, Body: body, Suggestion: body, Severity: events.SeverityNitpick, LineStart: max(start, 0), LineEnd: max(start, end, 0)}
		kept, withheld, _ := said(t, change, found)
		if len(kept)+len(withheld) != 1 {
			t.Fatalf("kept %v, withheld %v", kept, withheld)
		}
		raw, err := json.Marshal(kept)
		if err != nil || !utf8.Valid(raw) {
			t.Fatalf("error %v", err)
		}
	})
}
