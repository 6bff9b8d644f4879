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
	pulls     map[dayPull][]string   // that name the pull request, in order
	unchanged int                    // 304
	refused   int                    // by a limit
	writes    []time.Time
}

type dayPull struct {
	repo   string
	number int
}

func newDayCalls() *dayCalls {
	return &dayCalls{routes: map[string]map[int]int{}, pulls: map[dayPull][]string{}}
}

func (c *dayCalls) count(r githubtest.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.routes[r.Route] == nil {
		c.routes[r.Route] = map[int]int{}
	}
	c.routes[r.Route][r.Status]++
	switch {
	case r.Status == http.StatusNotModified:
		c.unchanged++
		return
	case r.Status == http.StatusForbidden || r.Status == http.StatusTooManyRequests:
		c.refused++
	}
	if r.Number != 0 {
		pull, said := dayPull{r.Repo, r.Number}, r.Method+r.Path[strings.LastIndexByte(r.Path, '/'):]
		c.pulls[pull] = append(c.pulls[pull], said)
	}
	if r.Write() {
		c.writes = append(c.writes, r.At)
	}
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

// check prints and bounds the calls of a day. published says how many reviews each
// pull request got.
func (c *dayCalls) check(t *testing.T, published map[dayPull]int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	heads := 0
	var worst float64
	for pull, n := range published {
		heads += n
		worst = max(worst, float64(len(c.pulls[pull]))/float64(n))
		if calls := c.pulls[pull]; len(calls) > dayCallsMax*n {
			t.Errorf("%s#%d: %d calls for %d reviews, at most %d each: %s", pull.repo, pull.number, len(calls), n, dayCallsMax, calls)
		}
	}
	for _, route := range slices.Sorted(maps.Keys(c.routes)) {
		t.Logf("  %s %v", route, c.routes[route])
	}
	t.Logf("%d polls answered 304; %d other calls for %d reviews: %.2f a review; of one pull request at most %.1f a review",
		c.unchanged, c.total(), heads, float64(c.total())/float64(heads), worst)
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
