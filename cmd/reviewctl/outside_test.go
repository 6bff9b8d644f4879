package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/reviewctl/reviewctl/adapters/sqlite"
	"github.com/reviewctl/reviewctl/events"
)

// The variables by which a test has the command run otherwise, in a process of its
// own. Only this binary knows them: the real main function does not read them.
const (
	envKill  = "REVIEWCTL_TEST_KILL"  // before:TYPE:N or after:TYPE:N
	envClock = "REVIEWCTL_TEST_CLOCK" // SPEED:FROM, a fastClock
)

// commandMain is main with what the variables ask for.
func commandMain() {
	if text := os.Getenv(envClock); text != "" {
		fast, err := parseClock(text)
		if err != nil {
			panic(err)
		}
		timeSource = fast
	}
	if text := os.Getenv(envKill); text != "" {
		kill, err := parseKill(text)
		if err != nil {
			panic(err)
		}
		storeOf = func(log *sqlite.Log) events.Store {
			return &killingStore{Store: log, at: kill, seen: map[events.Type]int{}}
		}
	}
	main()
}

// fastClock runs ahead of the machine's from a time on.
type fastClock struct {
	speed time.Duration // seconds of it in one of the machine's
	from  time.Time
}

func newFastClock(speed int) fastClock {
	return fastClock{speed: time.Duration(speed), from: time.Now().UTC().Round(0)}
}

func parseClock(text string) (c fastClock, err error) {
	var nanoseconds int64
	_, err = fmt.Sscanf(text, "%d:%d", &c.speed, &nanoseconds)
	c.from = time.Unix(0, nanoseconds).UTC()
	return c, err
}

func (c fastClock) String() string { return fmt.Sprintf("%d:%d", c.speed, c.from.UnixNano()) }

func (c fastClock) Now() time.Time { return c.from.Add(time.Since(c.from) * c.speed) } //nolint:durationcheck // a factor

func (c fastClock) After(d time.Duration, f func()) (cancel func()) {
	return machineClock{}.After(d/c.speed, f)
}

// killPoint is the n-th event of a type, from the start of the process.
type killPoint struct {
	after bool
	of    events.Type
	n     int
}

func parseKill(text string) (p killPoint, err error) {
	parts := strings.SplitN(text, ":", 3)
	if len(parts) != 3 {
		return p, fmt.Errorf("%s=%s: want before:TYPE:N or after:TYPE:N", envKill, text)
	}
	p.after, p.of = parts[0] == "after", events.Type(parts[1])
	_, err = fmt.Sscan(parts[2], &p.n)
	return p, err
}

func (p killPoint) String() string {
	when := "before"
	if p.after {
		when = "after"
	}
	return fmt.Sprintf("%s:%s:%d", when, p.of, p.n)
}

// killingStore kills its process just before or just after an event is recorded.
type killingStore struct {
	events.Store

	at   killPoint
	mu   sync.Mutex
	seen map[events.Type]int
}

func (k *killingStore) Append(ctx context.Context, a events.Append) (events.Appended, error) {
	if !k.holds(a) {
		return k.Store.Append(ctx, a)
	}
	if !k.at.after {
		killSelf()
	}
	appended, err := k.Store.Append(ctx, a)
	if err == nil {
		killSelf()
	}
	return appended, err
}

// holds counts what is appended and reports whether the event is in it.
func (k *killingStore) holds(a events.Append) bool {
	if a.Retry {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	found := false
	for i := range a.Events {
		k.seen[a.Events[i].Type]++
		found = found || a.Events[i].Type == k.at.of && k.seen[k.at.of] == k.at.n
	}
	return found
}

// killSelf does not return.
func killSelf() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}
