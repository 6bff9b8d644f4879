package api

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/reviewctl/reviewctl/actors"
)

// Bounds of our own, below GitHub's. (github.md §3)
const (
	pointsPerMinuteMax = 900 // GitHub's
	pointsForPolls     = 600 // polls leave the rest to others
	pointsForLooks     = 750
	reservePart        = 10 // a tenth of the hourly limit is kept for publishing
	reserveMin         = 50
)

// Rate is the state of the hourly limit, as the last answer told it. The zero value
// = not known.
type Rate struct {
	Limit, Remaining int
	Reset            time.Time // by the Clock
}

// limits is what GitHub has told about its limits. What is not in here may be sent.
type limits struct {
	clock  actors.Clock
	jitter func() float64

	mu       sync.Mutex
	identity string // of the token that the rest is about
	epoch    int64  // the reset as GitHub wrote it
	rate     Rate
	primary  hold
	reads    hold   // the secondary limit, met by reading: nothing goes on
	written  hold   // met by writing: reading goes on (case G11)
	strikes  [2]int // in a row, by reading and by writing
	minute   [60]struct {
		second int64
		points int
	}
}

// hold is a limit that was met.
type hold struct {
	until   time.Time
	message string
}

func newLimits(clock actors.Clock, jitter func() float64) *limits {
	return &limits{clock: clock, jitter: jitter}
}

// belongTo forgets what was told about another token: it has limits of its own.
func (l *limits) belongTo(identity string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if identity != l.identity {
		l.identity, l.epoch, l.rate, l.primary = identity, 0, Rate{}, hold{}
	}
}

// observe takes the hourly limit from the headers of an answer. Answers may come in
// another order than GitHub wrote them.
func (l *limits) observe(identity string, h http.Header, now time.Time) {
	remaining, err := strconv.Atoi(h.Get("X-Ratelimit-Remaining"))
	if err != nil || remaining < 0 {
		return
	}
	epoch, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64)
	if resource := h.Get("X-Ratelimit-Resource"); err != nil || resource != "" && resource != "core" {
		return
	}
	limit, _ := strconv.Atoi(h.Get("X-Ratelimit-Limit"))
	l.mu.Lock()
	defer l.mu.Unlock()
	if identity != l.identity { // the token was replaced while this was asked
		return
	}
	if epoch < l.epoch || epoch == l.epoch && remaining > l.rate.Remaining {
		return
	}
	wait := min(time.Unix(epoch, 0).Sub(serverTime(h, now)), limitWaitMax)
	l.epoch, l.rate = epoch, Rate{Limit: limit, Remaining: remaining, Reset: now.Add(wait)}
}

// met records a limit that an answer told of.
func (l *limits) met(t traffic, f *Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strikes[t.side()]++
	h := hold{until: f.RetryAt, message: f.Message}
	switch {
	case f.Kind == KindPrimary:
		l.primary = h.later(l.primary)
	case t.writes():
		l.written = h.later(l.written)
	default:
		l.reads = h.later(l.reads)
	}
}

// passed records an answer that was no limit: the next one begins at the shortest
// wait again. A read says nothing about limits of writing.
func (l *limits) passed(t traffic) {
	l.mu.Lock()
	defer l.mu.Unlock()
	met := l.reads
	if t.writes() {
		met = l.written
	}
	if now := l.clock.Now(); !met.until.After(now) && !l.primary.until.After(now) { // else it was asked before that
		l.strikes[t.side()] = 0
	}
}

func (l *limits) struck(t traffic) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.strikes[t.side()]
}

func (h hold) later(other hold) hold {
	if other.until.After(h.until) {
		return other
	}
	return h
}

// before returns why a request of this kind must not be sent now, or nil. RetryAt is
// when it may.
func (l *limits) before(t traffic) *Fault {
	now := l.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	closed := func(kind Kind, h hold) *Fault {
		return &Fault{Kind: kind, Message: "not asked: " + h.message, RetryAt: h.until}
	}
	switch {
	case l.primary.until.After(now):
		return closed(KindPrimary, l.primary)
	case l.reads.until.After(now):
		return closed(KindSecondary, l.reads)
	case t.writes() && l.written.until.After(now):
		return closed(KindSecondary, l.written)
	case l.rate.Limit > 0 && l.rate.Reset.After(now) && l.rate.Remaining == 0:
		return closed(KindPrimary, hold{l.rate.Reset.Add(time.Second), "the hourly limit is used up"})
	case l.rate.Limit > 0 && l.rate.Reset.After(now) && l.rate.Remaining <= l.reserve(t):
		return closed(KindPrimary, hold{l.rate.Reset.Add(time.Second), "what is left of the hourly limit is kept for publishing"})
	}
	return l.points(t, now)
}

// reserve is what a request of this kind must leave of the hourly limit.
func (l *limits) reserve(t traffic) int {
	if t != trafficPoll {
		return -1
	}
	return min(max(l.rate.Limit/reservePart, reserveMin), l.rate.Limit/2)
}

// points returns when the last minute has room for one more request.
func (l *limits) points(t traffic, now time.Time) *Fault {
	most := [...]int{trafficPoll: pointsForPolls, trafficLook: pointsForLooks, trafficLabel: pointsPerMinuteMax, trafficReview: pointsPerMinuteMax}[t]
	sum, second := t.points(), now.Unix()
	oldest := second
	for _, slot := range l.minute {
		if slot.points > 0 && slot.second > second-60 && slot.second <= second {
			sum += slot.points
			oldest = min(oldest, slot.second)
		}
	}
	if sum <= most {
		return nil
	}
	return &Fault{Kind: KindPaced, Message: "not asked: enough for this minute", RetryAt: time.Unix(oldest+60, 0)}
}

// sent counts a request that is sent now.
func (l *limits) sent(t traffic) {
	second := l.clock.Now().Unix()
	l.mu.Lock()
	defer l.mu.Unlock()
	slot := &l.minute[((second%60)+60)%60]
	if slot.second != second {
		slot.second, slot.points = second, 0
	}
	slot.points += t.points()
}

// Rate returns the state of the hourly limit.
func (c *Client) Rate() Rate {
	c.limits.mu.Lock()
	defer c.limits.mu.Unlock()
	return c.limits.rate
}
