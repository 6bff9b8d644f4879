// Package history is the view of what happened to each pull request, in order,
// with the tree of reasons of each verdict.
//
// An entry is one event in words. A chapter is a row of entries: one for each run,
// one for each ChapterEvents events of a pull request's stream, so that no row
// grows with the age of its pull request.
package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Name is the view's.
const Name projections.ViewName = "history"

const version = 2

// The kinds of rows.
const (
	kindPR  projections.Kind = "pr"  // key: stream/serial of the chapter
	kindRun projections.Kind = "run" // key: run
)

// Bounds of a chapter. A run has more entries than fit only where it was refused
// money over and over; then the last of them are counted and left out.
const (
	ChapterEvents = 64
	RunEntriesMax = 256
)

// Entry is one event in words.
type Entry struct {
	Event    events.Ref      `json:"event"`
	Position events.Position `json:"position"`
	Time     time.Time       `json:"time"`
	Type     events.Type     `json:"type"`
	Text     string          `json:"text"`
	Run      events.RunID    `json:"run,omitempty"`
	Head     events.Commit   `json:"head,omitempty"`
	Lane     events.LaneID   `json:"lane,omitempty"`
}

// chapter is a row.
type chapter struct {
	Entries []Entry `json:"entries"`
	LeftOut int     `json:"left_out,omitempty"`
	Verdict *Judged `json:"verdict,omitempty"`
}

// Judged is a verdict with the tree of its reasons.
type Judged struct {
	Verdict events.Verdict `json:"verdict"`
	Outcome events.Outcome `json:"outcome"`
	Why     events.Reason  `json:"why"`
	Event   events.Ref     `json:"event"`
}

// View returns the view.
func View() projections.View {
	return projections.View{Name: Name, Version: version, Apply: apply}
}

func apply(tx *projections.Tx, e *events.Event, p events.Payload) error {
	entry, ok := tell(p)
	if !ok {
		return nil
	}
	entry.Event, entry.Position, entry.Time, entry.Type = e.Ref(), e.Position, e.Time, e.Type
	if e.Stream.Category() == events.CategoryPR {
		key := chapterKey(e.Stream, e.Version)
		return write(tx, kindPR, key, e, entry, nil)
	}
	if e.Stream.Category() == events.CategoryRun {
		entry.Run = events.RunID(e.Stream.Subject())
	}
	var judged *Judged
	if v, ok := p.(*events.VerdictReached); ok {
		judged = &Judged{Verdict: v.Verdict, Outcome: v.Outcome, Why: v.Why, Event: e.Ref()}
	}
	return write(tx, kindRun, string(entry.Run), e, entry, judged)
}

func chapterKey(stream events.StreamName, v events.Version) string {
	return fmt.Sprintf("%s/%08d", stream, int64(v)/ChapterEvents)
}

func write(tx *projections.Tx, kind projections.Kind, key string, e *events.Event, entry Entry, judged *Judged) error {
	c, err := projections.ReadOrNew[chapter](tx, kind, key)
	if err != nil {
		return err
	}
	if len(c.Entries) < RunEntriesMax || e.Type == (events.RunEnded{}).Type() {
		c.Entries = append(c.Entries, entry)
	} else {
		c.LeftOut++
	}
	if judged != nil {
		c.Verdict = judged
	}
	projections.Put(tx, kind, key, projections.Columns{At: e.Time, Sort: key}, c)
	return nil
}

// Of returns what happened to a pull request and its runs, in the order of the
// log.
func Of(ctx context.Context, rows projections.Rows, stream events.StreamName) ([]Entry, error) {
	page, err := projections.List[chapter](ctx, rows, projections.Query{View: Name, Kind: kindPR, Prefix: string(stream) + "/"})
	if err != nil {
		return nil, err
	}
	entries := []Entry{}
	for _, c := range page.Items {
		entries = append(entries, c.Entries...)
	}
	for _, entry := range slices.Clone(entries) {
		if entry.Type != (events.RunRequested{}).Type() {
			continue
		}
		ofRun, err := OfRun(ctx, rows, entry.Run)
		if err != nil {
			return nil, err
		}
		entries = append(entries, ofRun...)
	}
	slices.SortStableFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Position, b.Position) })
	return entries, nil
}

// OfRun returns what happened to a run, in the order of the log.
func OfRun(ctx context.Context, rows projections.Rows, run events.RunID) ([]Entry, error) {
	c, err := projections.Lookup[chapter](ctx, rows, Name, kindRun, string(run))
	if err != nil || c == nil {
		return []Entry{}, err
	}
	if c.LeftOut > 0 {
		last := c.Entries[len(c.Entries)-1]
		last.Text = strconv.Itoa(c.LeftOut) + " more events, which `events` shows"
		c.Entries = slices.Insert(c.Entries, len(c.Entries)-1, last)
	}
	return c.Entries, nil
}

// VerdictOf returns the verdict of a run, or nil where it reached none.
func VerdictOf(ctx context.Context, rows projections.Rows, run events.RunID) (*Judged, error) {
	c, err := projections.Lookup[chapter](ctx, rows, Name, kindRun, string(run))
	if err != nil || c == nil {
		return nil, err
	}
	return c.Verdict, nil
}
