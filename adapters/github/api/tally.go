package api

import "sync"

// Counts are the requests since the start.
type Counts struct {
	Sent        int // all of them, on the wire
	NotModified int // of which GitHub answered 304: they cost nothing of the hourly limit
	Writes      int
	Polls       int
	Looks       int // reads for publishing
}

type tally struct {
	mu     sync.Mutex
	counts Counts
}

func newTally() *tally { return &tally{} }

func (t *tally) sent(ex *exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.Sent++
	switch {
	case ex.traffic.writes():
		t.counts.Writes++
	case ex.traffic == trafficPoll:
		t.counts.Polls++
	default:
		t.counts.Looks++
	}
}

func (t *tally) notModified() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts.NotModified++
}

// Requests counts what was sent.
func (c *Client) Requests() Counts {
	c.tally.mu.Lock()
	defer c.tally.mu.Unlock()
	return c.tally.counts
}
