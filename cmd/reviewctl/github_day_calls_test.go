package main

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
)

// dayCalls counts the calls of a day as they are answered; GitHub's own log of them
// would hold every answer.
type dayCalls struct {
	mu        sync.Mutex
	routes    map[string]map[int]int // by call and status
	pulls     map[dayPull][]string   // that name the pull request, in order, while it was open
	closing   map[dayPull]int        // that name it later: it is seen closed, and its label is taken off
	unchanged int                    // 304
	refused   int                    // by a limit
	writes    []time.Time
}

type dayPull struct {
	repo   string
	number int
}

func newDayCalls() *dayCalls {
	return &dayCalls{routes: map[string]map[int]int{}, pulls: map[dayPull][]string{}, closing: map[dayPull]int{}}
}

func (c *dayCalls) count(r githubtest.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.routes[r.Route] == nil {
		c.routes[r.Route] = map[int]int{}
	}
	c.routes[r.Route][r.Status]++
	switch r.Status {
	case http.StatusNotModified:
		c.unchanged++
		return
	case http.StatusForbidden, http.StatusTooManyRequests:
		c.refused++
	}
	pull := dayPull{r.Repo, r.Number}
	if _, ended := c.closing[pull]; ended {
		c.closing[pull]++
	} else if r.Number != 0 {
		c.pulls[pull] = append(c.pulls[pull], r.Method+r.Path[strings.LastIndexByte(r.Path, '/'):])
	}
	if r.Write() {
		c.writes = append(c.writes, r.At)
	}
}

// end says that a pull request is closed from now on.
func (c *dayCalls) end(pull dayPull) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing[pull] = 0
}

// busiest is the largest number of writes within a time.
func (c *dayCalls) busiest(within time.Duration) int {
	most, from := 0, 0
	for i, at := range c.writes {
		for at.Sub(c.writes[from]) >= within {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

// total is the number of calls that were not answered 304.
func (c *dayCalls) total() int {
	n := 0
	for _, by := range c.routes {
		for status, times := range by {
			if status != http.StatusNotModified {
				n += times
			}
		}
	}
	return n
}

// dayHeads are how many heads a pull request had, and how many reviews it got.
type dayHeads struct{ heads, reviews int }

// check prints and bounds the calls of a day: all of them together against the
// reviews, and those that name one open pull request against its heads. A head that
// is superseded costs something too: the label of the one before comes off, and a
// publication may be under way.
func (c *dayCalls) check(t *testing.T, of map[dayPull]dayHeads) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	heads, closing := 0, 0
	var worst float64
	for pull, n := range of {
		heads += n.reviews
		calls := c.pulls[pull]
		if n.reviews > 0 {
			worst = max(worst, float64(len(calls))/float64(n.reviews))
		}
		if len(calls) > dayCallsMax*n.heads {
			t.Errorf("%s#%d: %d calls for %d heads, at most %d each: %s", pull.repo, pull.number, len(calls), n.heads, dayCallsMax, calls)
		}
	}
	for _, n := range c.closing {
		closing += n
	}
	for _, route := range slices.Sorted(maps.Keys(c.routes)) {
		t.Logf("  %s %v", route, c.routes[route])
	}
	t.Logf("%d polls answered 304; %d other calls for %d reviews: %.2f a review; that name one open pull request at most %.1f a review",
		c.unchanged, c.total(), heads, float64(c.total())/float64(heads), worst)
	t.Logf("%d of them name one of %d pull requests that were closed by then", closing, len(c.closing))
	t.Logf("%d writes, at most %d in a minute and %d in an hour", len(c.writes), c.busiest(time.Minute), c.busiest(time.Hour))
	if c.total() > dayCallsMax*heads {
		t.Errorf("%d calls for %d reviews, at most %d each", c.total(), heads, dayCallsMax)
	}
	if c.refused > 0 {
		t.Errorf("%d calls were refused by a limit", c.refused)
	}
	if n := c.busiest(time.Hour); n > dayPerHourMax {
		t.Errorf("%d writes in an hour, GitHub takes %d", n, dayPerHourMax)
	}
}
