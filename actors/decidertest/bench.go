package decidertest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Goal 10 of performance: one decision at a long line costs at most twice one at
// a short line, in processor time.
const (
	LineShort = 100
	LineLong  = 100_000

	paired      = 10
	pairedSlice = 20_000
)

// Bench is an actor under load.
type Bench[S any] struct {
	Actor Actor[S]
	At    time.Time
	state S
	next  events.Version
}

// Do decides, encodes and folds: what one decision costs beside its storage.
func (b *Bench[S]) Do(t testing.TB, cmd events.Command) []events.Payload {
	decided, err := b.Actor.Decide(&b.state, events.Given{At: b.At}, cmd)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range decided {
		payload, err := events.Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		e := events.Event{Stream: b.Actor.Stream, Version: b.next, Type: p.Type(), Time: b.At, Payload: payload}
		b.Actor.Fold(&b.state, &e, p)
		b.next++
	}
	return decided
}

// BenchLine compares a scheduling decision at two lengths of a line, in slices
// that alternate at random, and reports the median ratio of processor time with
// its quartiles. start makes an actor with so many in its line and returns one
// decision (or one round that leaves the line as long as it was).
func BenchLine(b *testing.B, start func(queued int) func()) {
	short, long := start(LineShort), start(LineLong)
	slice := func(decision func()) time.Duration {
		begin := CPU()
		for range pairedSlice {
			decision()
		}
		return CPU() - begin
	}
	random := rand.New(rand.NewPCG(1, 10))
	var ratios []float64
	var shorts, longs time.Duration
	for b.Loop() {
		for range paired {
			var s, l time.Duration
			if random.IntN(2) == 0 {
				s, l = slice(short), slice(long)
			} else {
				l, s = slice(long), slice(short)
			}
			ratios = append(ratios, float64(l)/float64(max(1, s)))
			shorts, longs = shorts+s, longs+l
		}
	}
	slices.Sort(ratios)
	n := len(ratios)
	b.ReportMetric(ratios[n/2], "ratio")
	b.ReportMetric(ratios[n/4], "ratio-q1")
	b.ReportMetric(ratios[3*n/4], "ratio-q3")
	decisions := float64(n * pairedSlice)
	b.ReportMetric(float64(shorts.Nanoseconds())/decisions, fmt.Sprint("cpu-ns@", LineShort))
	b.ReportMetric(float64(longs.Nanoseconds())/decisions, fmt.Sprint("cpu-ns@", LineLong))
}
