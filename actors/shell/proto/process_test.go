package proto_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/shell/proto"
	"github.com/reviewctl/reviewctl/events"
)

// over fails unless every run has ended, with its money and its slot given back.
func (o *office) over(runs int) {
	o.t.Helper()
	for _, pair := range [][2]events.Type{
		{"run.requested", "run.ended"}, {"budget.reserved", "budget.settled"}, {"lane.granted", "lane.released"},
	} {
		o.expect(pair[0], runs)
		o.expect(pair[1], runs)
	}
}

func TestAHeadIsJudged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := open(t, newLog())
		var seen []events.Position
		o.process.Stop(t.Context())
		o.begin(func(c *proto.ProcessConfig) {
			c.Watch = func(e *events.Event, _ events.Payload) { seen = append(seen, e.Position) }
		})
		for n := range 3 {
			o.tell(prStream(n), look(n, "a"))
		}
		o.drain()
		o.over(3)
		synctest.Wait()
		if armed := o.clock.armed.Load(); armed != 0 {
			t.Errorf("%d timers are armed while nothing waits", armed)
		}
		o.stop()
		for i, at := range seen {
			if at != events.Position(i+1) {
				t.Fatalf("the tail showed %v", seen)
			}
		}
		if len(seen) == 0 {
			t.Error("the tail showed nothing")
		}
	})
}

// One timer, and only while something is due; none for what waits no more.
func TestTheTimer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := open(t, newLog())
		armed := func(want int64) {
			t.Helper()
			synctest.Wait()
			if got := o.clock.armed.Load(); got != want {
				t.Errorf("%d timers are armed, want %d", got, want)
			}
		}
		time.Sleep(time.Minute)
		armed(0)
		o.tell(prStream(1), waiting(1, "a"))
		time.Sleep(time.Minute)
		o.tell(prStream(2), waiting(2, "a"))
		armed(1)
		o.tell(prStream(1), pr.Close{Reason: "merged"})
		armed(1)
		none := o.clock.rang.Load()
		time.Sleep(time.Hour - 30*time.Second) // past what the first would have waited for
		if got := o.clock.rang.Load(); got != none {
			t.Error("a timer rang for what waits no more")
		}
		o.tell(prStream(2), pr.Close{Reason: "merged"})
		armed(0)
		o.tell(prStream(3), waiting(3, "a"))
		rang := o.clock.rang.Load()
		time.Sleep(time.Hour - time.Second)
		o.expect("run.requested", 0)
		if got := o.clock.rang.Load(); got != rang {
			t.Errorf("%d timers rang before anything was due", got-rang)
		}
		time.Sleep(2 * time.Second)
		o.drain()
		o.over(1)
		armed(0)
		o.tell(prStream(4), waiting(4, "a"))
		armed(1)
		o.stop()
		armed(0)
	})
}

// A delivery that could not be carried out comes again, later and later.
func TestRedelivery(t *testing.T) {
	t.Parallel()
	for _, fault := range []error{events.ErrUnavailable, events.ErrFull, events.ErrUnknownOutcome} {
		t.Run(fault.Error(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := open(t, newLog())
				var tries []time.Duration
				began := time.Now()
				o.log.set(func(l *log) {
					l.append = func(_ context.Context, a events.Append) error {
						if a.Stream != events.FleetStream || len(tries) == 12 {
							return nil
						}
						if at := time.Since(began); len(tries) == 0 || tries[len(tries)-1] != at {
							tries = append(tries, at)
						}
						return fault
					}
				})
				o.tell(prStream(1), look(1, "a"))
				o.drain()
				o.over(1)
				if fault != events.ErrUnknownOutcome { // of which the shell itself tries more
					for i := 1; i < len(tries); i++ {
						if wait, want := tries[i]-tries[i-1], min(proto.RedeliverMin<<(i-1), proto.RedeliverMax); wait != want {
							t.Errorf("try %d came after %v, want %v", i+1, wait, want)
						}
					}
				}
				o.stop()
			})
		})
	}
}

// One actor that cannot be spoken to does not keep the others waiting.
func TestOneDamagedStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		o := open(t, l)
		o.engine = nil
		o.tell(prStream(0), look(0, "a"))
		o.drain()
		var damaged events.StreamName
		for _, e := range l.all(t) {
			if e.Stream.Category() == events.CategoryRun {
				damaged = e.Stream
			}
		}
		o.stop()
		l.set(func(l *log) {
			l.load = func(_ context.Context, stream events.StreamName) error {
				if stream == damaged {
					return events.ErrDamaged
				}
				return nil
			}
		})
		o = open(t, l)
		o.tell(prStream(0), look(0, "b")) // its run cannot be told that it is superseded
		n := proto.BacklogMax/4 + 1       // whose events are more than the tail lets wait
		for i := 1; i <= n; i++ {
			o.tell(prStream(i), look(i, "a"))
			time.Sleep(time.Second)
		}
		if got := l.count(t, "run.ended"); got != n+1 {
			t.Errorf("%d runs have ended beside the damaged one, want %d", got, n+1)
		}
		o.stop()
	})
}

func TestATailThatCannotBeReadFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		l.read = func(e *events.Event) *events.Event { e.Payload = "{"; return e }
		o := open(t, l)
		o.tell(prStream(1), look(1, "a"))
		o.tell(prStream(2), look(2, "a"))
		if err := <-o.process.Failed(); err == nil {
			t.Error("it failed without an error")
		}
		if err := o.process.Drain(t.Context()); err == nil {
			t.Error("a process that failed was drained")
		}
		l.set(func(l *log) { l.read = nil })
		o.stop()
		o.expect("run.admitted", 0)
	})
}

func TestTheTailWaitsForAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := &away{log: newLog()}
		l.left.Store(5)
		o := newSystem(t, l.log, "d1", func(c *proto.Config) { c.Store = l }).begin(nil)
		o.tell(prStream(1), look(1, "a"))
		time.Sleep(5 * proto.TailAgain)
		o.drain()
		o.over(1)
		o.stop()
	})
}

// away cannot be read as a whole for a while.
type away struct {
	*log
	left atomic.Int64
}

func (l *away) ReadAll(ctx context.Context, after events.Position, yield func(*events.Event) bool) error {
	if l.left.Add(-1) >= 0 {
		return events.ErrUnavailable
	}
	return l.log.ReadAll(ctx, after, yield)
}

// A process in a terminal minds what it owns, and leaves the rest to a daemon.
func TestAProcessMindsItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		o := newSystem(t, l, "t1", nil).begin(func(c *proto.ProcessConfig) { c.Daemon, c.Shared = false, true })
		o.tell(prStream(1), look(1, "a")) // any daemon's
		mine := look(2, "a")
		mine.Owner, mine.Manual = "t1", true
		o.tell(prStream(2), mine)
		o.drain()
		o.expect("run.requested", 2)
		o.expect("run.ended", 1)
		o.stop()
		daemon := newSystem(t, l, "d1", nil).begin(func(c *proto.ProcessConfig) { c.After = 0 })
		time.Sleep(time.Minute)
		daemon.over(2)
		daemon.stop()
	})
}

// Drain waits for what it wrote itself, for no effect, and no longer than told.
func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := open(t, newLog())
		o.engine = nil
		o.tell(prStream(1), look(1, "a"))
		o.drain()
		o.expect("lane.began", 1)
		o.log.set(func(l *log) {
			l.append = func(_ context.Context, a events.Append) error {
				if a.Stream.Category() == events.CategoryRun {
					return events.ErrUnavailable
				}
				return nil
			}
		})
		o.tell(prStream(1), pr.Cancel{Reason: "no"})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := o.process.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a delivery on its way: %v", err)
		}
		o.log.set(func(l *log) { l.append = nil })
		o.drain()
		o.expect("lane.stop_requested", 1)
		o.process.Stop(t.Context())
		o.drain() // a process that has stopped has nothing on its way
		o.stop()
	})
}

// A process that died is followed by one that starts from its old checkpoint, or
// from none: nothing is done twice.
func TestNothingIsDoubledAfterACrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		o := open(t, l)
		for n := range 5 {
			o.tell(prStream(n), look(n, "a"))
		}
		o.drain()
		o.over(5)
		o.stop()
		before := l.Len()
		for _, after := range []events.Position{0, before / 2, before} {
			o := newSystem(t, l, events.BootID("d2"), nil).begin(func(c *proto.ProcessConfig) { c.After = after })
			time.Sleep(time.Minute)
			o.drain()
			if n := o.started.Load(); n != 0 {
				t.Errorf("from %d: %d engines were started again", after, n)
			}
			o.stop()
		}
		if got := slices.DeleteFunc(l.all(t)[before:], func(e *events.Event) bool { return e.Stream == events.SealStream }); len(got) > 0 {
			t.Errorf("%d events more: %s %s", len(got), got[0].Ref(), got[0].Type)
		}
	})
}

// After a start everything may be overdue: no more actors than allowed are in
// memory for it.
func TestAllIsOverdueAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const prs = 3 * proto.CarriedMax
		l := newLog()
		o := newSystem(t, l, "d1", nil)
		for n := range prs {
			o.tell(prStream(n), waiting(n, "a"))
		}
		o.stop()
		time.Sleep(2 * time.Hour)
		o = newSystem(t, l, "d1", live(1))
		var mu sync.Mutex
		most := 0
		l.set(func(l *log) {
			l.append = func(_ context.Context, a events.Append) error {
				mu.Lock()
				defer mu.Unlock()
				if most = max(most, o.system.Resident()); a.Stream == events.FleetStream {
					return events.ErrUnavailable
				}
				return nil
			}
		})
		o.begin(nil)
		time.Sleep(time.Second)
		o.expect("run.requested", prs)
		o.stop()
		mu.Lock()
		defer mu.Unlock()
		if most > proto.CarriedMax*11/10 { // some have answered and do not count as idle yet
			t.Errorf("%d actors were in memory at once", most)
		}
	})
}
