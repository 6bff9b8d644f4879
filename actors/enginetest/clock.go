package enginetest

import (
	"sync"
	"time"
)

// Clock is an actors.Clock that moves when it is told to.
type Clock struct {
	mu    sync.Mutex
	now   time.Time
	calls map[int]call
	next  int
}

type call struct {
	at time.Time
	f  func()
}

// NewClock returns a clock that stands still.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), calls: map[int]call{}}
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// After calls f once the clock has been moved by d.
func (c *Clock) After(d time.Duration, f func()) (cancel func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next++
	id := c.next
	c.calls[id] = call{at: c.now.Add(d), f: f}
	c.fire()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.calls, id)
	}
}

// Advance moves the clock and starts what is due.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.fire()
}

func (c *Clock) fire() {
	for id, due := range c.calls {
		if !due.at.After(c.now) {
			delete(c.calls, id)
			go due.f()
		}
	}
}
