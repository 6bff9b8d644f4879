package main

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/adapters/github/githubtest"
	"github.com/reviewctl/reviewctl/events"
)

// What is polled where nothing happens.
const (
	quietRepos    = 500
	quietInterval = 3 * time.Minute
	quietRounds   = 5 // within the hour for which a repository is taken to be called what it was called
)

// newQuietDay has a draft in each repository, which nobody touches.
func newQuietDay(t testing.TB, clock actors.Clock) *day {
	t.Helper()
	d := newDay(t, clock, dayParams{seed: 5, repos: quietRepos, interval: quietInterval})
	for _, repo := range d.repos {
		repo.Push("topic", githubtest.Files{"a.go": "package a\n"})
		repo.Open(githubtest.Pull{Head: "topic", Draft: true})
	}
	d.start()
	return d
}

// quietCount is what a moment looks like.
type quietCount struct {
	requests, unchanged int
	lists               int // that were new
	events              events.Position
}

func (d *day) quietCount() quietCount {
	d.calls.mu.Lock()
	defer d.calls.mu.Unlock()
	return quietCount{
		requests: d.calls.total() + d.calls.unchanged, unchanged: d.calls.unchanged,
		lists: d.calls.routes["GET /repos/{owner}/{repo}/pulls"][http.StatusOK], events: d.log.Len(),
	}
}

// TestGitHubQuietPolls: polling 500 quiet repositories costs one conditional request
// each and no append. (issue 4, "Speed")
func TestGitHubQuietPolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newQuietDay(t, clock{})
		time.Sleep(2*quietInterval - 50*time.Millisecond) // between two rounds
		before := d.quietCount()
		if before.lists != quietRepos || d.figures.of("head.skipped") != quietRepos {
			t.Fatalf("%d lists were read and %d drafts skipped before the quiet, want %d", before.lists, d.figures.of("head.skipped"), quietRepos)
		}
		time.Sleep(quietRounds * quietInterval)
		after := d.quietCount()
		d.stop()
		requests, unchanged, appended := after.requests-before.requests, after.unchanged-before.unchanged, after.events-before.events
		t.Logf("%d rounds over %d quiet repositories: %d requests, %d of them answered 304, %d events", quietRounds, quietRepos, requests, unchanged, appended)
		if requests != quietRounds*quietRepos || unchanged != requests || appended != 0 {
			t.Errorf("want %d conditional requests, all answered 304, and no event", quietRounds*quietRepos)
		}
	})
}

// BenchmarkGitHubQuietPolls measures a round of polls over 500 quiet repositories:
// the processor time of both sides, the requests and the appends. A round takes as
// long as the interval says, by a clock that runs faster.
func BenchmarkGitHubQuietPolls(b *testing.B) {
	d := newQuietDay(b, newFastClock(100))
	pass := func(t time.Duration) {
		over := make(chan struct{})
		d.clock.After(t, func() { close(over) })
		<-over
	}
	pass(2*quietInterval - 50*time.Millisecond)
	before, began, rounds := d.quietCount(), decidertest.CPU(), 0
	for b.Loop() {
		pass(quietInterval)
		rounds++
	}
	used, after := decidertest.CPU()-began, d.quietCount()
	d.stop()
	per := func(n int) float64 { return float64(n) / float64(rounds) }
	b.ReportMetric(per(after.requests-before.requests), "requests/round")
	b.ReportMetric(per(after.unchanged-before.unchanged), "304s/round")
	b.ReportMetric(per(int(after.events-before.events)), "appends/round")
	b.ReportMetric(per(int(used.Microseconds()))/1000, "cpu-ms/round")
}
