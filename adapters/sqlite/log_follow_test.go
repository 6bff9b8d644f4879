package sqlite

import (
	"context"
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

func TestNoticesAnotherHandleWithoutThePoll(t *testing.T) {
	t.Parallel()
	path := benchPath(t)
	writer := mustOpen(t, path, Options{})
	follower, _, _ := polled(t, path) // which never ticks
	line := storetest.NewLine("run-1")
	var at events.Position
	for range 30 {
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
	if err := <-followed; err != nil {
		t.Fatal(err)
	}
}
