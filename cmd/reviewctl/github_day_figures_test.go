package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// dayWait is the line that one head stood in after its debounce: until its last
// engine began, and from the verdict until the review stood on GitHub. What engines
// and preparing take is work and no wait.
type dayWait struct {
	stream events.StreamName
	rank   events.Priority
	engine time.Duration
	post   time.Duration
}

func (w dayWait) total() time.Duration { return w.engine + w.post }

// dayFigures are what is read off the log of a day.
type dayFigures struct {
	mu        sync.Mutex
	count     map[events.Type]int
	waits     []dayWait
	published map[events.StreamName]int // publications that we made, by pull request
	judged    map[events.StreamName]map[events.Commit]bool
	open      map[events.RunID]bool // runs without an end
	held      map[string]bool       // reservations that did not settle
	live      map[events.StreamName]events.Commit
	settled   map[events.StreamName]bool // nothing more is to come for the live head

	labels map[events.StreamName]bool // that are to be set

	began map[events.RunID]*dayRun
	due   map[events.StreamName]time.Time // the debounce's end of the live head
}

// dayRun is a run as far as its times go.
type dayRun struct {
	dayWait

	due, verdict time.Time
	ready        time.Duration // what preparing took
	asked, lane  time.Time
}

func newDayFigures() *dayFigures {
	return &dayFigures{
		count: map[events.Type]int{}, published: map[events.StreamName]int{}, judged: map[events.StreamName]map[events.Commit]bool{},
		open: map[events.RunID]bool{}, held: map[string]bool{}, live: map[events.StreamName]events.Commit{},
		settled: map[events.StreamName]bool{}, labels: map[events.StreamName]bool{}, began: map[events.RunID]*dayRun{}, due: map[events.StreamName]time.Time{},
	}
}

// read takes the next event of the log.
func (f *dayFigures) read(e *events.Event, p events.Payload) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count[e.Type]++
	switch p := p.(type) {
	case *events.HeadQueued:
		f.live[e.Stream], f.due[e.Stream], f.settled[e.Stream] = p.Head, p.NotBefore, false
	case *events.HeadSkipped:
		f.live[e.Stream], f.settled[e.Stream] = p.Head, true
	case *events.HeadClosed:
		f.settled[e.Stream] = true
	case *events.LabelWanted:
		f.labels[e.Stream] = true
	case *events.LabelSynced:
		delete(f.labels, e.Stream)
	case *events.RunRequested:
		f.open[p.Run] = true
		f.began[p.Run] = &dayRun{dayWait: dayWait{stream: e.Stream, rank: p.Priority}, due: f.due[e.Stream]}
	case *events.VerdictAdopted:
		if r := f.began[p.Run]; r != nil {
			r.verdict = e.Time
		}
	case *events.VerdictPublished:
		f.publish(e, p)
	case *events.RunEnded:
		delete(f.open, f.runOf(e))
	default:
		f.readRun(e, p)
	}
}

func (f *dayFigures) runOf(e *events.Event) events.RunID { return events.RunID(e.Stream.Subject()) }

func (f *dayFigures) readRun(e *events.Event, p events.Payload) {
	switch p := p.(type) {
	case *events.WorkspaceRequested:
		f.began[f.runOf(e)].asked = e.Time
	case *events.WorkspaceReady:
		r := f.began[f.runOf(e)]
		r.ready = e.Time.Sub(r.asked)
	case *events.LaneBegan:
		f.began[f.runOf(e)].lane = e.Time
	case *events.BudgetReserved:
		f.held[fmt.Sprint(e.Stream, p.Run, p.Lane, p.Attempt)] = true
	case *events.BudgetSettled:
		delete(f.held, fmt.Sprint(e.Stream, p.Run, p.Lane, p.Attempt))
	}
}

func (f *dayFigures) publish(e *events.Event, p *events.VerdictPublished) {
	f.settled[e.Stream] = true
	f.published[e.Stream]++
	r := f.began[p.Run]
	r.engine, r.post = r.lane.Sub(r.due)-r.ready, e.Time.Sub(r.verdict)
	f.waits = append(f.waits, r.dayWait)
}

// quiet reports whether nothing is on its way.
func (f *dayFigures) quiet() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, settled := range f.settled {
		if !settled {
			return false
		}
	}
	return len(f.open)+len(f.held)+len(f.labels) == 0
}

// Bounds of a wait. (issue 4)
const (
	dayWaitMax    = 10 * time.Minute
	dayWaitTimes  = 3 // the median of its rank
	dayCallsMax   = 12
	dayPerHourMax = 500 // writes; GitHub's secondary limit of what creates content
)

// checkWaits prints and bounds the waits of each rank.
func (f *dayFigures) checkWaits(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	ranks := map[events.Priority][]dayWait{}
	for _, w := range f.waits {
		ranks[w.rank] = append(ranks[w.rank], w)
	}
	for _, rank := range []events.Priority{events.PriorityHigh, events.PriorityNormal} {
		waits := ranks[rank]
		if len(waits) == 0 {
			continue
		}
		slices.SortFunc(waits, func(a, b dayWait) int { return int(a.total() - b.total()) })
		median, last := waits[len(waits)/2].total(), waits[len(waits)-1]
		t.Logf("waits after the debounce, priority %d: %d heads, median %s, 99 %% %s, longest %s (%s for engines, %s to be posted)",
			rank, len(waits), median.Round(time.Millisecond), waits[len(waits)*99/100].total().Round(time.Millisecond),
			last.total().Round(time.Millisecond), last.engine.Round(time.Millisecond), last.post.Round(time.Millisecond))
		if bound := max(dayWaitMax, dayWaitTimes*median); last.total() > bound {
			t.Errorf("%s waited %s, more than %s", last.stream, last.total(), bound)
		}
	}
}

// checkSettled looks for what is not over.
func (f *dayFigures) checkSettled(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for stream, settled := range f.settled {
		if !settled {
			t.Errorf("%s: its head %s was neither reviewed nor skipped", stream, f.live[stream])
		}
	}
	if len(f.open)+len(f.held)+len(f.labels) > 0 {
		t.Errorf("%d runs did not end, %d reservations did not settle, %d labels are not set", len(f.open), len(f.held), len(f.labels))
	}
	for _, name := range []events.Type{"publication.stuck", "publication.failed", "publication.unknown", "repo.unreachable"} {
		if f.count[name] > 0 {
			t.Errorf("%d %s in a day without faults", f.count[name], name)
		}
	}
}

// of is how often an event was.
func (f *dayFigures) of(name events.Type) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[name]
}

// reviews is how many reviews of a pull request were published.
func (f *dayFigures) reviews(stream events.StreamName) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.published[stream]
}

// String names how often each event was.
func (f *dayFigures) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var parts []string
	for name, n := range f.count {
		parts = append(parts, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
