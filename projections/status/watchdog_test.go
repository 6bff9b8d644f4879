package status_test

import (
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections/status"
)

const repository events.StreamName = "repo-github.com/77"

// TestWatchdogNamesAllThatIsWrong: and a configuration that is taken after all
// ends the matter.
func TestWatchdogNamesAllThatIsWrong(t *testing.T) {
	t.Parallel()
	loaded := at{events.FleetStream, events.ConfigLoaded{Digest: "d", File: "/f.yaml", Kept: []string{"listen"}}}
	rejected := at{events.FleetStream, events.ConfigRejected{File: "/f.yaml", Reason: "unknown key: /f.yaml:1:1"}}
	waiting := at{runs, events.WorkspaceWaiting{Try: 1, Reason: "no such folder", Next: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}}
	stuck := at{pr, events.PublicationStuck{Run: run, Tries: 9, Why: "forbidden"}}
	flags := func(enabled bool) at {
		return at{repository, events.RepoConfigured{Repo: "acme/shop", Base: "main", Enabled: enabled}}
	}
	unreachable := at{repository, events.RepoUnreachable{Reason: "no such folder"}}
	for name, c := range map[string]struct {
		story []at
		want  string
	}{
		"unreachable":              {[]at{flags(true), unreachable}, ": no such folder"},
		"reachable again":          {[]at{flags(true), unreachable, {repository, events.RepoReachable{Was: "no such folder"}}}, ""},
		"unreachable and disabled": {[]at{flags(true), unreachable, flags(false)}, ""},
		"well":                     {[]at{loaded}, ""},
		"rejected":                 {[]at{loaded, rejected}, "the configuration was rejected: unknown key: /f.yaml:1:1"},
		"rejected at first":        {[]at{rejected}, "the configuration was rejected: unknown key: /f.yaml:1:1"},
		"taken after all":          {[]at{loaded, rejected, loaded}, ""},
		"code cannot be had":       {[]at{opened, queued, requested, started, waiting}, "the code of acme/shop#5 cannot be had, tried again at 2026-05-01T00:00:00Z: no such folder"},
		"two things at a time":     {[]at{rejected, opened, queued, requested, started, adopted, stuck}, "publications that are stuck: 1; the configuration was rejected: unknown key: /f.yaml:1:1"},
	} {
		rows, log := view(t, c.story...)
		report, err := status.Status(t.Context(), rows, log.Now())
		if err != nil {
			t.Fatal(err)
		}
		w := report.Watchdog
		if w.OK != (c.want == "") || !w.OK && !strings.HasSuffix(w.Why, c.want) {
			t.Errorf("%s: %+v", name, w)
		}
	}
	rows, _ := view(t, loaded, rejected)
	fleet, err := status.FleetNow(t.Context(), rows)
	if err != nil || fleet.Config == nil || fleet.Config.Digest != "d" || fleet.Config.Rejected == nil || len(fleet.Config.Kept) != 1 {
		t.Fatalf("%+v, %v", fleet.Config, err)
	}
}

func TestWaitingForDaemon(t *testing.T) {
	t.Parallel()
	anybody := at{pr, events.HeadQueued{Head: head, Owner: events.OwnerAny}}
	terminal := at{pr, events.HeadQueued{Head: head, Owner: "b1"}}
	for name, c := range map[string]struct {
		story []at
		want  bool
	}{
		"queued":          {[]at{opened, anybody}, true},
		"running":         {[]at{opened, anybody, requested, started}, true},
		"of a terminal":   {[]at{opened, terminal, requested, started}, false},
		"settled":         {[]at{opened, anybody, requested, started, settled}, false},
		"being published": {[]at{opened, anybody, requested, started, adopted}, true},
	} {
		rows, _ := view(t, c.story...)
		found, err := status.WaitingForDaemon(t.Context(), rows)
		if err != nil || (found != nil) != c.want {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
}

// TestEstimate: who waits is served at the pace of the newest runs; without any,
// nobody knows.
func TestEstimate(t *testing.T) {
	t.Parallel()
	wait := func(n string) at {
		other := events.Ticket{Run: events.RunID("00000000000000b" + n), PR: pr, Repo: "acme/shop", Number: 5, Head: next}
		return at{events.FleetStream, events.RunHeld{Ticket: other, Key: "1/" + n, Reason: "max_runs"}}
	}
	one := at{events.FleetStream, events.FleetConfigured{MaxRuns: 1}}
	for name, c := range map[string]struct {
		story []at
		known bool
	}{
		"no history": {[]at{opened, queued, one, wait("1"), wait("2")}, false},
		"one run":    {[]at{opened, queued, requested, started, ended, one, wait("1"), wait("2")}, true},
	} {
		rows, log := view(t, c.story...)
		queue, err := status.Queue(t.Context(), rows)
		if err != nil {
			t.Fatal(err)
		}
		if err := queue.Estimate(t.Context(), rows, log.Now()); err != nil {
			t.Fatal(err)
		}
		var etas []time.Time
		for _, p := range queue.Items {
			if p.Line == status.LineFleet && p.ETA != nil {
				etas = append(etas, *p.ETA)
			}
		}
		if c.known != (len(etas) == 2) {
			t.Errorf("%s: %v", name, etas)
		}
		if len(etas) == 2 && (!etas[0].After(log.Now()) || !etas[1].After(etas[0])) {
			t.Errorf("%s: %v, and now is %s", name, etas, log.Now())
		}
	}
}
