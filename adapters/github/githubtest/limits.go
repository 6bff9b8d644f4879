package githubtest

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Limits are how often a token may ask. Zero is GitHub's own limit.
type Limits struct {
	Hour      int           // requests an hour; GitHub's is 5,000
	Gap       time.Duration // between two writes; with a clock of the test 1 s, else none; negative = none
	Minute    int           // writes a minute; GitHub's is 80
	Block     time.Duration // for how long writes are refused after that; 60 s
	Secondary SecondaryMode
	Primary   int // the status of an exhausted hour: 403, or 429
}

// SecondaryMode is how a secondary limit is told. All of them were seen. (case G09)
type SecondaryMode int

// The modes.
const (
	WithRetryAfter SecondaryMode = iota // Retry-After in seconds
	WithDate                            // Retry-After as an HTTP date, which go-github reads as 0 s
	WithNothing                         // no header at all, of the primary limit neither
	WithResetFar                        // the primary limit's reset 50 minutes ahead, 4,771 remaining
	WithResetPast                       // the primary limit's reset 30 s ago
	WithOddURL                          // Retry-After, but a documentation_url that go-github does not know (case G10)
	WithStatus429                       // Retry-After and status 429
)

const (
	hourlyMax   = 5000
	minutelyMax = 80
	blockFor    = time.Minute
	farReset    = 50 * time.Minute
	farLeft     = 4771
	pastReset   = 30 * time.Second
)

func (l *Limits) settle(ownClock bool) {
	if l.Hour == 0 {
		l.Hour = hourlyMax
	}
	if l.Minute == 0 {
		l.Minute = minutelyMax
	}
	if l.Block == 0 {
		l.Block = blockFor
	}
	if l.Primary == 0 {
		l.Primary = http.StatusForbidden
	}
	if l.Gap == 0 && ownClock {
		l.Gap = time.Second
	}
}

// quota is what a token has used.
type quota struct {
	used    int
	reset   time.Time
	writes  []time.Time // of the last minute
	blocked time.Time   // writes are refused until then
}

// anonymous is the quota of requests without a token.
func (c *call) quota() *quota {
	if c.token == nil {
		return nil
	}
	q := &c.token.quota
	if !c.now.Before(q.reset) {
		q.used, q.reset = 0, c.now.Truncate(time.Second).Add(time.Hour)
	}
	return q
}

// limit refuses what is asked too often.
func (c *call) limit() *answer {
	q := c.quota()
	if q == nil || c.route != nil && c.route.template == "/rate_limit" {
		return nil
	}
	limits := c.s.params.Limits
	if q.used >= limits.Hour {
		return c.exhausted(limits.Primary)
	}
	if !c.write() {
		return nil
	}
	recent := q.writes[:0]
	for _, at := range q.writes {
		if c.now.Sub(at) < time.Minute {
			recent = append(recent, at)
		}
	}
	recent = append(recent, c.now)
	q.writes = recent
	n := len(q.writes)
	tooClose := limits.Gap > 0 && n > 1 && c.now.Sub(q.writes[n-2]) < limits.Gap
	switch {
	case c.now.Before(q.blocked):
	case tooClose || n > limits.Minute:
		q.blocked = c.now.Add(limits.Block)
	default:
		return nil
	}
	return c.secondary(limits.Secondary, q.blocked.Sub(c.now))
}

// charge counts the request and says what is left. A 304 is free.
func (c *call) charge(a *answer) {
	q := c.quota()
	if q == nil || a.header.Get("X-Ratelimit-Limit") != "" || a.header.Get(bare) != "" {
		a.header.Del(bare)
		return
	}
	free := a.status == http.StatusNotModified || c.route != nil && c.route.template == "/rate_limit"
	if !free && q.used < c.s.params.Limits.Hour {
		q.used++
		c.entry.Charged = true
	}
	c.rates(a, c.s.params.Limits.Hour-q.used, q.reset)
}

// bare marks an answer that says nothing about limits.
const bare = "X-Bare"

func (c *call) rates(a *answer, left int, reset time.Time) {
	hour := c.s.params.Limits.Hour
	a.header.Set("X-Ratelimit-Limit", strconv.Itoa(hour))
	a.header.Set("X-Ratelimit-Remaining", strconv.Itoa(left))
	a.header.Set("X-Ratelimit-Used", strconv.Itoa(hour-left))
	a.header.Set("X-Ratelimit-Reset", strconv.FormatInt(reset.Unix(), 10))
	a.header.Set("X-Ratelimit-Resource", "core")
}

func (c *call) exhausted(status int) *answer {
	var id int64
	if c.viewer != nil {
		id = c.viewer.id
	}
	a := newAnswer(status, map[string]any{
		"message":           fmt.Sprintf("API rate limit exceeded for user ID %d. If you reach out to GitHub Support for help, please include the request ID and timestamp.", id),
		"documentation_url": docs + "/using-the-rest-api/rate-limits-for-the-rest-api", "status": strconv.Itoa(status),
	})
	reset := c.now.Add(time.Hour)
	if q := c.quota(); q != nil {
		reset = q.reset
	}
	c.rates(a, 0, reset)
	return a
}

// secondary is the answer to who writes too fast.
func (c *call) secondary(mode SecondaryMode, wait time.Duration) *answer {
	url, status := "https://docs.github.com/free-pro-team@latest/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits", http.StatusForbidden
	switch mode {
	case WithOddURL:
		url = "https://docs.github.com/en/site-policy/github-terms/github-terms-of-service"
	case WithStatus429:
		status = http.StatusTooManyRequests
	default: // as GitHub says it of most
	}
	a := newAnswer(status, map[string]any{
		"message":           "You have exceeded a secondary rate limit and have been temporarily blocked from content creation. Please retry your request again later.",
		"documentation_url": url, "status": strconv.Itoa(status),
	})
	switch mode {
	case WithRetryAfter, WithOddURL, WithStatus429:
		a.header.Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
	case WithDate:
		a.header.Set("Retry-After", c.now.Add(wait+time.Second-1).Truncate(time.Second).Format(http.TimeFormat))
	case WithNothing:
		a.header.Set(bare, "yes")
	case WithResetFar:
		c.rates(a, farLeft, c.now.Add(farReset))
	case WithResetPast:
		c.rates(a, farLeft, c.now.Add(-pastReset))
	}
	return a
}

// getRateLimit is GET /rate_limit, which is free.
func (c *call) getRateLimit() *answer {
	q, hour := c.quota(), c.s.params.Limits.Hour
	one := func(limit, used int) map[string]any {
		return map[string]any{"limit": limit, "used": used, "remaining": limit - used, "reset": q.reset.Unix()}
	}
	core := one(hour, q.used)
	return newAnswer(http.StatusOK, map[string]any{
		"resources": map[string]any{"core": core, "search": one(30, 0), "graphql": one(5000, 0)}, "rate": core,
	})
}
