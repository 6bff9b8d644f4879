package proto_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/actors/shell/proto"
	"github.com/reviewctl/reviewctl/events"
)

// marks are positions in memory.
type marks struct {
	mu    sync.Mutex
	at    map[string]events.Position
	saves map[string][]time.Time
	err   error
}

func newMarks() *marks {
	return &marks{at: map[string]events.Position{}, saves: map[string][]time.Time{}}
}

func (m *marks) LoadMark(_ context.Context, name string) (events.Position, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at[name], nil
}

func (m *marks) SaveMark(_ context.Context, name string, p events.Position) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.saves[name] = append(m.saves[name], time.Now())
	if m.err != nil {
		return m.err
	}
	m.at[name] = p
	return nil
}

// set lets the marks fail from now on, or no more.
func (m *marks) set(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// of returns a mark, and when it was stored.
func (m *marks) of(name string) (events.Position, []time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at[name], slices.Clone(m.saves[name])
}

// boots are dead from the moment on that somebody says so.
type boots struct{ dead atomic.Pointer[events.BootID] }

func (b *boots) Dead(boot events.BootID) bool {
	dead := b.dead.Load()
	return dead != nil && *dead == boot
}

func TestTheCheckpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMarks()
		o := newSystem(t, newLog(), "d1", nil).begin(func(c *proto.ProcessConfig) { c.Marks = m })
		for n := range 50 {
			o.tell(prStream(n), look(n, "a"))
			time.Sleep(100 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		at, saves := m.of(proto.MarkRouter)
		for i := 1; i < len(saves); i++ {
			if saves[i].Sub(saves[i-1]) < proto.MarkEvery {
				t.Errorf("the checkpoint was stored after %v", saves[i].Sub(saves[i-1]))
			}
		}
		if len(saves) < 4 || len(saves) > 8 || at != o.log.Len() {
			t.Errorf("the checkpoint was stored %d times and is %d of %d", len(saves), at, o.log.Len())
		}
		m.set(events.ErrUnavailable)
		o.tell(prStream(60), look(60, "a"))
		time.Sleep(10 * proto.MarkEvery)
		if _, more := m.of(proto.MarkRouter); len(more)-len(saves) < 5 {
			t.Errorf("a checkpoint that is not stored was tried %d times", len(more)-len(saves))
		}
		m.set(nil)
		o.tell(prStream(61), look(61, "a"))
		o.drain()
		end := o.log.Len()
		o.stop() // which writes a seal behind it
		if m.at[proto.MarkRouter] != end || m.at[proto.MarkSeal] != end {
			t.Errorf("at the end the marks are %v of %d", m.at, end)
		}
	})
}

func TestOnlyADaemonKeepsACheckpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMarks()
		o := newSystem(t, newLog(), "t1", nil).begin(func(c *proto.ProcessConfig) { c.Daemon, c.Marks = false, m })
		o.tell(prStream(1), look(1, "a"))
		time.Sleep(time.Minute)
		end := o.log.Len()
		o.stop()
		if _, kept := m.at[proto.MarkRouter]; kept || m.at[proto.MarkSeal] != end {
			t.Errorf("the marks are %v of %d", m.at, end)
		}
		again := newSystem(t, o.log, "t2", nil).begin(func(c *proto.ProcessConfig) { c.Daemon, c.Marks = false, m })
		again.stop()
		if o.log.count(t, "log.sealed") != 1 {
			t.Error("a log without news was sealed")
		}
	})
}

// sealedHeads fails unless the seals together cover every stream's newest event.
func sealedHeads(t *testing.T, l *log) {
	t.Helper()
	heads, covered := map[events.StreamName]events.Version{}, map[events.StreamName]events.Version{}
	for _, e := range l.all(t) {
		if e.Stream != events.SealStream {
			heads[e.Stream] = e.Version
			continue
		}
		p, err := events.Decode(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range p.(*events.LogSealed).Heads {
			covered[h.Stream] = max(covered[h.Stream], h.Version)
		}
	}
	for stream, v := range heads {
		if got, ok := covered[stream]; !ok || got != v {
			t.Errorf("%s@%d is not sealed", stream, v)
		}
	}
}

func TestSeals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMarks()
		o := newSystem(t, newLog(), "d1", nil).begin(func(c *proto.ProcessConfig) { c.Marks = m })
		for n := 0; o.log.Len() < 2*events.SealEvery+100; n++ {
			o.tell(prStream(n), waiting(n, "a"))
			synctest.Wait()
		}
		o.drain()
		o.expect("log.sealed", 2)
		o.stop()
		o.expect("log.sealed", 3)
		sealedHeads(t, o.log)
	})
}

func TestTwoSealAtOnce(t *testing.T) {
	t.Parallel()
	l := newLog()
	m := newMarks()
	var offices [4]*office
	for i := range offices {
		offices[i] = newSystem(t, l, events.BootID(fmt.Sprintf("t%d", i)), nil).
			begin(func(c *proto.ProcessConfig) { c.Daemon, c.Marks = false, m })
		for n := range 5 {
			offices[i].tell(prStream(10*i+n), waiting(n, "a"))
		}
	}
	var stops sync.WaitGroup
	for _, o := range offices {
		stops.Go(o.stop)
	}
	stops.Wait()
	if n := l.count(t, "log.sealed"); n < 1 || n > len(offices) {
		t.Errorf("%d seals", n)
	}
	sealedHeads(t, l)
}

// A process that died leaves a run behind. Whoever buries it, at its start or
// when it finds out, ends the run; nothing that was done is done again.
func TestBury(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		cut  events.Type // the newest event of the dead process's run; "" = all it wrote
	}{{"with an engine", ""}, {"before anything was routed", "run.requested"}, {"before its start was routed", "run.admitted"}} {
		for _, later := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, later=%t", c.name, later), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					l := newLog()
					dying := newSystem(t, l, "t1", nil)
					dying.engine = nil
					dying.begin(func(p *proto.ProcessConfig) { p.Daemon, p.Shared = false, true })
					if c.cut != "" {
						l.set(func(l *log) {
							l.append = func(_ context.Context, a events.Append) error {
								if c.cut == "run.requested" && a.Stream == events.FleetStream ||
									c.cut == "run.admitted" && a.Stream.Category() == events.CategoryRun {
									return events.ErrUnavailable
								}
								return nil
							}
						})
					}
					mine := look(1, "a")
					mine.Owner, mine.Manual = "t1", true
					dying.tell(prStream(1), mine)
					synctest.Wait()
					dying.stop()
					l.set(func(l *log) { l.append = nil })
					b := &boots{}
					dead := events.BootID("t1")
					if !later {
						b.dead.Store(&dead)
					}
					o := newSystem(t, l, "d1", nil).begin(func(p *proto.ProcessConfig) { p.Bury, p.Boots = true, b })
					time.Sleep(proto.LivenessEvery / 2)
					if later {
						o.expect("run.ended", 0)
						b.dead.Store(&dead)
						time.Sleep(proto.LivenessEvery)
					}
					o.drain()
					o.expect("run.ended", 1)
					synctest.Wait()
					if n := o.started.Load(); n != 0 {
						t.Errorf("%d engines were started for a dead process", n)
					}
					time.Sleep(2 * proto.LivenessEvery)
					if n := o.clock.armed.Load(); n != 0 {
						t.Errorf("%d timers are armed after the burial: %v", n, l.waits(t))
					}
					o.stop()
				})
			})
		}
	}
}
