package proto_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/actors/shell/proto"
	"github.com/reviewctl/reviewctl/events"
)

func live(n int) func(*proto.Config) { return func(c *proto.Config) { c.Live = n } }

func TestActorsAreSpawnedOnDemandAndTheLongestIdleOneGoes(t *testing.T) {
	t.Parallel()
	o := newSystem(t, newLog(), "d1", live(2))
	defer o.stop()
	loads := func(n int, want int64) {
		t.Helper()
		before := o.log.loads.Load()
		if _, err := o.ask(prStream(n), waiting(n, "a")); err != nil {
			t.Fatal(err)
		}
		if got := o.log.loads.Load() - before; got != want {
			t.Errorf("pull request %d was loaded %d times, want %d", n, got, want)
		}
	}
	loads(1, 1)
	loads(2, 1)
	loads(1, 0) // so that 2 is the longest idle
	loads(3, 1)
	loads(1, 0)
	loads(2, 1)
	loads(3, 1)
	if n := o.system.Resident(); n > 2 {
		t.Errorf("%d actors are in memory, want 2", n)
	}
	o.expect("head.queued", 3)
}

func TestABusyActorStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := newSystem(t, newLog(), "d1", live(1))
		gate := make(chan struct{})
		o.log.append = func(context.Context, events.Append) error { <-gate; return nil }
		var answers sync.WaitGroup
		for n := range 3 {
			answers.Go(func() { o.tell(prStream(n), waiting(n, "a")) })
		}
		synctest.Wait()
		if n := o.system.Resident(); n != 3 {
			t.Errorf("%d actors are in memory while all three are busy", n)
		}
		close(gate)
		answers.Wait()
		synctest.Wait()
		if n := o.system.Resident(); n != 1 {
			t.Errorf("%d actors are in memory, want 1", n)
		}
		o.stop()
	})
}

// Each ask has exactly one answer, whatever is passivated or stopped meanwhile.
func TestNoAskIsLost(t *testing.T) {
	t.Parallel()
	for _, stops := range []bool{false, true} {
		t.Run(fmt.Sprintf("stops=%t", stops), func(t *testing.T) {
			t.Parallel()
			o := newSystem(t, newLog(), "d1", live(1))
			var asked, answered, refused atomic.Int64
			var askers sync.WaitGroup
			for range 8 {
				askers.Go(func() {
					for i := range 60 {
						asked.Add(1)
						_, err := o.ask(prStream(i%5), waiting(i%5, fmt.Sprint(i)))
						switch {
						case err == nil:
							answered.Add(1)
						case stops && errors.Is(err, shell.ErrStopping):
							refused.Add(1)
						default:
							t.Error(err)
						}
					}
				})
			}
			if stops {
				for answered.Load() < 20 {
					if _, err := o.ask(prStream(9), waiting(9, "x")); err != nil {
						t.Fatal(err)
					}
				}
				o.stop()
			}
			askers.Wait()
			o.stop()
			if answered.Load()+refused.Load() != asked.Load() {
				t.Errorf("%d asks, %d answers and %d refusals", asked.Load(), answered.Load(), refused.Load())
			}
			if a, err := o.ask(prStream(1), waiting(1, "z")); !errors.Is(err, shell.ErrStopping) {
				t.Errorf("an ask after the end: %+v, %v", a, err)
			}
		})
	}
}

func TestAPanicIsAnsweredAndTheActorWorksAgain(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	good := rules(t)
	o := newSystem(t, newLog(), "d1", func(c *proto.Config) {
		c.Rules = func() *shell.Rules {
			if broken.Load() {
				return &shell.Rules{Digest: "broken", Value: "no rules"} // the decider cannot take these
			}
			return good
		}
	})
	defer o.stop()
	o.tell(prStream(1), waiting(1, "a"))
	broken.Store(true)
	for range 2 {
		if a, err := o.ask(prStream(1), waiting(1, "b")); !errors.Is(err, proto.ErrPanicked) {
			t.Fatalf("an ask that panics: %+v, %v", a, err)
		}
	}
	broken.Store(false)
	o.tell(prStream(1), waiting(1, "b"))
	o.expect("head.queued", 2)
}

func TestWhatTheStoreSays(t *testing.T) {
	t.Parallel()
	once := func(err error) func(l *log) {
		return func(l *log) {
			var told bool
			l.append = func(context.Context, events.Append) error {
				if told {
					return nil
				}
				told = true
				return err
			}
		}
	}
	for _, c := range []struct {
		name string
		set  func(l *log)
		err  error // of the first ask
	}{
		{"unavailable", once(events.ErrUnavailable), events.ErrUnavailable},
		{"full", once(events.ErrFull), events.ErrFull},
		{"read-only", once(events.ErrReadOnly), events.ErrReadOnly},
		{"unknown, and not stored", once(events.ErrUnknownOutcome), nil},
		{"unknown, and stored", func(l *log) {
			var told bool
			l.stored = func(events.Append) error {
				if told {
					return nil
				}
				told = true
				return events.ErrUnknownOutcome
			}
		}, nil},
		{"a conflict with another", once(&events.ConflictError{Stream: prStream(1)}), nil},
		{"unreadable once", func(l *log) {
			var told bool
			l.load = func(context.Context, events.StreamName) error {
				if told {
					return nil
				}
				told = true
				return events.ErrUnavailable
			}
		}, events.ErrUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := newSystem(t, newLog(), "d1", nil)
			defer o.stop()
			o.log.set(c.set)
			if _, err := o.ask(prStream(1), waiting(1, "a")); !errors.Is(err, c.err) {
				t.Fatalf("the first ask: %v, want %v", err, c.err)
			}
			if _, err := o.ask(prStream(1), waiting(1, "a")); err != nil {
				t.Fatalf("the second ask: %v", err)
			}
			o.expect("head.queued", 1)
		})
	}
}

// Stop waits for what the store has under way, and gives it up with its context.
func TestStopWhileTheStoreIsBusy(t *testing.T) {
	t.Parallel()
	held := func(ctx context.Context, gate chan struct{}) error {
		select {
		case <-gate:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", events.ErrUnavailable, ctx.Err())
		}
	}
	for _, c := range []struct {
		name string
		set  func(l *log, gate chan struct{})
	}{
		{"loading", func(l *log, gate chan struct{}) {
			l.load = func(ctx context.Context, _ events.StreamName) error { return held(ctx, gate) }
		}},
		{"writing", func(l *log, gate chan struct{}) {
			l.append = func(ctx context.Context, _ events.Append) error { return held(ctx, gate) }
		}},
	} {
		for _, patient := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, patient=%t", c.name, patient), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					o := newSystem(t, newLog(), "d1", nil)
					gate := make(chan struct{})
					o.log.set(func(l *log) { c.set(l, gate) })
					errs := make(chan error, 1)
					go func() {
						_, err := o.ask(prStream(1), waiting(1, "a"))
						errs <- err
					}()
					synctest.Wait()
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					stopped := make(chan error, 2)
					for range 2 { // the second waits for the same end
						go func() { stopped <- o.system.Stop(ctx) }()
					}
					synctest.Wait()
					if len(stopped) > 0 {
						t.Fatal("the system stopped while the store was busy")
					}
					if patient {
						close(gate)
					}
					for range 2 {
						if err := <-stopped; (err == nil) != patient {
							t.Errorf("Stop: %v", err)
						}
					}
					if err := <-errs; err == nil && !(patient && c.name == "writing") {
						t.Error("an ask was carried out that was not")
					}
				})
			})
		}
	}
}

func TestAnAskToNobodyIsRefused(t *testing.T) {
	t.Parallel()
	o := newSystem(t, newLog(), "d1", nil)
	defer o.stop()
	for _, stream := range []events.StreamName{"", "nobody-1", "pr"} {
		if a, err := o.ask(stream, waiting(1, "a")); err != nil || a.Accepted || a.Reason == "" {
			t.Errorf("%q answered %+v, %v", stream, a, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := o.system.Ask(ctx, prStream(1), actors.ByNode, waiting(1, "a")); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
