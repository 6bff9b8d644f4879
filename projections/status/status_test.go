package status_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/catalogue"
	"github.com/reviewctl/reviewctl/projections/rowstest"
	"github.com/reviewctl/reviewctl/projections/status"
)

const (
	pr   events.StreamName = "pr-github.com/77/5"
	run  events.RunID      = "00000000000000a1"
	runs events.StreamName = "run-00000000000000a1"
	head events.Commit     = "1111111111111111111111111111111111111111"
	next events.Commit     = "2222222222222222222222222222222222222222"
)

// at is an event: where, and what.
type at struct {
	stream  events.StreamName
	payload events.Payload
}

func view(t *testing.T, story ...at) (projections.Rows, *rowstest.Log) {
	t.Helper()
	var all []rowstest.At
	for _, s := range story {
		all = append(all, rowstest.At{Stream: s.stream, Payload: s.payload})
	}
	return rowstest.Build(t, catalogue.All(), all...)
}

func ticket() events.Ticket {
	return events.Ticket{Run: run, PR: pr, Repo: "acme/shop", Number: 5, Head: head}
}

var (
	opened    = at{pr, events.PROpened{Host: "github.com", RepoID: "77", Repo: "acme/shop", Number: 5, Title: "T", Author: "ann"}}
	queued    = at{pr, events.HeadQueued{Head: head, Trigger: events.TriggerOpened}}
	requested = at{pr, events.RunRequested{Run: run, Repo: "acme/shop", Number: 5, Head: head}}
	held      = at{events.FleetStream, events.RunHeld{Ticket: ticket(), Key: "1/5", Reason: "max_runs"}}
	admitted  = at{events.FleetStream, events.RunAdmitted{Ticket: ticket()}}
	started   = at{runs, events.RunStarted{PR: pr, Repo: "acme/shop", Number: 5, Head: head}}
	adopted   = at{pr, events.VerdictAdopted{Run: run, Head: head, Verdict: events.VerdictApprove, Outcome: events.OutcomeClean, Target: events.TargetForge, Try: 1}}
	ended     = at{runs, events.RunEnded{PR: pr, Head: head, Outcome: events.OutcomeClean, Why: "done"}}
	settled   = at{pr, events.HeadSettled{Head: head, Run: run, Outcome: events.OutcomeClean}}
	draft     = at{pr, events.HeadSkipped{Head: head, Cause: events.HoldDraft, Why: "it is a draft"}}
	pushed    = at{pr, events.HeadQueued{Head: next, Trigger: events.TriggerPush}}
)

// stands is a story, the state of its first head, and the pull request's head.
type stands struct {
	story []at
	want  status.State
	of    events.Commit
}

func headStates() map[string]stands {
	begun := []at{opened, queued, requested, admitted, started}
	judged := append(append([]at{}, begun...), adopted, ended, settled)
	with := func(story []at, more ...at) []at { return append(append([]at{}, story...), more...) }
	return map[string]stands{
		"queued":                            {[]at{opened, queued}, status.StateQueued, head},
		"requested":                         {[]at{opened, queued, requested}, status.StateWaiting, head},
		"held":                              {[]at{opened, queued, requested, held}, status.StateWaiting, head},
		"started":                           {begun, status.StateRunning, head},
		"publishing, though the run ended":  {judged, status.StatePublishing, head},
		"published":                         {with(judged, at{pr, events.VerdictPublished{Run: run, Head: head}}), status.StateReviewed, head},
		"failed to publish":                 {with(judged, at{pr, events.PublicationFailed{Run: run, Try: 1}}), status.StatePublishing, head},
		"stuck":                             {with(judged, at{pr, events.PublicationStuck{Run: run, Tries: 10}}), status.StateStuck, head},
		"stuck, then opened again":          {with(judged, at{pr, events.PublicationStuck{Run: run}}, at{pr, events.PublicationResumed{Run: run, Head: head, Try: 1}}), status.StatePublishing, head},
		"abandoned":                         {with(judged, at{pr, events.PublicationAbandoned{Run: run}}), status.StateSuperseded, head},
		"closed, then abandoned":            {with(judged, at{pr, events.HeadClosed{Head: head}}, at{pr, events.PublicationAbandoned{Run: run}}), status.StateClosed, head},
		"abandoned, for it is closed":       {with(judged, at{pr, events.PublicationAbandoned{Run: run, Cause: events.AbandonClosed}}), status.StateClosed, head},
		"abandoned, and queued again":       {with(judged, at{pr, events.PublicationAbandoned{Run: run, Cause: events.AbandonBase}}, queued), status.StateQueued, head},
		"a draft at first sight":            {[]at{opened, draft}, status.StateSkipped, head},
		"a draft while it waits":            {[]at{opened, queued, draft}, status.StateSkipped, head},
		"a draft while it runs":             {with(begun, at{pr, events.HeadSkipped{Head: head, Cause: events.HoldDraft, Run: run}}), status.StateSkipped, head},
		"a draft that is asked for":         {[]at{opened, draft, queued}, status.StateQueued, head},
		"pushed to as a draft":              {with(judged, at{pr, events.PublicationAbandoned{Run: run}}, at{pr, events.HeadSkipped{Head: next, Cause: events.HoldDraft}}), status.StateSuperseded, next},
		"come back to":                      {with(judged, at{pr, events.VerdictPublished{Run: run, Head: head}}, pushed, at{pr, events.HeadSuperseded{Head: next, By: head}}, at{pr, events.HeadSkipped{Head: head, Cause: events.HoldReviewed, Reviewed: run}}), status.StateReviewed, head},
		"judged, for no forge":              {with(begun, at{pr, events.VerdictAdopted{Run: run, Head: head, Outcome: events.OutcomeClean, Target: events.TargetNone}}), status.StateReviewed, head},
		"cancelled":                         {with(begun, at{pr, events.HeadCancelled{Head: head, Run: run, Reason: "no"}}), status.StateCancelled, head},
		"closed":                            {with(begun, at{pr, events.HeadClosed{Head: head, Run: run}}), status.StateClosed, head},
		"failed":                            {with(begun, at{pr, events.HeadSettled{Head: head, Run: run, Outcome: events.OutcomeFailed}}), status.StateFailed, head},
		"not run":                           {with(begun, at{pr, events.HeadSettled{Head: head, Run: run, Outcome: events.OutcomeNotRun}}), status.StateNotRun, head},
		"superseded":                        {with(begun, at{pr, events.HeadSuperseded{Head: head, By: next, Run: run}}, pushed), status.StateSuperseded, next},
		"superseded before its run started": {[]at{opened, queued, requested, admitted, {pr, events.HeadSuperseded{Head: head, By: next, Run: run}}, pushed, started}, status.StateSuperseded, next},
		"queued again":                      {with(begun, at{pr, events.HeadQueued{Head: head, Trigger: events.TriggerRetry, Attempt: 1, Why: "infra"}}), status.StateQueued, head},
		"an old run's discarded verdict":    {with(begun, at{pr, events.HeadSuperseded{Head: head, By: head, Run: run}}, queued, at{pr, events.VerdictDiscarded{Run: run, Head: head}}), status.StateQueued, head},
	}
}

func TestHeadStates(t *testing.T) {
	t.Parallel()
	for name, c := range headStates() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, log := view(t, c.story...)
			h, err := status.HeadOf(t.Context(), rows, pr, head)
			if err != nil || h == nil || h.State != c.want {
				t.Fatalf("got %+v, %v", h, err)
			}
			if h.Event.Stream == "" || len(h.Events) == 0 {
				t.Errorf("no event behind it: %+v", h)
			}
			p, err := status.PRByStream(t.Context(), rows, pr)
			if err != nil || p.Head != c.of {
				t.Fatalf("the pull request is at %+v, %v", p, err)
			}
			if c.of == head && p.State != c.want {
				t.Errorf("the pull request is %s", p.State)
			}
			report, err := status.Status(t.Context(), rows, log.Now())
			if err != nil {
				t.Fatal(err)
			}
			total := 0
			for _, n := range report.Heads {
				total += n
			}
			if heads, _ := status.GetHeads(t.Context(), rows, status.Filter{}); report.Heads[c.want] != 1 || total != len(heads.Items) {
				t.Errorf("counted %v", report.Heads)
			}
		})
	}
}

func lane(n int, rank string) (requested, queued, granted, released at) {
	id := events.LaneID(fmt.Sprint("lane", n))
	return at{runs, events.LaneRequested{Lane: id, Attempt: 1, Pool: "gpt", Account: "main", Rank: rank}},
		at{"pool-gpt", events.LaneQueued{Run: run, Lane: id, Attempt: 1, Key: rank}},
		at{"pool-gpt", events.LaneGranted{Run: run, Lane: id, Attempt: 1, Slot: 0}},
		at{"pool-gpt", events.LaneReleased{Run: run, Lane: id, Attempt: 1, Slot: 0}}
}

func TestQueueOrder(t *testing.T) {
	t.Parallel()
	when := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	other := ticket()
	other.Run, other.Head = "00000000000000b2", next
	_, q1, _, _ := lane(1, "2/b")
	_, q2, _, _ := lane(2, "1/z")
	_, q3, g3, _ := lane(3, "0/a")
	rows, _ := view(t, opened, queued, requested, held,
		at{"pr-github.com/77/6", events.HeadQueued{Head: next, NotBefore: when}},
		at{events.FleetStream, events.RunHeld{Ticket: other, Key: "0/9", Reason: "max_runs"}},
		q1, q2, q3, g3,
		at{"account-main", events.BudgetRefused{Run: run, Lane: "lane4", Attempt: 1, Rank: "1/a", Pool: "gpt", Until: when, Reason: "full"}},
		at{"account-main", events.BudgetRefused{Run: run, Lane: "lane5", Attempt: 1, Rank: "1/b", Pool: "gpt", Reason: "it can never fit"}},
	)
	queue, err := status.Queue(t.Context(), rows)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range queue.Items {
		got = append(got, fmt.Sprintf("%d %s %s %s", p.Place, p.Line, p.Rank, p.ID))
	}
	want := []string{
		"1 1-fleet 0/9 " + string(next), "2 1-fleet 1/5 " + string(head),
		"3 2-pool 1/z " + string(run) + "/lane2", "4 2-pool 2/b " + string(run) + "/lane1",
		"5 3-budget 1/a " + string(run) + "/lane4",
		"6 4-debounce " + events.FormatTime(when) + " " + string(next),
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	standings, err := status.Standings(t.Context(), rows, func(p *status.Place) bool { return p.ID == string(run)+"/lane1" })
	if err != nil || len(standings) != 1 || standings[0].Place.Place != 2 || standings[0].Of != 2 {
		t.Fatalf("got %+v, %v", standings, err)
	}
}

func TestSharedCounts(t *testing.T) {
	t.Parallel()
	r1, q1, g1, d1 := lane(1, "a")
	_, q2, _, _ := lane(2, "b")
	reserve := func(n int, tokens int64) at {
		return at{"account-main", events.BudgetReserved{Run: run, Lane: events.LaneID(fmt.Sprint("lane", n)), Attempt: 1, Tokens: tokens}}
	}
	refuse := at{"account-main", events.BudgetRefused{Run: run, Lane: "lane1", Attempt: 1, Until: time.Unix(9, 0), Reason: "full"}}
	never := at{"pool-gpt", events.LaneReleased{Run: run, Lane: "lane9", Attempt: 1, Slot: -1}}
	left := at{"pool-gpt", events.LaneReleased{Run: run, Lane: "lane2", Attempt: 1, Slot: -1}}
	sized := at{"pool-gpt", events.PoolSized{Size: 3}}
	for name, c := range map[string]struct {
		story   []at
		pool    string // size used waiting
		account string // reserved open waiting spent
	}{
		"in the line":            {[]at{sized, q1, q2}, "3 0 2", ""},
		"granted":                {[]at{sized, q1, q2, g1}, "3 1 1", ""},
		"released":               {[]at{sized, q1, q2, g1, d1}, "3 0 1", ""},
		"left the line":          {[]at{sized, q1, q2, left}, "3 0 1", ""},
		"never came":             {[]at{sized, q1, never}, "3 0 1", ""},
		"expired":                {[]at{sized, q1, g1, {"pool-gpt", events.LaneExpired{Run: run, Lane: "lane1", Attempt: 1}}}, "3 0 0", ""},
		"reserved":               {[]at{reserve(1, 5), reserve(2, 7)}, "", "12 2 0 0"},
		"settled":                {[]at{reserve(1, 5), {"account-main", events.BudgetSettled{Run: run, Lane: "lane1", Attempt: 1, Reserved: 5, Used: 9}}}, "", "0 0 0 9"},
		"refused":                {[]at{refuse}, "", "0 0 1 0"},
		"refused again":          {[]at{refuse, refuse}, "", "0 0 1 0"},
		"refused, then reserved": {[]at{r1, refuse, reserve(1, 4)}, "", "4 1 0 0"},
		"refused, then given up": {[]at{refuse, {"account-main", events.BudgetReleased{Run: run, Lane: "lane1", Attempt: 1}}}, "", "0 0 0 0"},
		"refused for good":       {[]at{refuse, {"account-main", events.BudgetRefused{Run: run, Lane: "lane1", Attempt: 1}}}, "", "0 0 0 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, _ := view(t, c.story...)
			pools, err := status.GetPools(t.Context(), rows, status.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range pools.Items {
				if got := fmt.Sprint(p.Size, p.Used, p.Waiting); got != c.pool {
					t.Errorf("pool: got %s, want %s", got, c.pool)
				}
			}
			accounts, err := status.GetAccounts(t.Context(), rows, status.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range accounts.Items {
				if got := fmt.Sprint(a.Reserved, a.Open, a.Waiting, a.Spent); got != c.account {
					t.Errorf("account: got %s, want %s", got, c.account)
				}
			}
		})
	}
}

func TestFleet(t *testing.T) {
	t.Parallel()
	rows, log := view(t, opened, queued, requested,
		at{events.FleetStream, events.FleetConfigured{MaxRuns: 2}}, held,
		at{events.FleetStream, events.FleetPaused{Scope: ""}}, at{events.FleetStream, events.FleetPaused{Scope: "acme/shop"}},
		at{events.FleetStream, events.FleetPaused{Scope: ""}})
	report, err := status.Status(t.Context(), rows, log.Now())
	if err != nil {
		t.Fatal(err)
	}
	if f := report.Fleet; report.Mode != "paused" || f.Waiting != 1 || f.Running != 0 || f.MaxRuns != 2 || len(f.Paused) != 2 {
		t.Fatalf("got %s %+v", report.Mode, f)
	}
	rows, log = view(t, opened, queued, requested, held, admitted, started,
		at{events.FleetStream, events.FleetPaused{}}, at{events.FleetStream, events.FleetResumed{}})
	if report, err = status.Status(t.Context(), rows, log.Now()); err != nil {
		t.Fatal(err)
	}
	if f := report.Fleet; report.Mode != "normal" || f.Waiting != 0 || f.Running != 1 || len(report.Runs) != 1 {
		t.Fatalf("got %s %+v, %d runs", report.Mode, f, len(report.Runs))
	}
	rows, log = view(t, opened, queued, requested, held, admitted, started, ended, at{events.FleetStream, events.RunFreed{Run: run}})
	if report, err = status.Status(t.Context(), rows, log.Now()); err != nil || report.Fleet.Running != 0 || len(report.Runs) != 0 {
		t.Fatalf("got %+v, %d runs, %v", report.Fleet, len(report.Runs), err)
	}
}

func TestWatchdog(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	rows, _ := view(t, opened, at{pr, events.HeadQueued{Head: head, NotBefore: due}})
	for late, ok := range map[time.Duration]bool{-time.Hour: true, status.WatchdogGrace: true, status.WatchdogGrace + time.Second: false} {
		report, err := status.Status(t.Context(), rows, due.Add(late))
		if err != nil || report.Watchdog.OK != ok || report.Watchdog.Why == "" {
			t.Errorf("%s late: %+v, %v", late, report.Watchdog, err)
		}
	}
}

// TestShapes: the names of CLI.md stand in the JSON of each list.
func TestShapes(t *testing.T) {
	t.Parallel()
	r1, q1, _, _ := lane(1, "a")
	rows, log := view(t, opened, queued, requested, admitted, started, r1, q1,
		at{"account-main", events.AccountConfigured{SessionTokens: 5}})
	ctx := context.Background()
	text := func(v any, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	f := status.Filter{}
	prs, e1 := status.GetPRs(ctx, rows, f)
	heads, e2 := status.GetHeads(ctx, rows, f)
	allRuns, e3 := status.GetRuns(ctx, rows, f)
	lanes, e4 := status.GetLanes(ctx, rows, f)
	pools, e5 := status.GetPools(ctx, rows, f)
	accounts, e6 := status.GetAccounts(ctx, rows, f)
	queue, e7 := status.Queue(ctx, rows)
	report, e8 := status.Status(ctx, rows, log.Now())
	for _, c := range []struct{ text, begins, names string }{
		{text(prs, e1), `{"items":[{"repo":"acme/shop","number":5,`, "head base state since updated"},
		{text(heads, e2), `{"items":[{"head":"1111`, "repo number base state since updated run"},
		{text(allRuns, e3), `{"items":[{"run":"` + string(run), "repo number head base state since updated"},
		{text(lanes, e4), `{"items":[{"lane":"lane1","run":`, "kind role phase engine model pool account attempt status since updated"},
		{text(pools, e5), `{"items":[{"pool":"gpt"`, "since updated"},
		{text(accounts, e6), `{"items":[{"account":"main"`, "updated"},
		{text(queue, e7), `{"items":[{"place":1,"kind":"lane","id":`, "repo number pool rank why eta"},
		{text(report, e8), `{"time":"2026-`, "mode heads runs pools accounts watchdog counters ok why"},
	} {
		if !strings.HasPrefix(c.text, c.begins) {
			t.Errorf("%s\ndoes not begin with %s", c.text, c.begins)
		}
		for _, name := range strings.Fields(c.names) {
			if !strings.Contains(c.text, `"`+name+`":`) {
				t.Errorf("no %q in %s", name, c.text)
			}
		}
	}
	if got := text(prs, nil); !strings.HasSuffix(got, `"next":null}`) {
		t.Errorf("no next in %s", got)
	}
}

func TestFinding(t *testing.T) {
	t.Parallel()
	open := func(stream events.StreamName, repo events.RepoName, n int) at {
		return at{stream, events.PROpened{Repo: repo, Number: n}}
	}
	rows, _ := view(t, opened, open("pr-github.com/77/15", "acme/shop", 15), open("pr-github.com/78/6", "acme/shop2", 6), queued, requested)
	for number, want := range map[int]events.StreamName{5: pr, 15: "pr-github.com/77/15", 4: "", 6: "", 16: ""} {
		found, err := status.FindPR(t.Context(), rows, "acme/shop", number)
		if err != nil || (found == nil) != (want == "") || found != nil && found.Stream != want {
			t.Errorf("#%d: %+v, %v", number, found, err)
		}
	}
	for prefix, want := range map[string]int{"1111": 1, "2": 0, "": 0} {
		if heads, err := status.HeadsByPrefix(t.Context(), rows, status.Filter{ID: prefix}); err != nil || len(heads.Items) != want {
			t.Errorf("heads %q: %+v, %v", prefix, heads, err)
		}
	}
	if found, err := status.RunsByPrefix(t.Context(), rows, "00000000"); err != nil || len(found) != 1 {
		t.Errorf("runs: %+v, %v", found, err)
	}
}
