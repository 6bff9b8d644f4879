package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/events"
)

// BenchmarkGrant measures goal 5: from a queued head to its granted lane, against
// the single append of the same head in the same run. (performance §5)
func BenchmarkGrant(b *testing.B) {
	for _, flight := range []int{1, 64} {
		b.Run(fmt.Sprintf("flight=%d", flight), func(b *testing.B) {
			w := &grantWatch{began: map[events.Commit]time.Time{}, runs: map[events.RunID]events.Commit{}, done: map[events.Commit]chan struct{}{}}
			o := startGoal(b, filepath.Join(b.TempDir(), "events.db"), "d1", w.see)
			o.ask(b, events.FleetStream, fleet.Configure{MaxRuns: 2 * flight})
			o.ask(b, events.PoolStream("gpt"), pool.Configure{Size: 2 * flight, Reason: "a benchmark"})
			var mu sync.Mutex
			next, n := 0, 0
			for b.Loop() {
				n += flight
				var heads sync.WaitGroup
				for range flight {
					heads.Go(func() {
						mu.Lock()
						next++
						number := next
						mu.Unlock()
						granted := w.expect(number)
						began := time.Now()
						o.tell(b, number, 0)
						w.appended(time.Since(began))
						<-granted
					})
				}
				heads.Wait()
			}
			b.StopTimer()
			o.stop(b)
			w.report(b)
		})
	}
}

// grantWatch takes the times.
type grantWatch struct {
	mu      sync.Mutex
	began   map[events.Commit]time.Time
	runs    map[events.RunID]events.Commit
	done    map[events.Commit]chan struct{}
	appends []time.Duration
	grants  []time.Duration
}

func (w *grantWatch) expect(n int) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	head := headOf(n)
	w.began[head], w.done[head] = time.Now(), make(chan struct{})
	return w.done[head]
}

func (w *grantWatch) appended(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.appends = append(w.appends, d)
}

// see is told of every event, in order.
func (w *grantWatch) see(_ *events.Event, p events.Payload) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch p := p.(type) {
	case *events.RunRequested:
		w.runs[p.Run] = p.Head
	case *events.LaneGranted:
		head := w.runs[p.Run]
		if done := w.done[head]; done != nil {
			w.grants = append(w.grants, time.Since(w.began[head]))
			close(done)
			delete(w.done, head)
		}
	}
}

func (w *grantWatch) report(b *testing.B) {
	b.Helper()
	slices.Sort(w.appends)
	slices.Sort(w.grants)
	at := func(all []time.Duration, percent int) float64 {
		return float64(all[min(len(all)*percent/100, len(all)-1)].Microseconds())
	}
	for _, percent := range []int{50, 99} {
		b.ReportMetric(at(w.grants, percent), fmt.Sprintf("us-grant-p%d", percent))
		b.ReportMetric(at(w.grants, percent)/at(w.appends, percent), fmt.Sprintf("ratio-p%d", percent))
	}
}
