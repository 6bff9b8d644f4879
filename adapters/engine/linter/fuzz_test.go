package linter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fuzz holds a reader to what it owes to any report: it ends, with remarks or with
// an error that says why, and the same report gives the same answer.
func fuzz(f *testing.F, reads format, extensions ...string) {
	f.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		report, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, extension := range extensions {
			if filepath.Ext(path) == extension {
				f.Add(report)
				f.Add(report[:len(report)/2])
			}
		}
	}
	f.Fuzz(func(t *testing.T, report []byte) {
		lines, _, err := readAll(reads, report)
		again, _, errAgain := readAll(reads, report)
		if strings.Join(lines, "\n") != strings.Join(again, "\n") || (err == nil) != (errAgain == nil) {
			t.Errorf("%q and %q, errors %v and %v", lines, again, err, errAgain)
		}
		if err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}

func FuzzSARIF(f *testing.F)      { fuzz(f, sarif{}, ".sarif") }
func FuzzRDJSONL(f *testing.F)    { fuzz(f, rdjsonl{}, ".rdjsonl", ".rdjson") }
func FuzzCheckstyle(f *testing.F) { fuzz(f, checkstyle{}, ".xml") }

func FuzzErrorformat(f *testing.F) {
	var all []string
	for _, name := range []string{"gcc.txt", "make.txt", "multi.txt"} {
		all = append(all, formats[name]...)
	}
	e, err := newErrorformat(append(all, "%+P[%f]%r", "%-Q", "%O(%f)%r", "%+G%m: %k"))
	if err != nil {
		f.Fatal(err)
	}
	fuzz(f, e, ".txt")
}

func FuzzFormats(f *testing.F) {
	for _, set := range formats {
		for _, one := range set {
			f.Add(one, "a.go:1: text")
		}
	}
	f.Add("a%t%#", "a")
	f.Add("%", "")
	f.Add("%*", "%")
	f.Fuzz(func(t *testing.T, one, report string) {
		e, err := newErrorformat([]string{one})
		if err != nil {
			return
		}
		if _, _, err := readAll(e, []byte(report)); err != nil && !strings.Contains(err.Error(), "the report is") {
			t.Error(err)
		}
	})
}
