package main

import (
	"testing"

	"github.com/reviewctl/reviewctl/adapters/git"
)

// A run that ended before it began has recorded neither its pull request nor its
// base: the report names them all the same, and keeps what the run did record.
func TestReportOfRunThatNeverBegan(t *testing.T) {
	t.Parallel()
	c := localChange{name: "local/demo", number: 7, base: git.Base{Commit: "b1", MergeBase: "m1", Note: "the note"}}
	var never ReviewReport
	c.complete(&never)
	if never.Repo != "local/demo" || never.Number != 7 || never.Base != "b1" || never.MergeBase != "m1" || never.BaseNote != "the note" {
		t.Errorf("never begun: %+v", never)
	}
	ran := ReviewReport{Repo: "local/other", Number: 2, Base: "b2", MergeBase: "m2"}
	c.complete(&ran)
	if ran.Repo != "local/other" || ran.Number != 2 || ran.Base != "b2" || ran.MergeBase != "m2" {
		t.Errorf("begun: %+v", ran)
	}
}
