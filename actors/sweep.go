package actors

import (
	"cmp"
	"container/heap"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// SweepAgain is how long the sweeper waits before it says once more that
// something is overdue, and how often it looks at what is another process's.
const SweepAgain = time.Minute

// Sweep is a command for an actor that has something overdue.
type Sweep struct {
	Stream  events.StreamName
	Command events.Command
}

// due says that something may be overdue, by category. (one sweeper, one table)
var due = map[string]func(about events.StreamName) events.Command{
	events.CategoryPR:      func(events.StreamName) events.Command { return pr.Due{} },
	events.CategoryRun:     func(about events.StreamName) events.Command { return run.Due{PR: about} },
	events.CategoryPool:    func(events.StreamName) events.Command { return pool.Due{} },
	events.CategoryAccount: func(events.StreamName) events.Command { return account.Due{} },
	events.CategoryFleet:   func(events.StreamName) events.Command { return fleet.Due{} },
}

// gone says that a process is dead, by category.
var gone = map[string]func(boot events.BootID, about events.StreamName) events.Command{
	events.CategoryPR: func(boot events.BootID, _ events.StreamName) events.Command { return pr.BootGone{Boot: boot} },
	events.CategoryRun: func(boot events.BootID, about events.StreamName) events.Command {
		return run.BootGone{Boot: boot, PR: about}
	},
}

// Sweeper knows everything that waits, and until when. Its entries come from
// events.Deadlines alone: at a start from the deadlines view, then from the log.
type Sweeper struct {
	entries map[sweepKey]*sweepEntry
	heap    sweepHeap
	owners  map[events.BootID]int // entries by owner
}

type sweepKey struct {
	stream events.StreamName
	key    string
}

type sweepEntry struct {
	events.Deadline
	wake  time.Time // of the next look
	index int       // in the heap
}

// NewSweeper returns a sweeper that knows nothing yet.
func NewSweeper() *Sweeper {
	return &Sweeper{entries: map[sweepKey]*sweepEntry{}, owners: map[events.BootID]int{}}
}

// Observe takes what an event sets and clears.
func (s *Sweeper) Observe(deadlines []events.Deadline) {
	for _, d := range deadlines {
		d.Owner = unique.Make(d.Owner).Value() // no part of an event's row, which would be kept
		key := sweepKey{d.Stream, d.Key}
		e := s.entries[key]
		switch {
		case d.At.IsZero():
			if e != nil {
				heap.Remove(&s.heap, e.index)
				delete(s.entries, key)
				s.own(e.Owner, -1)
			}
		case e != nil:
			s.own(e.Owner, -1)
			s.own(d.Owner, +1)
			e.Deadline, e.wake = d, d.At
			heap.Fix(&s.heap, e.index)
		default:
			e = &sweepEntry{Deadline: d, wake: d.At}
			s.entries[key] = e
			heap.Push(&s.heap, e)
			s.own(d.Owner, +1)
		}
	}
}

func (s *Sweeper) own(owner events.BootID, n int) {
	if s.owners[owner] += n; s.owners[owner] == 0 {
		delete(s.owners, owner)
	}
}

// Wake returns when something is due next, and whether anything is.
func (s *Sweeper) Wake() (time.Time, bool) {
	if len(s.heap) == 0 {
		return time.Time{}, false
	}
	return s.heap[0].wake, true
}

// Entries lists everything that waits, by name. It is for tests and invariants.
func (s *Sweeper) Entries() []events.Deadline {
	all := make([]events.Deadline, 0, len(s.heap))
	for _, e := range s.heap {
		all = append(all, e.Deadline)
	}
	slices.SortFunc(all, byName)
	return all
}

func byName(a, b events.Deadline) int {
	return cmp.Or(cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Key, b.Key))
}

// Due returns a command for each actor that has something overdue and is minded
// here. What the command does not settle comes again after SweepAgain.
func (s *Sweeper) Due(now time.Time, minds func(events.Deadline) bool) []Sweep {
	var out []Sweep
	told := map[events.StreamName]bool{}
	for len(s.heap) > 0 && !s.heap[0].wake.After(now) {
		e := s.heap[0]
		e.wake = now.Add(SweepAgain)
		heap.Fix(&s.heap, 0)
		if command := due[e.Stream.Category()]; command != nil && minds(e.Deadline) && !told[e.Stream] {
			told[e.Stream] = true
			out = append(out, Sweep{e.Stream, command(e.About.Stream)})
		}
	}
	return out
}

// Others returns the boots that own something that waits, other than ours and
// the daemon in general, in order.
func (s *Sweeper) Others(ours events.BootID) []events.BootID {
	var boots []events.BootID
	for o := range s.owners {
		if o != "" && o != ours && o != events.OwnerAny {
			boots = append(boots, o)
		}
	}
	slices.Sort(boots)
	return boots
}

// Gone returns what to tell the actors whose things a dead boot owned, and the
// runs whose events are to be delivered again before that.
func (s *Sweeper) Gone(boot events.BootID) (runs []events.RunID, out []Sweep) {
	told := map[events.StreamName]bool{}
	named := map[events.RunID]bool{}
	var owned []events.Deadline
	for _, e := range s.heap {
		if e.Owner == boot {
			owned = append(owned, e.Deadline)
		}
	}
	slices.SortFunc(owned, byName)
	for _, e := range owned {
		if id := runNamed(e); id != "" && !named[id] {
			named[id] = true
			runs = append(runs, id)
		}
		if command := gone[e.Stream.Category()]; command != nil && !told[e.Stream] {
			told[e.Stream] = true
			out = append(out, Sweep{e.Stream, command(boot, e.About.Stream)})
		}
	}
	return runs, out
}

// runNamed says which run a deadline is about, or "".
func runNamed(d events.Deadline) events.RunID {
	if d.Stream.Category() == events.CategoryRun {
		return events.RunID(d.Stream.Subject())
	}
	for _, prefix := range []string{events.DeadlineJudged, events.DeadlineAdmission} {
		if id, ok := strings.CutPrefix(d.Key, prefix); ok {
			return events.RunID(id)
		}
	}
	return ""
}

// sweepHeap orders by wake, then by name, so that one log gives one order.
type sweepHeap []*sweepEntry

func (h sweepHeap) Len() int { return len(h) }

func (h sweepHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	if !a.wake.Equal(b.wake) {
		return a.wake.Before(b.wake)
	}
	return byName(a.Deadline, b.Deadline) < 0
}

func (h sweepHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push is for container/heap.
func (h *sweepHeap) Push(x any) {
	e := x.(*sweepEntry)
	e.index = len(*h)
	*h = append(*h, e)
}

// Pop is for container/heap.
func (h *sweepHeap) Pop() any {
	old := *h
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return e
}
