package publish_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/events"
)

func bubbleRow(t *testing.T, name any, f func(t *testing.T)) {
	t.Run(fmt.Sprint(name), func(t *testing.T) { bubble(t, f) })
}

// freezer stops a process at one of its requests, before it is sent or after it
// was carried out, until it is woken. What else the process has, its clock above
// all, goes on without it.
type freezer struct {
	next  http.RoundTripper
	at    int // the request, 1, 2, …
	after bool

	mu     sync.Mutex
	n      int
	frozen chan struct{} // closed when it is
	wake   chan struct{}
}

func newFreezer(next http.RoundTripper, at int, after bool) *freezer {
	return &freezer{next: next, at: at, after: after, frozen: make(chan struct{}), wake: make(chan struct{})}
}

func (f *freezer) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	f.n++
	now := f.n == f.at
	f.mu.Unlock()
	if !now {
		return f.next.RoundTrip(r)
	}
	late := r.WithContext(noEnd{r.Context()}) // what was sent is carried out, whoever waits for it
	if f.after {
		resp, err := f.next.RoundTrip(late)
		f.stop()
		return resp, err
	}
	f.stop()
	return f.next.RoundTrip(late)
}

func (f *freezer) stop() {
	close(f.frozen)
	<-f.wake
}

// TestFrozen stops a publisher at each of its requests, lets another one publish
// when the lease is over, and wakes the first: one review stands. (case G24)
func TestFrozen(t *testing.T) {
	t.Parallel()
	for at := 1; at <= 7; at++ {
		for _, after := range []bool{false, true} {
			for _, row := range []struct {
				fenced bool // the lease is over, and seen to be
				lag    int  // lists of reviews are that many reads behind
			}{{true, 0}, {false, 0}, {false, 1}, {false, 2}, {true, 3}} {
				fenced := row.fenced
				bubbleRow(t, fmt.Sprintf("request %d, after %v, %+v", at, after, row), func(t *testing.T) {
					sc := newScene(t, githubtest.Params{Limits: githubtest.Limits{Gap: -1}}, "ann")
					if row.lag > 0 {
						sc.s.Fault(githubtest.Fault{Route: "GET /repos/*/pulls/*/reviews", Kind: githubtest.Stale, Lag: row.lag})
					}
					ice := newFreezer(sc.s.RoundTripper(), at, after)
					slow, other := sc.publisher(ice), sc.publisher(nil)
					sc.hold(fenced, 1)
					answered := sc.begin(slow, 1)
					<-ice.frozen
					if fenced {
						waitFor(lease)
					}
					sc.hold(fenced, 2)
					end := sc.try(other, 2)
					if _, ok := end.(pr.NotePublished); !ok && row.lag == 0 {
						t.Errorf("the second ended %+v", end)
					}
					before := writes(sc.s.Log())
					close(ice.wake)
					late := <-answered
					if fenced && writes(sc.s.Log())-before > 2 { // the frozen one, and the deletion of what it left
						t.Errorf("the first wrote on and ended %+v", late)
					}
					if row.lag > 0 {
						sc.hold(false, 0)
						sc.drive(other)
					}
					sc.stands()
				})
			}
		}
	}
}

// TestBothFrozen stops both in all combinations. Neither sees a lease: the fence
// alone must hold.
func TestBothFrozen(t *testing.T) {
	t.Parallel()
	for one := 1; one <= 7; one++ {
		for two := 1; two <= 7; two++ {
			bubbleRow(t, fmt.Sprintf("%d and %d", one, two), func(t *testing.T) {
				for _, after := range []bool{false, true} {
					sc := newScene(t, githubtest.Params{Limits: githubtest.Limits{Gap: -1}}, "ann")
					iceOne, iceTwo := newFreezer(sc.s.RoundTripper(), one, after), newFreezer(sc.s.RoundTripper(), two, !after)
					first := sc.begin(sc.publisher(iceOne), 1)
					<-iceOne.frozen
					second := sc.begin(sc.publisher(iceTwo), 2)
					var secondEnd events.Command
					select {
					case <-iceTwo.frozen:
					case secondEnd = <-second: // it had nothing to do at that request
					}
					close(iceOne.wake)
					<-first
					close(iceTwo.wake)
					if secondEnd == nil {
						<-second
					}
					sc.drive(sc.publisher(nil))
					sc.stands()
				}
			})
		}
	}
}

// noEnd is a context that does not end.
type noEnd struct{ context.Context }

func (noEnd) Done() <-chan struct{} { return nil }
func (noEnd) Err() error            { return nil }
