package actors_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// post is a router with a log of its own.
type post struct {
	t        *testing.T
	r        *actors.Router
	position events.Position
	versions map[events.StreamName]events.Version
}

func newPost(t *testing.T, boot events.BootID, isDaemon bool) *post {
	return &post{t: t, r: actors.NewRouter(boot, isDaemon, 0), versions: map[events.StreamName]events.Version{}}
}

// event records a payload and returns it as it would be read.
func (x *post) event(stream events.StreamName, p events.Payload) *events.Event {
	x.t.Helper()
	text, err := events.Encode(p)
	if err != nil {
		x.t.Fatal(err)
	}
	x.position++
	e := &events.Event{
		Stream: stream, Version: x.versions[stream], Position: x.position, Type: p.Type(), Revision: events.Revision,
		By: "operator:ada", Correlation: events.CorrelationOf(stream, p), Payload: text,
	}
	x.versions[stream]++
	return e
}

// sees observes a recorded payload and returns what is delivered.
func (x *post) sees(stream events.StreamName, p events.Payload) []actors.Delivery {
	x.t.Helper()
	e := x.event(stream, p)
	return x.r.Observe(e, decode(x.t, e))
}

// sent names deliveries: the command and its target.
func sent(ds []actors.Delivery) string {
	var out []string
	for _, d := range ds {
		out = append(out, d.Command.Name()+">"+string(d.Target))
	}
	return strings.Join(out, " ")
}

func (x *post) want(got []actors.Delivery, want ...string) []actors.Delivery {
	x.t.Helper()
	if sent(got) != strings.Join(want, " ") {
		x.t.Fatalf("delivered %q, want %q", sent(got), want)
	}
	return got
}

func (x *post) checkpoint(want events.Position, backlog int) {
	x.t.Helper()
	if got := x.r.Checkpoint(); got != want || x.r.Backlog() != backlog {
		x.t.Fatalf("the checkpoint is %d with %d events open; want %d with %d", got, x.r.Backlog(), want, backlog)
	}
}

var yes = shell.Answer{Accepted: true}

const (
	runA events.RunID = "00000000000000aa"
	runB events.RunID = "00000000000000bb"
)

func asks(id events.RunID, owner events.BootID) *events.RunRequested {
	return &events.RunRequested{Run: id, Owner: owner}
}

func done(lane events.LaneID) *events.LaneCompleted {
	return &events.LaneCompleted{Lane: lane, Attempt: 1, Pool: "gpt", Account: "main"}
}

func TestOrderPerTarget(t *testing.T) {
	t.Parallel()
	x := newPost(t, daemon, true)
	x.sees("fleet-main", &events.FleetPaused{}) // routes nothing
	x.checkpoint(1, 0)
	first := x.want(x.sees(prStream, asks(runA, "any")), "fleet.admit>fleet-main")[0]
	x.want(x.sees(prStream, asks(runB, "any"))) // waits in the fleet's line of deliveries
	refused := x.want(x.sees("run-00000000000000cc", &events.NumbersRequested{PR: prStream}), "pr.number_findings>"+string(prStream))[0]
	x.checkpoint(1, 3)
	x.want(x.r.Answered(refused.ID, shell.Answer{Reason: "no"})) // a refusal is an answer
	x.checkpoint(1, 2)
	second := x.want(x.r.Answered(first.ID, yes), "fleet.admit>fleet-main")[0]
	x.checkpoint(2, 1)
	if second.Cause != (events.Cause{Stream: prStream, Version: 1, Row: "admit"}) || !second.Routed || second.By != actors.ByNode {
		t.Errorf("the delivery is %+v", second)
	}
	x.want(x.r.Answered(second.ID, shell.Answer{Err: errors.New("the log is away")})) // is none
	x.checkpoint(2, 1)
	x.want(x.r.Answered(second.ID, yes))
	x.checkpoint(4, 0)
	x.want(x.r.Answered(second.ID, yes)) // a doubled answer
	x.want(x.r.Answered(999, yes))
	x.checkpoint(4, 0)
}

func TestSecondRowHoldsItsPlace(t *testing.T) {
	t.Parallel()
	x := newPost(t, daemon, true)
	first := x.want(x.sees("run-1", done("a")), "account.settle>account-main")[0]
	// The other run's rows: its account waits behind, and its pool behind run-1's.
	other := done("b")
	other.Account = "other"
	second := x.want(x.sees("run-2", other), "account.settle>account-other")[0]
	x.want(x.r.Answered(second.ID, yes)) // its release waits for the one before in the pool's line
	release := x.want(x.r.Answered(first.ID, yes), "pool.release>pool-gpt")[0]
	if release.Cause.Stream != "run-1" {
		t.Errorf("the release is of %s", release.Cause.Text())
	}
	x.checkpoint(0, 2)
	release = x.want(x.r.Answered(release.ID, yes), "pool.release>pool-gpt")[0]
	x.checkpoint(1, 1)
	x.want(x.r.Answered(release.ID, yes))
	x.checkpoint(2, 0)
}

func TestDoubledNotice(t *testing.T) {
	t.Parallel()
	x := newPost(t, daemon, true)
	e := x.event(prStream, asks(runA, "any"))
	d := x.want(x.r.Observe(e, decode(t, e)), "fleet.admit>fleet-main")[0]
	x.want(x.r.Observe(e, decode(t, e)))
	x.want(x.r.Answered(d.ID, yes))
	x.want(x.r.Observe(e, decode(t, e)))
	x.checkpoint(1, 0)
}

// TestRestart: a new router starts at the checkpoint of the old, and delivers
// again what may not have arrived.
func TestRestart(t *testing.T) {
	t.Parallel()
	x := newPost(t, daemon, true)
	a, b := x.event(prStream, asks(runA, "any")), x.event(prStream, asks(runB, "any"))
	d := x.r.Observe(a, decode(t, a))[0]
	x.r.Observe(b, decode(t, b))
	x.r.Answered(d.ID, yes)
	next := newPost(t, daemon, true)
	next.r = actors.NewRouter(daemon, true, x.r.Checkpoint())
	next.want(next.r.Observe(a, decode(t, a)))
	next.want(next.r.Observe(b, decode(t, b)), "fleet.admit>fleet-main")
}

func TestNobodyToTell(t *testing.T) {
	t.Parallel()
	x := newPost(t, daemon, true)
	x.want(x.sees(prStream, &events.HeadSuperseded{})) // it had no run
	x.want(x.sees(prStream, &events.HeadClosed{}))
	x.want(x.sees(prStream, &events.HeadCancelled{}))
	x.checkpoint(3, 0)
}

func TestOwnership(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		boot    events.BootID
		daemon  bool
		adopted events.BootID
		owner   events.BootID
		want    bool
	}{
		{"the daemon's, by the daemon", daemon, true, "", events.OwnerAny, true},
		{"nobody's, by the daemon", daemon, true, "", "", true},
		{"its own, by the daemon", daemon, true, "", daemon, true},
		{"a review's, by the daemon", daemon, true, "", terminal, false},
		{"a dead review's, by the daemon", daemon, true, terminal, terminal, true},
		{"the daemon's, by a review", terminal, false, "", events.OwnerAny, false},
		{"its own, by a review", terminal, false, "", terminal, true},
		{"another review's, by a review", terminal, false, "", "t2", false},
		{"a dead review's, by a review", terminal, false, "t2", "t2", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := newPost(t, c.boot, c.daemon)
			if c.adopted != "" {
				x.r.Adopt(c.adopted)
			}
			if got := x.r.Minds(c.owner); got != c.want {
				t.Errorf("minds %v, want %v", got, c.want)
			}
			// The run's first event, one about it on a shared stream, and its last.
			ds := [][]actors.Delivery{
				x.sees(prStream, asks(runA, c.owner)),
				x.sees("pool-gpt", &events.LaneGranted{Run: runA}),
				x.sees(events.RunStream(runA), &events.RunEnded{PR: prStream}),
			}
			for i, d := range ds {
				if (len(d) > 0) != c.want {
					t.Errorf("event %d: delivered %q", i, sent(d))
				}
			}
			if x.r.Owner(runA) != "" {
				t.Error("a run that has ended is remembered")
			}
		})
	}
}

func TestOwnersAreLearned(t *testing.T) {
	t.Parallel()
	x := newPost(t, terminal, false)
	x.want(x.sees("pool-gpt", &events.LaneGranted{Run: runA})) // of a run that it does not know
	x.r.Learn(runA, terminal)
	x.want(x.sees("pool-gpt", &events.LaneGranted{Run: runA}), "run.begin_lane>"+string(events.RunStream(runA)))
	x.sees(events.RunStream(runB), &events.RunStarted{Owner: terminal})
	if got := x.r.Owner(runB); got != terminal {
		t.Errorf("the owner is %q", got)
	}
}

func TestPostKeepsOrder(t *testing.T) {
	t.Parallel()
	x := newPost(t, daemon, true)
	cause := events.Cause{Stream: "run-1", Version: 4, Row: "effect"}
	p := &events.LaneBegan{Lane: "one", Attempt: 1, Generation: 1}
	cmds := finds("", p)
	first := x.want(x.r.Post("run-1", cause, cmds...), "run.raise_findings>run-1")[0]
	if first.Routed || first.Cause != cause {
		t.Errorf("an effect's outcome is delivered as %+v", first)
	}
	x.want(x.r.Post("run-1", cause, cmds[1]))
	x.want(x.r.Answered(first.ID, shell.Answer{Err: errors.New("away")}))
	second := x.want(x.r.Answered(first.ID, shell.Answer{Reason: "no"}), "run.complete_lane>run-1")[0]
	third := x.want(x.r.Answered(second.ID, yes), "run.complete_lane>run-1")[0]
	x.want(x.r.Answered(third.ID, yes))
	x.want(x.r.Post("run-1", cause))
	x.checkpoint(0, 0)
}

func TestMessagesSettleOnce(t *testing.T) {
	t.Parallel()
	const inbox events.StreamName = "inbox-1"
	settles := "inbox.settle>" + string(inbox)
	for _, c := range []struct {
		name, command, fields string
		target                events.StreamName
		answer                shell.Answer
		refused               string // before it is delivered
	}{
		{name: "accepted", command: "fleet.pause", fields: "{}", target: "fleet-main",
			answer: shell.Answer{Accepted: true, Events: []events.Ref{{Stream: "fleet-main", Version: 3}}}},
		{name: "already so", command: "pr.enqueue", fields: "{}", target: prStream, answer: yes},
		{name: "refused by its actor", command: "pr.retry", fields: "{}", target: prStream, answer: shell.Answer{Reason: "closed"}},
		{name: "not for operators", command: "run.cancel", fields: "{}", target: "run-1", refused: "not a command for operators"},
		{name: "unknown", command: "pr.explode", fields: "{}", target: prStream, refused: "not a command"},
		{name: "to no stream", command: "pr.retry", fields: "{}", target: "nonsense", refused: "not the name of a stream"},
		{name: "to nobody", command: "pr.retry", fields: "{}", target: "", refused: "not the name of a stream"},
		{name: "to another kind of actor", command: "pr.retry", fields: "{}", target: "pool-gpt", refused: "does not go to"},
		{name: "to an inbox", command: "pr.retry", fields: "{}", target: "inbox-2", refused: "does not go to"},
		{name: "with broken fields", command: "pr.cancel", fields: `{"reason":7}`, target: prStream, refused: "read command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := newPost(t, daemon, true)
			ds := x.sees(inbox, &events.CommandReceived{Target: c.target, Command: c.command, Fields: events.JSON(c.fields)})
			want := events.CommandSettled{Accepted: c.answer.Accepted, Reason: c.answer.Reason, Events: c.answer.Events}
			if c.refused == "" {
				d := x.want(ds, c.command+">"+string(c.target))[0]
				if d.By != "operator:ada" {
					t.Errorf("it is delivered in the name of %q", d.By)
				}
				x.checkpoint(0, 1)
				x.want(x.r.Answered(d.ID, shell.Answer{Err: errors.New("away")}))
				ds = x.r.Answered(d.ID, c.answer)
			}
			settle := x.want(ds, settles)[0]
			x.checkpoint(0, 1)
			got := settle.Command.(actors.Settle).CommandSettled
			if got.Accepted != want.Accepted || !strings.Contains(got.Reason, c.refused+want.Reason) || got.Events == nil ||
				!slices.Equal(got.Events, want.Events) {
				t.Errorf("it is settled as %+v", got)
			}
			x.want(x.r.Answered(settle.ID, yes))
			x.checkpoint(1, 0)
		})
	}
}

// TestMessageOnRecord sends messages through real actors: each has one answer,
// and a repeat of the whole delivery has none.
func TestMessageOnRecord(t *testing.T) {
	t.Parallel()
	x := newTown(t)
	for i, text := range []string{"fleet.pause", "fleet.explode", "pr.retry"} {
		id := events.InboxStream(fmt.Sprint(i))
		receive := actors.Receive{CommandReceived: events.CommandReceived{Target: "fleet-main", Command: text, Fields: "{}"}}
		x.tell(id, receive)
		x.tell(id, receive) // the stream's name is the key
		log := x.of(id)
		if len(log) != 2 || log[1].Type != "command.settled" {
			t.Fatalf("%s has %d events", id, len(log))
		}
		again := x.ask(id, actors.Settle{CommandSettled: events.CommandSettled{}}, events.Cause{}, false)
		if len(again.Events) > 0 {
			t.Error("a message is settled twice")
		}
		if log[0].Decided != "" || log[1].Decided != "" {
			t.Error("a plain event has a decision on record")
		}
	}
	if a := x.ask("inbox-9", actors.Settle{}, events.Cause{}, false); len(a.Events) > 0 {
		t.Error("what was never received is settled")
	}
}
