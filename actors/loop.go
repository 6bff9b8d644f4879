package actors

import (
	"context"
	"sync"
)

// Loop is a goroutine of an adapter that watches something outside. The zero value
// is ready.
type Loop struct {
	mu     sync.Mutex
	cancel context.CancelFunc // nil while it is not running
	done   chan struct{}
}

// Start runs what goes on until its context ends. A Loop that is running is left as
// it is.
func (l *Loop) Start(run func(ctx context.Context)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	l.cancel, l.done = cancel, done
	go func() {
		defer close(done)
		run(ctx)
	}()
}

// Stop ends it and returns when it is over. It may be called more than once, and
// before Start.
func (l *Loop) Stop() {
	l.mu.Lock()
	cancel, done := l.cancel, l.done
	l.mu.Unlock()
	if cancel == nil {
		return
	}
	cancel()
	<-done
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done == done {
		l.cancel = nil
	}
}
