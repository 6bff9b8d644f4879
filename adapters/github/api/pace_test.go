package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// ledger notes when which write came.
type ledger struct {
	mu    sync.Mutex
	times []time.Time
	paths []string
	now   int
	most  int
}

// serve answers everything well after a while.
func (l *ledger) serve(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	l.times, l.paths = append(l.times, time.Now()), append(l.paths, r.Method+" "+r.URL.Path)
	l.now++
	l.most = max(l.most, l.now)
	l.mu.Unlock()
	time.Sleep(100 * time.Millisecond) // of the bubble
	l.mu.Lock()
	l.now--
	l.mu.Unlock()
	switch {
	case strings.HasSuffix(r.URL.Path, "/labels"):
		return reply(200, `[{"name":"x"}]`), nil
	case r.Method == http.MethodPost:
		return reply(200, pendingBody), nil
	}
	return reply(200, repoBody), nil
}

// TestWritesAreSpaced: case G12. 40 writes of one tick go one at a time, a second
// after the answer of the one before, whoever asks; reading does not wait for them.
func TestWritesAreSpaced(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var l ledger
		c := client(t, l.serve)
		var all sync.WaitGroup
		for range 40 {
			all.Go(func() {
				if _, err := c.CreatePending(t.Context(), town, 1, Draft{}); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if _, err := c.Repo(t.Context(), town); err != nil || elapsed() != 100*time.Millisecond {
			t.Error(err, elapsed())
		}
		all.Wait()
		var writes []time.Time
		for i, path := range l.paths {
			if strings.HasPrefix(path, "POST") {
				writes = append(writes, l.times[i])
			}
		}
		for i := 1; i < len(writes); i++ {
			if gap := writes[i].Sub(writes[i-1]); gap < writeGapMin+100*time.Millisecond {
				t.Errorf("write %d came %s after the one before", i, gap)
			}
		}
		if len(writes) != 40 || elapsed() > 45*time.Second {
			t.Error(len(writes), elapsed())
		}
	})
}

// TestReviewsComeBeforeLabels: in the queue, and in what an hour and a minute hold.
// (case G12)
func TestReviewsComeBeforeLabels(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var l ledger
		c := client(t, l.serve)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := c.AddLabel(t.Context(), town, 1, "x"); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		all.Go(func() {
			if _, err := c.CreatePending(t.Context(), town, 1, Draft{}); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		if at := slices.Index(l.paths, "POST /repos/octo/town/pulls/1/reviews"); at != 1 {
			t.Errorf("the review is write %d of %v", at, l.paths)
		}

		var labels int
		for ; ; labels++ {
			err := c.AddLabel(withUntil(t.Context(), time.Now().Add(5*time.Second)), town, 1, "x")
			if err == nil {
				continue
			}
			if f := faultIn(t, err); f.Kind != KindPaced || f.RetryAt.IsZero() || f.Unknown {
				t.Error(f)
			}
			break
		}
		if labels < labelsPerMinute-10 || labels > labelsPerMinute {
			t.Errorf("%d labels", labels)
		}
		if _, err := c.CreatePending(withUntil(t.Context(), time.Now().Add(5*time.Second)), town, 1, Draft{}); err != nil {
			t.Errorf("labels have used the review's part: %v", err)
		}
	})
}

// TestAnHourHoldsSoMany: the hourly budget, with its reserve for reviews. (case G12)
func TestAnHourHoldsSoMany(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := newPace(bubbleClock{})
		write := func(traffic traffic, n int) {
			for range n {
				for _, at := range []time.Time{p.gap(), p.room(traffic)} {
					if err := sleep(t.Context(), bubbleClock{}, at); err != nil {
						t.Fatal(err)
					}
				}
				p.began()
				p.ended()
			}
		}
		write(trafficLabel, labelsPerHour)
		if elapsed() >= time.Hour {
			t.Fatal(elapsed())
		}
		if at := p.room(trafficLabel); at.Before(epochOfBubble.Add(time.Hour)) {
			t.Error("one more label at", at)
		}
		write(trafficReview, writesPerHour-labelsPerHour)
		if elapsed() >= time.Hour {
			t.Error(elapsed())
		}
		if at := p.room(trafficReview); at.Before(epochOfBubble.Add(time.Hour)) {
			t.Error("one more review at", at)
		}
	})
}

// TestFewReadsAtOnce: polls never take the last places.
func TestFewReadsAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var l ledger
		c := client(t, l.serve)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { _, _ = c.Repo(t.Context(), town) })
		}
		synctest.Wait()
		if l.most != pollsAtOnceMax {
			t.Errorf("%d polls at once", l.most)
		}
		for range 20 {
			all.Go(func() { _, _ = c.repo(t.Context(), town, trafficLook, false) })
		}
		all.Wait()
		if l.most != readsAtOnceMax {
			t.Errorf("%d reads at once", l.most)
		}
	})
}

// TestNothingIsSentAfterItsTime: the line was longer than the time there was.
func TestNothingIsSentAfterItsTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var l ledger
		c := client(t, l.serve)
		until := withUntil(t.Context(), time.Now().Add(2500*time.Millisecond))
		var all sync.WaitGroup
		var late atomic.Int32
		for range 6 {
			all.Go(func() {
				_, err := c.CreatePending(until, town, 1, Draft{})
				if err == nil {
					return
				}
				late.Add(1)
				if f := faultIn(t, err); f.Unknown || f.Kind != KindPaced && !errors.Is(err, context.DeadlineExceeded) {
					t.Error(f)
				}
			})
		}
		all.Wait()
		if late.Load() != 3 || len(l.paths) != 3 || elapsed() > 4*time.Second {
			t.Error(late.Load(), l.times, elapsed())
		}
		c.pace.busy = true // somebody has the turn and keeps it for long
		var err error
		all.Go(func() {
			_, err = c.CreatePending(withUntil(t.Context(), time.Now().Add(time.Second)), town, 1, Draft{})
		})
		pass(time.Minute)
		c.pace.pass()
		all.Wait()
		if f := faultIn(t, err); f.Unknown || !errors.Is(err, context.DeadlineExceeded) || len(l.paths) != 3 {
			t.Error(f, l.paths)
		}
	})
}

// TestGivingUpTheTurn: whoever stops waiting does not keep others from it.
func TestGivingUpTheTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var l ledger
		c := client(t, l.serve)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				_, err := c.CreatePending(ctx, town, 1, Draft{})
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			})
		}
		all.Go(func() {
			if _, err := c.CreatePending(t.Context(), town, 2, Draft{}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		cancel()
		all.Wait()
		if got := l.paths[len(l.paths)-1]; got != "POST /repos/octo/town/pulls/2/reviews" || len(l.paths) > 2 {
			t.Error(l.paths)
		}
	})
}
