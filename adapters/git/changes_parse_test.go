package git

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// listOf is git's answer for n added files.
func listOf(n int) string {
	var raw, counts strings.Builder
	for i := range n {
		fmt.Fprintf(&raw, ":000000 100644 0 1 A\x00%d\x00", i)
		fmt.Fprintf(&counts, "1\t0\t%d\x00", i)
	}
	return raw.String() + counts.String()
}

// The list has a bound, which is met before the counts are read.
func TestListIsBounded(t *testing.T) {
	t.Parallel()
	changes, err := parseChanges(newRecordReader(strings.NewReader(listOf(FilesMax))))
	if err != nil || len(changes) != FilesMax {
		t.Errorf("at the bound: %d files, %v", len(changes), err)
	}
	if _, err := parseChanges(newRecordReader(strings.NewReader(listOf(FilesMax + 1)))); !errors.Is(err, ErrTooManyFiles) {
		t.Errorf("above the bound: error %v, want ErrTooManyFiles", err)
	}
}

// What is not a whole list is an error, never a shorter list.
func TestListIsWhole(t *testing.T) {
	t.Parallel()
	whole := listOf(2)
	if _, err := parseChanges(newRecordReader(strings.NewReader(whole + whole))); err == nil {
		t.Error("two lists are read as one")
	}
	for n := 1; n < len(whole); n++ {
		changes, err := parseChanges(newRecordReader(strings.NewReader(whole[:n])))
		if err == nil {
			t.Errorf("cut after %d bytes: %d files", n, len(changes))
		}
	}
	if _, err := parseChanges(newRecordReader(strings.NewReader(whole[:20]))); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("error %v, want one that is not the end", err)
	}
}
