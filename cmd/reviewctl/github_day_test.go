package main

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestGitHubDay lives through a day of pull requests in virtual time, with the
// transport in memory. (issue 4, "Checks")
func TestGitHubDay(t *testing.T) {
	t.Parallel()
	p := dayParams{seed: 4, repos: 200, pulls: 2000, horizon: 24 * time.Hour, interval: 3 * time.Minute}
	if testing.Short() {
		p = dayParams{seed: 4, repos: 30, pulls: 100, horizon: 6 * time.Hour, interval: 3 * time.Minute}
	}
	synctest.Test(t, func(t *testing.T) {
		d := newDay(t, clock{}, p)
		d.start()
		began := time.Now()
		d.live()
		took := time.Since(began)
		d.stop()
		t.Logf("%d repositories, %d pull requests, %s of virtual time, %d events", p.repos, p.pulls, took, d.log.Len())
		t.Logf("events: %s", d.figures)
		d.figures.checkSettled(t)
		d.figures.checkWaits(t)
		heads := map[dayPull]dayHeads{}
		for i := range d.pulls {
			pull := &d.pulls[i]
			heads[dayPull{string(pull.repo.Name()), pull.Number}] = dayHeads{heads: pull.heads, reviews: d.figures.reviews(pull.stream())}
			d.checkPull(pull)
		}
		d.calls.check(t, heads)
		d.hub.Check(t)
	})
}

// live lets people do what is planned, and then waits until nothing is on its way.
func (d *day) live() {
	began := time.Now()
	for _, act := range planDay(d.params) {
		time.Sleep(time.Until(began.Add(act.at)))
		d.do(act)
	}
	time.Sleep(time.Until(began.Add(d.params.horizon)))
	for range dayRest / dayPause { // what was pushed last has its debounce before it
		time.Sleep(dayPause)
		if time.Since(began) > d.params.horizon+time.Hour && d.figures.quiet() {
			return
		}
	}
}

// Bounds of the rest of a day.
const (
	dayPause = 10 * time.Minute
	dayRest  = 6 * time.Hour
)

// checkPull holds what stands on GitHub against what is on record.
func (d *day) checkPull(pull *dayPR) {
	d.t.Helper()
	var ours, ofHead int
	for _, r := range pull.Reviews() {
		switch {
		case r.State == "PENDING":
			d.t.Errorf("%s: a pending review is left", pull.stream())
		case r.Author == dayBot:
			ours++
			if r.Original == pull.Head() {
				ofHead++
			}
		}
	}
	if n := d.figures.reviews(pull.stream()); ours != n {
		d.t.Errorf("%s: %d reviews stand there, %d are on record", pull.stream(), ours, n)
	}
	if waits := pull.ended || pull.draft; ofHead > 1 || ofHead == 0 && !waits {
		d.t.Errorf("%s: its head %s has %d reviews", pull.stream(), pull.Head(), ofHead)
	}
	labels := slices.DeleteFunc(pull.LabelNames(), func(name string) bool { return !strings.HasPrefix(name, "reviewctl:") })
	switch {
	case len(labels) > 1, len(labels) == 1 && !pull.labels:
		d.t.Errorf("%s: it has the labels %v", pull.stream(), labels)
	case len(labels) == 0 && pull.labels && !pull.ended && ofHead > 0:
		d.t.Errorf("%s: it has no label", pull.stream())
	}
}
