package sqlite

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/events/storetest"
)

// polled opens a log whose slow poll ticks when the test says so.
func polled(t *testing.T, path string) (l *Log, ticks chan time.Time, polls chan bool) {
	t.Helper()
	l = mustOpen(t, path, Options{})
	ticks, polls = make(chan time.Time), make(chan bool, 100)
	l.watch.every = func(time.Duration) (<-chan time.Time, func()) {
		polls <- true
		return ticks, func() { polls <- false }
	}
	return l, ticks, polls
}

// Where a sync takes longer than the looks after a notice last, the poll finds the
// append. Were it the poll alone, there would be one tick for each append.
func TestNoticesAnotherHandleBeforeThePoll(t *testing.T) {
	t.Parallel()
	const appends = 30
	path := benchPath(t)
	writer, follower := mustOpen(t, path, Options{}), mustOpen(t, path, Options{})
	var polls atomic.Int64
	follower.watch.every = func(d time.Duration) (<-chan time.Time, func()) {
		real, counted, done := time.NewTicker(d), make(chan time.Time), make(chan struct{})
		go func() {
			for {
				select {
				case at := <-real.C:
					select {
					case counted <- at:
						polls.Add(1)
					case <-done:
						return
					}
				case <-done:
					return
				}
			}
		}()
		return counted, func() { real.Stop(); close(done) }
	}
	line := storetest.NewLine("run-1")
	var at events.Position
	for range appends {
		heard := make(chan error, 1)
		go func() { heard <- follower.Follow(context.Background(), at) }()
		a := line.Next(`{}`)
		out, err := writer.Append(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		if err := <-heard; err != nil {
			t.Fatal(err)
		}
		line.Stored(a)
		at = out.Position
	}
	if n := polls.Load(); n >= appends {
		t.Fatalf("%d polls for %d appends: no notice came", n, appends)
	}
}

func TestPollFindsWhatNoNoticeSaid(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	writer := mustOpen(t, path, Options{})
	follower, ticks, polls := polled(t, path)
	follower.watch.wal = path + "-not-there" // so that there is nothing to watch
	heard := make(chan error, 1)
	go func() { heard <- follower.Follow(context.Background(), 0) }()
	if !<-polls {
		t.Fatal("no poll began")
	}
	if _, err := writer.Append(context.Background(), storetest.NewLine("run-1").Next(`{}`)); err != nil {
		t.Fatal(err)
	}
	ticks <- time.Time{}
	if err := <-heard; err != nil {
		t.Fatal(err)
	}
}

// Goal 11, the log's part: when nobody waits, nothing is read and no timer runs,
// whatever other processes do.
func TestIdleLogReadsNothing(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	busy := mustOpen(t, path, Options{})
	idle, ticks, polls := polled(t, path)
	line := storetest.NewLine("run-1")
	ctx, cancel := context.WithCancel(context.Background())
	followed := make(chan error, 1)
	go func() { followed <- idle.Follow(ctx, 0) }()
	if !<-polls {
		t.Fatal("no poll began")
	}
	cancel() // now nobody waits: the next tick parks the watch
	<-followed
	ticks <- time.Time{}
	if <-polls {
		t.Fatal("the poll goes on")
	}
	before := idle.Counters()
	for range 20 {
		a := line.Next(`{}`)
		if _, err := busy.Append(context.Background(), a); err != nil {
			t.Fatal(err)
		}
		line.Stored(a)
	}
	if after := idle.Counters(); after != before {
		t.Fatalf("counted %+v while idle, %+v before", after, before)
	}
	if err := idle.Follow(context.Background(), 0); err != nil { // and it wakes again
		t.Fatal(err)
	}
	followed = make(chan error, 1)
	go func() { followed <- idle.Follow(context.Background(), 20) }()
	if !<-polls {
		t.Fatal("no poll began again")
	}
	if _, err := busy.Append(context.Background(), line.Next(`{}`)); err != nil {
		t.Fatal(err)
	}
	select {
	case ticks <- time.Time{}: // a notice may have come first
		if err := <-followed; err != nil {
			t.Fatal(err)
		}
	case err := <-followed:
		if err != nil {
			t.Fatal(err)
		}
	}
}
