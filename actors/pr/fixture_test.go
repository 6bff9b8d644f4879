package pr_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors/decidertest"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const (
	stream   events.StreamName = "pr-github.com/7/3"
	headA    events.Commit     = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	headB    events.Commit     = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	headC    events.Commit     = "cccccccccccccccccccccccccccccccccccccccc"
	base0    events.Commit     = "0000000000000000000000000000000000000000"
	base1    events.Commit     = "1111111111111111111111111111111111111111"
	daemon   events.BootID     = "d1"
	terminal events.BootID     = "t1"
)

type recorded = []events.Payload

// runs are the ids that the draws of given give.
const (
	run1 events.RunID = "1111111111111111"
	run2 events.RunID = "2222222222222222"
	run3 events.RunID = "3333333333333333"
)

// given is a command's time, its boot, and the run that a decision starts.
func given(d time.Duration, boot events.BootID, run events.RunID) events.Given {
	return events.Given{At: t0.Add(d), Boot: boot, Draw: events.Draw(run + run)}
}

func actor(r pr.Rules) decidertest.Actor[pr.State] {
	return decidertest.Actor[pr.State]{Stream: stream, Fold: pr.Fold, Decide: r.Decide}
}

// look is what the daemon sees: a forge with half an hour of debounce.
func look(head events.Commit) pr.Observe {
	return pr.Observe{
		Host: "github.com", RepoID: "7", Repo: "o/r", Number: 3, Ref: "topic", BaseRef: "main", Title: "T",
		Author: "ada", Head: head, Base: base0, Priority: events.PriorityNormal, Owner: events.OwnerAny,
		Settings: events.Settings{Target: events.TargetForge, Debounce: (30 * time.Minute).Milliseconds()},
	}
}

// local is what the daemon sees of a local repository: no debounce, no target.
func local(head events.Commit) pr.Observe {
	c := look(head)
	c.Settings = events.Settings{Target: events.TargetNone}
	return c
}

// manual is a `review` in a terminal.
func manual(head events.Commit) pr.Observe {
	c := look(head)
	c.Manual, c.Owner, c.Settings = true, terminal, events.Settings{Target: events.TargetNone}
	return c
}

func with(c pr.Observe, change func(*pr.Observe)) pr.Observe {
	change(&c)
	return c
}

var opened = &events.PROpened{
	Host: "github.com", RepoID: "7", Repo: "o/r", Number: 3, Ref: "topic", Base: "main", Title: "T", Author: "ada",
}

// queued is the head that a look queues at d, to be judged from then on.
func queued(c pr.Observe, trigger events.Trigger, d time.Duration) *events.HeadQueued {
	at := t0.Add(d)
	return &events.HeadQueued{
		Head: c.Head, Base: c.Base, BaseRef: c.BaseRef, Trigger: trigger, Priority: c.Priority,
		QueuedAt: at, NotBefore: at, FirstPush: at, Owner: c.Owner, Settings: c.Settings,
	}
}

// changed is a queued head but for what change changes.
func changed(q *events.HeadQueued, change func(*events.HeadQueued)) *events.HeadQueued {
	c := *q
	change(&c)
	return &c
}

// requested is the run that judges a queued head, asked for at d.
func requested(q *events.HeadQueued, run events.RunID, d time.Duration) *events.RunRequested {
	return &events.RunRequested{
		Run: run, Repo: "o/r", Number: 3, Ref: "topic", BaseRef: q.BaseRef, Head: q.Head, Base: q.Base,
		Trigger: q.Trigger, Priority: q.Priority, QueuedAt: q.QueuedAt, Owner: q.Owner, Attempt: q.Attempt,
		Deadline: t0.Add(d + 6*time.Hour), Settings: q.Settings,
	}
}

// running is a pull request whose first head is judged by run1 since t0.
func running(c pr.Observe) recorded {
	q := queued(c, events.TriggerOpened, 0)
	if c.Manual {
		q.Trigger = events.TriggerManual
	}
	return recorded{opened, q, requested(q, run1, 0)}
}

func settled(head events.Commit, run events.RunID, o events.Outcome, why string) *events.HeadSettled {
	return &events.HeadSettled{Head: head, Run: run, Outcome: o, Why: why}
}

func adopted(target events.Target) *events.VerdictAdopted {
	v := &events.VerdictAdopted{
		Run: run1, Head: headA, Base: base0, Verdict: events.VerdictComment, Outcome: events.OutcomeFindings,
		Target: target,
	}
	if target == events.TargetForge {
		v.Try, v.Owner, v.PublishUntil = 1, daemon, t0.Add(5*time.Minute)
	}
	return v
}

// publishing is a pull request whose verdict is on its way to the forge: try 1
// holds the lease until five minutes past t0.
func publishing() recorded {
	return append(running(look(headA)), adopted(events.TargetForge), settled(headA, run1, events.OutcomeFindings, "w"))
}

func plus(given recorded, more ...events.Payload) recorded {
	return append(append(recorded{}, given...), more...)
}

// quiet are the rules without labels and without the list of triggers that a run
// answers, which have tables of their own.
func quiet() pr.Rules {
	r := pr.DefaultRules()
	r.AnswersMax, r.LabelLease = 0, 0
	return r
}

// row is a line of a table. Every answer but a refusal is asked for twice, but
// where again says that the second time counts anew.
type row struct {
	name    string
	given   recorded
	at      time.Duration
	boot    events.BootID // daemon where it is none
	when    events.Command
	then    recorded
	refused string
	again   bool
}

func table(t *testing.T, rows []row) {
	t.Helper()
	cases := make([]decidertest.Case[pr.State], len(rows))
	for i, r := range rows {
		if r.boot == "" {
			r.boot = daemon
		}
		cases[i] = decidertest.Case[pr.State]{
			Name: r.name, Given: decidertest.Steps(t0, r.given...), With: given(r.at, r.boot, run2), When: r.when,
			Then: r.then, Refused: r.refused, Twice: r.refused == "" && !r.again,
		}
	}
	actor(quiet()).Run(t, cases...)
}
