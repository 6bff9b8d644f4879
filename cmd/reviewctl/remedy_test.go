package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

// sentinels are the exported errors of the log's port.
var sentinels = map[string]error{
	"ErrUnknownOutcome": events.ErrUnknownOutcome, "ErrUnavailable": events.ErrUnavailable, "ErrFull": events.ErrFull,
	"ErrReadOnly": events.ErrReadOnly, "ErrDiffers": events.ErrDiffers, "ErrDamaged": events.ErrDamaged,
	"ErrNewer": events.ErrNewer, "ErrTooLarge": events.ErrTooLarge,
}

func TestEverySentinelHasARemedy(t *testing.T) {
	t.Parallel()
	for _, name := range exportedSentinels(t, filepath.Join("..", "..", "events")) {
		err := sentinels[name]
		if err == nil {
			t.Errorf("events.%s is not in this test's list", name)
			continue
		}
		explained := Explain(fmt.Errorf("append to run-1: %w", err))
		if explained.What == "it could not be carried out" || explained.Remedy == "" || exits[explained.Code] == ExitGood {
			t.Errorf("%s has no row in the table", name)
		}
	}
}

func exportedSentinels(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				for _, name := range spec.Names {
					if strings.HasPrefix(name.Name, "Err") {
						names = append(names, name.Name)
					}
				}
			}
			return true
		})
	}
	return names
}

func TestExitCodesOfErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want Exit
	}{
		{nil, ExitGood},
		{ErrAnswerNo, ExitNo},
		{ErrInterrupted, ExitInterrupted},
		{ErrNotDone, ExitUnavailable},
		{NotFound("run", "12"), ExitNotFound},
		{errors.New("anything else"), ExitUnavailable},
		{fmt.Errorf("read: %w", &events.BrokenChainError{At: events.Ref{Stream: "run-1"}}), ExitNo},
		{fmt.Errorf("read: %w", &events.ConflictError{Stream: "run-1"}), ExitUnavailable},
		{&events.Refusal{Reason: "it is closed"}, ExitNo},
	} {
		if got := report(&bytes.Buffer{}, false, c.err); got != c.want {
			t.Errorf("%v: exit %d, want %d", c.err, got, c.want)
		}
	}
	for _, code := range AllCodes() {
		if _, ok := exits[code]; !ok {
			t.Errorf("code %s has no exit code", code)
		}
	}
}

func TestErrorsHaveThreeParts(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	report(&b, false, fmt.Errorf("open \x1b[2J: %w", &fs.PathError{Op: "open", Path: "x", Err: events.ErrFull}))
	want := "reviewctl: no space left for the log\n  open \uFFFD[2J: open x: no space left for the log\n  → free space on its disk, then repeat the call; what was acknowledged is kept\n"
	if b.String() != want {
		t.Errorf("got %q", b.String())
	}
}

func TestErrorSaysNothingTwice(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	report(&b, true, ErrInterrupted)
	if !bytes.Contains(b.Bytes(), []byte(`"message":"interrupted"`)) {
		t.Errorf("got %s", b.Bytes())
	}
}
