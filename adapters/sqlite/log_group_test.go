package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/events/storetest"
)

// gated opens a log whose commits each wait to be let through.
func gated(t *testing.T, o Options) (l *Log, entered chan int, gate chan struct{}) {
	t.Helper()
	entered, gate = make(chan int), make(chan struct{})
	l, err := open(context.Background(), benchPath(t), o, func(n int) {
		entered <- n
		<-gate
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, entered, gate
}

// queueUp starts n appends to streams of their own and returns when all wait.
func queueUp(t *testing.T, l *Log, n int, errs []error) *sync.WaitGroup {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			line := storetest.NewLine(events.StreamName(fmt.Sprintf("run-queued%d", i)))
			_, errs[i] = l.Append(context.Background(), line.Next(`{}`))
		})
	}
	for l.queue.size() < n {
		time.Sleep(0) // lets the others run
	}
	return &wg
}

// Goal 1: everything that was queued while a commit ran shares the next one.
func TestQueuedAppendsShareTheNextCommit(t *testing.T) {
	t.Parallel()
	l, entered, gate := gated(t, Options{})
	first := make(chan error, 1)
	go func() {
		_, err := l.Append(context.Background(), storetest.NewLine("run-first").Next(`{}`))
		first <- err
	}()
	if n := <-entered; n != 1 {
		t.Fatalf("%d appends in the first commit", n)
	}
	errs := make([]error, 64)
	wg := queueUp(t, l, 64, errs)
	gate <- struct{}{}
	if n := <-entered; n != 64 {
		t.Fatalf("%d appends in the next commit, want 64", n)
	}
	gate <- struct{}{}
	wg.Wait()
	if err := errors.Join(append(errs, <-first)...); err != nil {
		t.Fatal(err)
	}
	if c := l.Counters(); c.Commits != 2 || c.Appends != 65 || c.Events != 65 {
		t.Fatalf("counted %+v", c)
	}
}

func TestGroupIsBounded(t *testing.T) {
	t.Parallel()
	l, entered, gate := gated(t, Options{})
	go l.Append(context.Background(), storetest.NewLine("run-first").Next(`{}`))
	<-entered
	errs := make([]error, groupEvents+10)
	wg := queueUp(t, l, len(errs), errs)
	for _, want := range []int{groupEvents, 10} {
		gate <- struct{}{}
		if n := <-entered; n != want {
			t.Fatalf("%d appends in one commit, want %d", n, want)
		}
	}
	gate <- struct{}{}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestConflictFailsNoNeighbour(t *testing.T) {
	t.Parallel()
	l, entered, gate := gated(t, Options{})
	go l.Append(context.Background(), storetest.NewLine("run-first").Next(`{}`))
	<-entered
	const n = 20
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n { // ten streams, two appends at "none yet" for each
		wg.Go(func() {
			line := storetest.NewLine(events.StreamName(fmt.Sprintf("run-%d", i%10)))
			_, errs[i] = l.Append(context.Background(), line.Next(`{}`, `{}`))
		})
	}
	for l.queue.size() < n {
		time.Sleep(0)
	}
	gate <- struct{}{}
	if in := <-entered; in != n {
		t.Fatalf("%d appends in one commit", in)
	}
	gate <- struct{}{}
	wg.Wait()
	for i := range 10 {
		one, two := errs[i], errs[i+10]
		if one != nil {
			one, two = two, one
		}
		var conflict *events.ConflictError
		if one != nil || !errors.As(two, &conflict) || conflict.Actual != 1 {
			t.Fatalf("stream %d: %v and %v", i, one, two)
		}
	}
	storetest.VerifyAll(t, l)
}

func TestWithdrawnAppendIsNotStored(t *testing.T) {
	t.Parallel()
	l, entered, gate := gated(t, Options{})
	go l.Append(context.Background(), storetest.NewLine("run-first").Next(`{}`))
	<-entered
	ctx, cancel := context.WithCancel(context.Background())
	withdrawn := make(chan error, 1)
	go func() {
		_, err := l.Append(ctx, storetest.NewLine("run-withdrawn").Next(`{}`))
		withdrawn <- err
	}()
	for l.queue.size() < 1 {
		time.Sleep(0)
	}
	cancel()
	if err := <-withdrawn; !errors.Is(err, context.Canceled) || errors.Is(err, events.ErrUnknownOutcome) {
		t.Fatalf("got %v", err)
	}
	gate <- struct{}{}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if c := l.Counters(); c.Appends != 1 {
		t.Fatalf("counted %+v", c)
	}
}

func TestCloseAnswersWhoWaits(t *testing.T) {
	t.Parallel()
	l, entered, gate := gated(t, Options{})
	first := make(chan error, 1)
	go func() {
		_, err := l.Append(context.Background(), storetest.NewLine("run-first").Next(`{}`))
		first <- err
	}()
	<-entered
	followed := make(chan error, 1)
	go func() { followed <- l.Follow(context.Background(), 99) }()
	closed := make(chan error, 1)
	go func() { closed <- l.Close() }()
	<-l.stopping
	gate <- struct{}{}
	if err := errors.Join(<-first, <-closed); err != nil {
		t.Fatal(err)
	}
	if err := <-followed; !errors.Is(err, events.ErrUnavailable) {
		t.Fatalf("Follow: got %v", err)
	}
	_, err := l.Append(context.Background(), storetest.NewLine("run-late").Next(`{}`))
	if !errors.Is(err, events.ErrUnavailable) {
		t.Fatalf("Append: got %v", err)
	}
	if err := l.ReadAll(context.Background(), 0, func(*events.Event) bool { return true }); !errors.Is(err, events.ErrUnavailable) {
		t.Fatalf("ReadAll: got %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
