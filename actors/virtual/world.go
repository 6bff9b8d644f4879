package virtual

import (
	"container/heap"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// Epoch is when every world begins.
var Epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// World is all that happens, on one goroutine.
type World struct {
	scenario Scenario
	luck     *rand.Rand // whatever the log depends on
	rules    *shell.Rules
	policy   events.JSON

	now    time.Time     // true time: it only goes on
	skew   time.Duration // of the clock on the wall, which may jump
	agenda agenda
	steps  int
	calm   bool // faults are over

	log     *Log
	decoded []events.Payload // by position
	waiting *waiting         // the deadlines view
	saved   map[events.StreamName]shell.Snapshot
	done    events.Position // the daemon's checkpoint, as it was last stored

	processes []*process
	boots     int
	inboxes   int
	forge     *forge
	sessions  *sessions
	check     *checker
	counts    map[string]int
	typed     map[events.Type]int // events so far
	sessioned map[events.EngineName]int
}

func newWorld(s Scenario, seed uint64) (*World, error) {
	sealed, err := s.Rules.Seal()
	if err != nil {
		return nil, err
	}
	text, err := s.Rules.Text()
	if err != nil {
		return nil, err
	}
	w := &World{
		scenario: s, luck: rand.New(rand.NewPCG(seed, 0x7265766965776374)), rules: sealed, policy: text,
		now: Epoch, log: NewLog(), waiting: newWaiting(), saved: map[events.StreamName]shell.Snapshot{},
		counts: map[string]int{}, typed: map[events.Type]int{}, sessioned: map[events.EngineName]int{},
	}
	w.forge = newForge(w)
	w.sessions = &sessions{world: w, started: map[events.LaneKey]int{}}
	w.check = newChecker(w)
	return w, nil
}

// wall is the time on the clock that processes read.
func (w *World) wall() time.Time { return w.now.Add(w.skew) }

// at puts something on the agenda.
func (w *World) at(after time.Duration, f func()) {
	w.agenda.next++
	heap.Push(&w.agenda, entry{at: w.now.Add(max(0, after)), order: w.agenda.next, do: f})
}

// step does the next thing on the agenda.
func (w *World) step() bool {
	if len(w.agenda.entries) == 0 {
		return false
	}
	e := heap.Pop(&w.agenda).(entry)
	if e.at.After(w.now) {
		w.now = e.at
	}
	w.steps++
	e.do()
	if w.lucky(w.scenario.Faults.Crash) {
		w.crashSome()
	}
	return true
}

// lucky draws with a probability; faults end with the storm.
func (w *World) lucky(probability float64) bool {
	return !w.calm && probability > 0 && w.luck.Float64() < probability
}

func (w *World) between(least, most time.Duration) time.Duration {
	if most <= least {
		return least
	}
	return least + time.Duration(w.luck.Int64N(int64(most-least)))
}

func (w *World) hex(digits int) string {
	b := make([]byte, digits/2)
	for i := range b {
		b[i] = byte(w.luck.Uint32())
	}
	return hex.EncodeToString(b)
}

func (w *World) count(what string) { w.counts[what]++ }

// stored is told of each append that landed.
func (w *World) stored(first events.Position) {
	var last events.Ref
	_ = w.log.ReadAll(context.Background(), first-1, func(e *events.Event) bool {
		p, err := events.Decode(e)
		if err != nil {
			w.check.fail(e.Ref(), "it cannot be read: %v", err)
			p = events.Unknown{Name: e.Type}
		}
		w.decoded = append(w.decoded, p)
		w.waiting.observe(events.Deadlines(e, p))
		w.check.observe(e, p)
		w.cue(e.Type)
		last = e.Ref()
		return true
	})
	w.check.idle(last)
	for _, p := range w.processes {
		if p.alive && p.node != nil {
			p.notice()
		}
	}
}

func (w *World) crashSome() {
	var living []*process
	for _, p := range w.processes {
		if p.alive {
			living = append(living, p)
		}
	}
	if len(living) > 0 {
		w.count("crash")
		living[w.luck.IntN(len(living))].die()
	}
}

func (w *World) daemon() *process {
	for _, p := range w.processes {
		if p.alive && p.daemon {
			return p
		}
	}
	return nil
}

// dead is what Boots.Dead says: a lock that can be taken.
func (w *World) dead(boot events.BootID) bool {
	for _, p := range w.processes {
		if p.boot == boot {
			return !p.alive
		}
	}
	return true
}

func (w *World) boot() events.BootID {
	w.boots++
	return events.BootID(fmt.Sprintf("boot-%04d", w.boots))
}

// kindOf is the kind of a stream's actor, with the snapshots of the scenario.
func (w *World) kindOf(stream events.StreamName) (*shell.Kind, error) {
	kind, err := actors.CheckedKindOf(stream)
	if err != nil || kind.SnapshotEvery == 0 {
		return kind, err
	}
	own := *kind
	own.SnapshotEvery = w.scenario.SnapshotEvery
	return &own, nil
}

// agenda is what happens next, by time and then in the order of its making.
type agenda struct {
	entries []entry
	next    uint64
}

type entry struct {
	at    time.Time
	order uint64
	do    func()
}

func (a *agenda) Len() int { return len(a.entries) }

func (a *agenda) Less(i, j int) bool {
	x, y := &a.entries[i], &a.entries[j]
	return x.at.Before(y.at) || x.at.Equal(y.at) && x.order < y.order
}

func (a *agenda) Swap(i, j int) { a.entries[i], a.entries[j] = a.entries[j], a.entries[i] }

// Push is for container/heap.
func (a *agenda) Push(x any) { a.entries = append(a.entries, x.(entry)) }

// Pop is for container/heap.
func (a *agenda) Pop() any {
	last := a.entries[len(a.entries)-1]
	a.entries = a.entries[:len(a.entries)-1]
	return last
}
