package rowstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// fact is a payload and where it is to be recorded.
type fact struct {
	stream  events.StreamName
	payload events.Payload
}

// author makes up histories: what the actors could have recorded, with every end
// that a head, a lane and a publication has.
type author struct {
	r    *rand.Rand
	runs int
}

// Names that made-up histories use.
const (
	Account events.AccountName = "main"
	Pool    events.PoolName    = "gpt"
	Repo    events.RepoName    = "acme/shop"
)

// Stream names the nth made-up pull request.
func Stream(n int) events.StreamName { return events.PRStream("github.com", "77", n) }

// Write makes up a history of at least n events and adds it to the log. One seed
// gives one history.
func Write(l *Log, seed uint64, n int) {
	a := &author{r: rand.New(rand.NewPCG(seed, 2))}
	l.Add(events.FleetStream, events.FleetConfigured{MaxRuns: 3})
	l.Add(events.AccountStream(Account), events.AccountConfigured{SessionTokens: 1e6, WeeklyTokens: 1e7})
	l.Add(events.PoolStream(Pool), events.PoolSized{Size: 2, Reason: "configured"})
	l.Add("repo-github.com/77", events.RepoConfigured{Repo: Repo, Base: "main", Enabled: true})
	const atOnce = 8
	stories := make([][]fact, atOnce)
	pull, heads := make([]int, atOnce), make([]int, atOnce)
	next := 1
	for l.Len() < n {
		i := a.r.IntN(atOnce)
		if len(stories[i]) == 0 {
			if pull[i] == 0 || heads[i] >= 1+a.r.IntN(4) {
				pull[i], heads[i], next = next, 0, next+1
			}
			stories[i] = a.story(l.Now(), pull[i], heads[i])
			heads[i]++
		}
		step := 1 + a.r.IntN(min(4, len(stories[i])))
		for _, f := range stories[i][:step] {
			l.Add(f.stream, f.payload)
		}
		stories[i] = stories[i][step:]
		a.aside(l)
	}
}

// aside adds what belongs to no head.
func (a *author) aside(l *Log) {
	switch a.r.IntN(60) {
	case 0:
		l.Add(events.FleetStream, events.FleetPaused{Scope: string(Repo)})
	case 1:
		l.Add(events.FleetStream, events.FleetResumed{Scope: string(Repo)})
	case 2:
		l.Add(events.AccountStream(Account), events.BreakerOpened{Epoch: 1, Until: l.Now().Add(time.Hour), Cause: "limit"})
	case 3:
		l.Add(events.AccountStream(Account), events.BreakerClosed{Epoch: 1})
	case 4:
		l.Add("pr-github.com/77/1", events.Unknown{Name: "head.admired", Revision: 1, Raw: `{"by":"nobody here"}`})
	case 5:
		l.Add(events.SealStream, events.LogSealed{})
	case 6:
		l.Add(events.FleetStream, events.ConfigLoaded{Digest: "d", Rules: "r", File: "/f.yaml", Changed: []string{"pools.gpt"}})
	case 7:
		l.Add(events.FleetStream, events.ConfigRejected{File: "/f.yaml", Reason: "f.yaml:1:1: unknown key"})
	case 20, 21, 22:
		a.word(l)
	case 11:
		l.Add("repo-github.com/77", events.RepoUnreachable{Reason: "no such folder"})
	case 12:
		l.Add("repo-github.com/77", events.RepoReachable{Was: "no such folder"})
	}
}

// word is what a person says of a finding, with the message that it came with.
func (a *author) word(l *Log) {
	pr, number := Stream(1+a.r.IntN(4)), 1+a.r.IntN(4)
	inbox := events.InboxStream(fmt.Sprintf("%08x", l.Len()))
	l.Add(inbox, events.CommandReceived{Target: pr, Command: "pr.dismiss", Fields: "{}"})
	if a.chance(30) {
		return // nobody has answered yet
	}
	if a.chance(60) {
		l.Add(pr, events.FindingDismissed{Fingerprint: "0a1b2c3d4e5f", Number: number, Reason: "a fixture", Code: []events.CodePrint{"c"}})
	} else {
		l.Add(pr, events.FindingReopened{Fingerprint: "0a1b2c3d4e5f", Number: number})
	}
	l.Add(inbox, events.CommandSettled{Accepted: true})
}

func (a *author) chance(percent int) bool { return a.r.IntN(100) < percent }

func commitID(n, m int) events.Commit {
	return events.Commit(fmt.Sprintf("%020x%020x", n, m+1))
}

// story is the life of one head.
func (a *author) story(now time.Time, pull, head int) []fact {
	pr, fleet := Stream(pull), events.FleetStream
	commit, base := commitID(pull, head), commitID(0, 0)
	a.runs++
	run := events.RunID(fmt.Sprintf("%016x", a.runs*7919))
	runs := events.RunStream(run)
	settings := events.Settings{Target: events.TargetForge, Debounce: 60_000}
	var out []fact
	say := func(s events.StreamName, p events.Payload) { out = append(out, fact{s, p}) }
	if head == 0 {
		say(pr, events.PROpened{Host: "github.com", RepoID: "77", Repo: Repo, Number: pull, Ref: "topic", Base: "main", Title: "Change it", Author: fmt.Sprintf("dev%d", pull%5)})
	}
	if a.chance(20) {
		say(pr, events.PRDescribed{Repo: Repo, Ref: "topic", Title: fmt.Sprintf("Change it, %d", head), Author: fmt.Sprintf("dev%d", pull%5)})
	}
	if a.chance(15) {
		say(pr, events.HeadSkipped{Head: commit, Base: base, BaseRef: "main", Cause: events.HoldDraft, Why: "it is a draft", Settings: settings})
		if a.chance(50) {
			return out
		}
	}
	say(pr, events.HeadQueued{Head: commit, Base: base, Trigger: events.TriggerPush, Priority: 1, QueuedAt: now, NotBefore: now.Add(time.Minute), FirstPush: now, Owner: events.OwnerAny, Settings: settings})
	if a.chance(10) {
		say(pr, events.HeadSuperseded{Head: commit, By: commitID(pull, head+1)})
		return out
	}
	ticket := events.Ticket{Run: run, PR: pr, Repo: Repo, Number: pull, Ref: "topic", BaseRef: "main", Head: commit, Base: base, Priority: 1, QueuedAt: now, Owner: events.OwnerAny, Deadline: now.Add(6 * time.Hour), Settings: settings}
	say(pr, events.RunRequested{Run: run, Repo: Repo, Number: pull, Ref: "topic", BaseRef: "main", Head: commit, Base: base, Trigger: events.TriggerPush, Priority: 1, QueuedAt: now, Owner: events.OwnerAny, Deadline: ticket.Deadline, Settings: settings})
	if a.chance(50) {
		say(fleet, events.RunHeld{Ticket: ticket, Key: fmt.Sprintf("1/%d/%s", now.UnixNano(), run), Reason: "max_runs"})
	}
	end := events.RunEnded{PR: pr, Head: commit, Outcome: events.OutcomeCancelled, Why: "cancelled before it started"}
	if a.chance(10) {
		say(pr, events.HeadCancelled{Head: commit, Run: run, Reason: "not now"})
		say(runs, end)
		say(fleet, events.RunFreed{Run: run, Reason: "cancelled"})
		return out
	}
	say(fleet, events.RunAdmitted{Ticket: ticket})
	out = append(out, a.judge(now, ticket)...)
	say(fleet, events.RunFreed{Run: run, Reason: "ended"})
	if a.chance(5) {
		say(pr, events.HeadClosed{Head: commit, Reason: "merged"})
	}
	return out
}

// judge is the life of a run that was admitted.
func (a *author) judge(now time.Time, t events.Ticket) []fact {
	runs := events.RunStream(t.Run)
	var out []fact
	say := func(s events.StreamName, p events.Payload) { out = append(out, fact{s, p}) }
	say(runs, events.RunStarted{PR: t.PR, Repo: t.Repo, Number: t.Number, Head: t.Head, Base: t.Base, Owner: t.Owner, Deadline: t.Deadline, Target: events.TargetForge})
	say(runs, events.WorkspaceRequested{Try: 1, Repo: t.Repo, Head: t.Head, Base: t.Base, Owner: "b1", Until: now.Add(time.Minute)})
	if a.chance(20) {
		say(runs, events.WorkspaceWaiting{Try: 1, Reason: "the network is away", Next: now.Add(time.Minute)})
		say(runs, events.WorkspaceRequested{Try: 2, Repo: t.Repo, Head: t.Head, Base: t.Base, Owner: "b1", Until: now.Add(time.Hour)})
	}
	page := []events.ChangedFile{{Path: "go.sum", Status: "M", Added: 3, Excluded: events.ExcludedBuiltIn, Rule: "go.sum"}}
	say(runs, events.WorkspaceListed{Try: 1, Page: 1, Files: page})
	say(runs, events.WorkspaceReady{Try: 1, MergeBase: t.Base, Files: []events.ChangedFile{{Path: "a.go", Status: "M", Added: 4}}, Lines: 7, Pages: 1, Listed: 1})
	if a.chance(10) {
		say(runs, events.LaneSkipped{Lane: "large", Step: "review", Phase: "final", Role: "reviewer", Kind: "exec", Engine: "codex", Cause: events.SkippedSize, Reason: "too many lines"})
	}
	var found []events.Fingerprint
	for n := range 1 + a.r.IntN(3) {
		facts, raised := a.lane(now, t, events.LaneID(fmt.Sprintf("lane%d", n)))
		out, found = append(out, facts...), append(found, raised...)
	}
	if a.chance(15) {
		end := events.RunEnded{PR: t.PR, Head: t.Head, Outcome: events.OutcomeFailed, Kind: events.FailureInfra, Why: "its lanes failed"}
		say(runs, end)
		say(t.PR, events.HeadSettled{Head: t.Head, Run: t.Run, Outcome: end.Outcome, Why: end.Why})
		return out
	}
	say(runs, events.NumbersRequested{PR: t.PR, Head: t.Head, Fingerprints: found})
	numbers := []events.Number{}
	for i, f := range found {
		numbers = append(numbers, events.Number{Fingerprint: f, Number: i + 1, New: true})
	}
	numbering := events.FindingsNumbered{Run: t.Run, Numbers: numbers}
	if a.chance(30) {
		numbering.Fixed = []events.Number{{Number: len(found) + 1}}
	}
	if len(numbers) > 0 && a.chance(30) {
		numbers[0].Dismissal = &events.Dismissal{Reason: "a fixture", Event: events.Ref{Stream: t.PR, Version: 5}, Over: a.chance(50)}
	}
	say(t.PR, numbering)
	numbered := events.Ref{Stream: t.PR}
	say(runs, events.VerdictReached{PR: t.PR, Head: t.Head, Base: t.Base, Verdict: events.VerdictComment, Outcome: events.OutcomeFindings, Counts: events.Counts{Suggestion: len(found)}, Numbers: numbers, Target: events.TargetForge,
		Why: events.Reason{Rule: "verdict.suggestions", Text: "nothing blocks", Outcome: "COMMENT", Events: []events.Ref{numbered}, Children: []events.Reason{{Rule: "lane.ended", Text: "all lanes answered", Outcome: "yes"}}}})
	say(t.PR, events.VerdictAdopted{Run: t.Run, Head: t.Head, Base: t.Base, Verdict: events.VerdictComment, Outcome: events.OutcomeFindings, Target: events.TargetForge, Try: 1, Owner: "b1", PublishUntil: now.Add(time.Minute)})
	say(runs, events.RunEnded{PR: t.PR, Head: t.Head, Outcome: events.OutcomeFindings, Why: "a verdict was reached"})
	say(t.PR, events.HeadSettled{Head: t.Head, Run: t.Run, Outcome: events.OutcomeFindings, Why: "a verdict was reached"})
	return append(out, a.publish(now, t)...)
}

func (a *author) publish(now time.Time, t events.Ticket) []fact {
	var out []fact
	say := func(p events.Payload) { out = append(out, fact{t.PR, p}) }
	if a.chance(30) {
		say(events.PublicationFailed{Run: t.Run, Try: 1, Kind: events.FailureInfra, Message: "502", NextAt: now.Add(time.Minute)})
		say(events.PublicationResumed{Run: t.Run, Head: t.Head, Base: t.Base, Try: 2, Owner: "b1", Until: now.Add(2 * time.Minute)})
	}
	switch a.r.IntN(10) {
	case 0:
		say(events.PublicationStuck{Run: t.Run, Tries: 10, Why: "every try failed"})
	case 1:
		say(events.PublicationAbandoned{Run: t.Run, Why: "the head moved"})
	default:
		say(events.VerdictPublished{Run: t.Run, Head: t.Head, Try: 1, Receipt: "9001"})
		out = append(out, a.label(now, t)...)
	}
	return out
}

// label is the way of a published verdict's label, to its end or not.
func (a *author) label(now time.Time, t events.Ticket) []fact {
	out := []fact{{t.PR, events.LabelWanted{Verdict: events.VerdictComment, Try: a.runs, Owner: "b1", Until: now.Add(time.Minute)}}}
	switch a.r.IntN(4) {
	case 0:
		return append(out, fact{t.PR, events.LabelFailed{Try: a.runs, Kind: events.FailureInfra, Message: "502", NextAt: now.Add(time.Minute)}})
	case 1:
		return append(out, fact{t.PR, events.LabelSynced{Verdict: events.VerdictComment, Try: a.runs, Skipped: "there are none"}})
	default:
		return append(out, fact{t.PR, events.LabelSynced{Verdict: events.VerdictComment, Try: a.runs}})
	}
}

// lane is the life of one lane, with one attempt or two. It returns the findings
// that count.
func (a *author) lane(now time.Time, t events.Ticket, lane events.LaneID) (out []fact, found []events.Fingerprint) {
	for attempt := 1; attempt <= 2; attempt++ {
		facts, raised, again := a.attempt(now, t, lane, attempt)
		out = append(out, facts...)
		if !again {
			return out, raised
		}
	}
	return out, nil
}

func (a *author) attempt(now time.Time, t events.Ticket, lane events.LaneID, attempt int) (out []fact, found []events.Fingerprint, again bool) {
	runs, account, pool := events.RunStream(t.Run), events.AccountStream(Account), events.PoolStream(Pool)
	say := func(s events.StreamName, p events.Payload) { out = append(out, fact{s, p}) }
	rank := fmt.Sprintf("1/%d/%s/%s", now.UnixNano(), t.Run, lane)
	say(runs, events.LaneRequested{Lane: lane, Attempt: attempt, Step: "review", Phase: "final", Role: "reviewer", Kind: "exec", Engine: "codex", Model: "gpt-6", Pool: Pool, Account: Account, Estimate: 900, Rank: rank, Owner: t.Owner, Deadline: t.Deadline})
	if a.chance(20) {
		say(account, events.BudgetRefused{Run: t.Run, Lane: lane, Attempt: attempt, Tokens: 900, Pool: Pool, Rank: rank, Until: now.Add(time.Hour), Reason: "the window is full"})
		say(runs, events.LaneWaiting{Lane: lane, Attempt: attempt, Reason: "the window is full", Until: now.Add(time.Hour)})
		if a.chance(30) {
			say(runs, events.LaneWithdrawn{Lane: lane, Attempt: attempt, Pool: Pool, Account: Account, Reason: "superseded"})
			say(account, events.BudgetReleased{Run: t.Run, Lane: lane, Attempt: attempt, Reason: "withdrawn"})
			say(pool, events.LaneReleased{Run: t.Run, Lane: lane, Attempt: attempt, Slot: -1, Reason: "withdrawn"})
			return out, nil, false
		}
	}
	say(account, events.BudgetReserved{Run: t.Run, Lane: lane, Attempt: attempt, Tokens: 900, Pool: Pool, Rank: rank, Lapses: t.Deadline})
	say(pool, events.LaneQueued{Run: t.Run, Lane: lane, Attempt: attempt, Key: rank, Account: Account})
	say(pool, events.LaneGranted{Run: t.Run, Lane: lane, Attempt: attempt, Slot: 1, Generation: 4, Lease: now.Add(time.Hour)})
	say(runs, events.LaneBegan{Lane: lane, Attempt: attempt, Slot: 1, Owner: "b1", Deadline: now.Add(time.Hour), Pool: Pool, Account: Account, Engine: "codex", PR: t.PR, Head: t.Head})
	var raised []events.Fingerprint
	for range a.r.IntN(4) {
		f := events.Finding{Severity: events.AllSeverities()[a.r.IntN(3)], Category: "bug", Title: fmt.Sprintf("Remark %d", a.r.IntN(5)), File: "a.go", LineStart: 3, LineEnd: 4, Body: strings.Repeat("Because. ", 1+a.r.IntN(20)), Placement: events.PlacementInline}
		f.Identify()
		if a.chance(25) {
			say(runs, events.FindingWithheld{Lane: lane, Attempt: attempt, Finding: f, Reason: "not in the change"})
			continue
		}
		say(runs, events.FindingRaised{Lane: lane, Attempt: attempt, Finding: f})
		raised = append(raised, f.Fingerprint)
	}
	usage := events.Usage{InputTokens: 700, OutputTokens: 90, CostUSD: 0.25, Confidence: events.ConfidenceExact}
	switch a.r.IntN(10) {
	case 0:
		say(runs, events.LaneFailed{Lane: lane, Attempt: attempt, Kind: events.FailureInfra, Message: "it fell over", Pool: Pool, Account: Account, Usage: usage})
		again = true
	case 1:
		say(runs, events.LaneDeferred{Lane: lane, Attempt: attempt, Reason: "no capacity", NextAt: now.Add(time.Minute)})
		again = true
	case 2:
		say(runs, events.LaneStopRequested{Lane: lane, Attempt: attempt, Reason: "superseded"})
		say(runs, events.LaneStopped{Lane: lane, Attempt: attempt, Reason: "superseded", Usage: usage})
	default:
		say(runs, events.LaneCompleted{Lane: lane, Attempt: attempt, Usage: usage, Findings: len(raised), Engine: "codex/1"})
		found = raised
	}
	say(account, events.BudgetSettled{Run: t.Run, Lane: lane, Attempt: attempt, Reserved: 900, Used: 790, Confidence: usage.Confidence, SpentAt: now})
	say(pool, events.LaneReleased{Run: t.Run, Lane: lane, Attempt: attempt, Slot: 1, Generation: 4, Reason: "ended"})
	return out, found, again
}
