package engine

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/events"
)

// printOf is the print of one finding at the lines of a file, or of it as a whole.
func printOf(t *testing.T, base, head changetest.Files, f events.Finding) events.CodePrint {
	t.Helper()
	f.Severity, f.Category, f.Title = events.SeverityNitpick, "bug", "It leaks"
	kept, withheld, _ := said(t, changetest.New(t, base, head), f)
	if len(kept) != 1 || kept[0].Code == "" {
		t.Fatalf("kept %+v, withheld %+v", kept, withheld)
	}
	return kept[0].Code
}

// TestCodePrints: a print stays with the code wherever it goes, and changes with
// it. (market 22)
func TestCodePrints(t *testing.T) {
	t.Parallel()
	at := func(file string, start, end int) events.Finding {
		return events.Finding{File: file, LineStart: start, LineEnd: end}
	}
	old := changetest.Files{"a.go": "0\n", "gone.go": "x\n", "other.go": "1\n"}
	with := func(name, text string) changetest.Files {
		return changetest.Files{name: text, "other.go": "2\n"}
	}
	const text = "package a\n\nfunc A() {\n\topen()\n}\n"
	first := printOf(t, old, with("a.go", text), at("a.go", 4, 4))
	for name, c := range map[string]struct {
		head changetest.Files
		at   events.Finding
		same bool
	}{
		"the same":                   {with("a.go", text), at("a.go", 4, 4), true},
		"another change beside it":   {changetest.Files{"a.go": text, "other.go": "3\n", "more.go": "4\n"}, at("a.go", 4, 4), true},
		"moved lines":                {with("a.go", "package a\n\n// More.\n\nfunc A() {\n\topen()\n}\n"), at("a.go", 6, 6), true},
		"another file":               {with("b/c.go", text), at("b/c.go", 4, 4), true},
		"white space at the ends":    {with("a.go", "package a\n\nfunc A() {\n\n\topen() \t\r\n}\r\n"), at("a.go", 5, 5), true},
		"other text":                 {with("a.go", strings.Replace(text, "open()", "reopen()", 1)), at("a.go", 4, 4), false},
		"indented otherwise":         {with("a.go", strings.Replace(text, "\topen()", "\t\topen()", 1)), at("a.go", 4, 4), false},
		"another line before":        {with("a.go", strings.Replace(text, "A()", "B()", 1)), at("a.go", 4, 4), false},
		"another line after":         {with("a.go", strings.Replace(text, "\n}", "\n\tclose()\n}", 1)), at("a.go", 4, 4), false},
		"one line more":              {with("a.go", text), at("a.go", 4, 5), false},
		"the whole file":             {with("a.go", text), at("a.go", 0, 0), false},
		"the change as a whole":      {with("a.go", text), at("", 0, 0), false},
		"a deleted file":             {with("a.go", text), at("gone.go", 1, 1), false},
		"the last line of its file":  {with("a.go", "package a\n\nfunc A() {\n\topen()"), at("a.go", 4, 4), false},
		"the first line of its file": {with("a.go", "\topen()\n}\n"), at("a.go", 1, 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := printOf(t, old, c.head, c.at); (got == first) != c.same {
				t.Errorf("print %s, first %s; want the same: %t", got, first, c.same)
			}
		})
	}
}

// TestCodePrintsOfFiles: what is about no lines is about the file's text, and what
// is about no file about the change.
func TestCodePrintsOfFiles(t *testing.T) {
	t.Parallel()
	old := changetest.Files{"a.go": "0\n", "gone.go": "x\n"}
	whole := events.Finding{File: "a.go"}
	one := printOf(t, old, changetest.Files{"a.go": "1\n", "gone.go": "x\n"}, whole)
	two := printOf(t, old, changetest.Files{"a.go": "2\n", "gone.go": "x\n"}, whole)
	beside := printOf(t, old, changetest.Files{"a.go": "1\n", "gone.go": "y\n"}, whole)
	if one == two || one != beside {
		t.Errorf("of a file: %s, of another text %s, beside another change %s", one, two, beside)
	}
	change := printOf(t, old, changetest.Files{"a.go": "1\n", "gone.go": "x\n"}, events.Finding{})
	other := printOf(t, old, changetest.Files{"a.go": "1\n", "gone.go": "y\n"}, events.Finding{})
	again := printOf(t, old, changetest.Files{"a.go": "1\n", "gone.go": "x\n"}, events.Finding{})
	if change == other || change != again {
		t.Errorf("of a change: %s, again %s, of another %s", change, again, other)
	}
	gone := printOf(t, old, changetest.Files{"a.go": "1\n"}, events.Finding{File: "gone.go"})
	if later := printOf(t, old, changetest.Files{"a.go": "2\n"}, events.Finding{File: "gone.go"}); gone != later {
		t.Errorf("of a deleted file: %s, later %s", gone, later)
	}
}

// TestCodePrintsHoldNoSecret: a print says whether a secret is another one, and
// with one byte only, so that none can be tried against it.
func TestCodePrintsHoldNoSecret(t *testing.T) {
	t.Parallel()
	luck := rand.New(rand.NewPCG(1, 2))
	token := func() string {
		const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		text := []byte("gh" + "p_")
		for range 36 {
			text = append(text, letters[luck.IntN(len(letters))])
		}
		return string(text)
	}
	prints := map[string]bool{}
	for range 2000 {
		prints[safe(t.Context(), "key := \""+token()+"\"")] = true
	}
	if len(prints) > 256 || len(prints) < 200 {
		t.Errorf("2000 secrets have %d prints", len(prints))
	}
	for text := range prints {
		if strings.Contains(text, "gh"+"p_") {
			t.Fatalf("the print is made of %q", text)
		}
	}
	if long := strings.Repeat("x", redactMax+1); safe(t.Context(), long) == long {
		t.Error("a long text is its own print")
	}
}
