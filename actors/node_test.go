package actors_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/events"
)

// outside counts what effects start, and keeps their answers.
type outside struct {
	calls   []string
	answers []actors.Answer
}

func (o *outside) Start(job actors.LaneJob, answer actors.Answer) {
	o.calls = append(o.calls, "start "+string(job.Key.Run))
	o.answers = append(o.answers, answer)
}
func (o *outside) Stop(key events.LaneKey) { o.calls = append(o.calls, "stop "+string(key.Run)) }
func (o *outside) Prepare(job actors.WorkspaceJob, answer actors.Answer) {
	o.calls = append(o.calls, "prepare "+string(job.Run))
	o.answers = append(o.answers, answer)
}
func (o *outside) Open(context.Context, actors.WorkspaceJob) (*actors.Change, error) {
	return nil, errors.New("no effect opens a workspace")
}
func (o *outside) Release(run events.RunID) { o.calls = append(o.calls, "release "+string(run)) }
func (o *outside) Publish(job actors.PublishJob, answer actors.Answer) {
	o.calls = append(o.calls, "publish "+string(job.Run))
	o.answers = append(o.answers, answer)
}
func (o *outside) Label(job actors.LabelJob, answer actors.Answer) {
	o.calls = append(o.calls, "label "+string(job.Verdict))
	o.answers = append(o.answers, answer)
}

type answered struct {
	target events.StreamName
	cause  events.Cause
	cmds   []events.Command
}

// nodeTest is a node with what it started and was answered.
type nodeTest struct {
	*post
	*outside
	n        *actors.Node
	answered []answered
}

func newNode(t *testing.T, boot events.BootID, isDaemon bool) *nodeTest {
	x := &nodeTest{post: newPost(t, boot, isDaemon), outside: &outside{}}
	x.n = actors.NewNode(actors.NodeConfig{
		Boot: boot, Daemon: isDaemon, Ports: actors.Ports{Engine: x.outside, Workspace: x.outside, Forge: x.outside},
		Answer: func(target events.StreamName, cause events.Cause, cmds ...events.Command) {
			x.answered = append(x.answered, answered{target, cause, cmds})
		},
	})
	x.r = x.n.Router
	return x
}

// effectCases names what each effect starts, with an event of its type. Every row
// of actors.Effects needs one.
var effectCases = []struct {
	stream  events.StreamName
	payload events.Payload
	call    string
	answers bool
	every   bool // every process starts it
}{
	{"run-1", &events.WorkspaceRequested{Owner: daemon}, "prepare 1", true, false},
	{"run-1", &events.LaneBegan{Owner: daemon, Lane: "one", Attempt: 1}, "start 1", true, false},
	{"run-1", &events.LaneStopRequested{Owner: daemon}, "stop 1", false, false},
	{prStream, &events.VerdictAdopted{Run: "1", Target: events.TargetForge, Owner: daemon}, "publish 1", true, false},
	{prStream, &events.PublicationResumed{Run: "1", Owner: daemon}, "publish 1", true, false},
	{prStream, &events.LabelWanted{Verdict: events.VerdictComment, Try: 1, Owner: daemon}, "label COMMENT", true, false},
	{"run-1", &events.LaneFailed{Kind: events.FailureLost}, "stop 1", false, true},
	{"run-1", &events.RunEnded{}, "release 1", false, true},
}

func TestEffects(t *testing.T) {
	t.Parallel()
	for _, effect := range actors.Effects {
		found := false
		for _, c := range effectCases {
			found = found || c.payload.Type() == effect.On
		}
		if !found {
			t.Errorf("the effect of %s has no case", effect.On)
		}
	}
	for _, c := range effectCases {
		if !slices.ContainsFunc(actors.Effects, func(e actors.Effect) bool { return e.On == c.payload.Type() }) {
			continue
		}
		t.Run(string(c.payload.Type()), func(t *testing.T) {
			t.Parallel()
			x := newNode(t, daemon, true)
			e := x.event(c.stream, c.payload)
			x.n.Observe(e, decode(t, e))
			x.n.Observe(e, decode(t, e)) // a doubled notice
			later := *e
			later.Position += 100
			x.n.Observe(&later, decode(t, e)) // or one under another position
			if !c.every && !slices.Equal(x.calls, []string{c.call}) {
				t.Errorf("it started %v, want %q once", x.calls, c.call)
			}
			if c.every && (len(x.calls) == 0 || x.calls[0] != c.call) {
				t.Errorf("it started %v, want %q", x.calls, c.call)
			}
			if c.answers {
				x.answers[0](key(&events.LaneBegan{}))
				want := events.Cause{Stream: c.stream, Version: 0, Row: "effect"}
				if len(x.answered) != 1 || x.answered[0].target != c.stream || x.answered[0].cause != want || len(x.answered[0].cmds) != 1 {
					t.Errorf("the answer came as %+v", x.answered)
				}
			}
			other := newNode(t, "d2", true) // the next daemon reads the same log
			other.n.Observe(e, decode(t, e))
			if started := len(other.calls) > 0; started != c.every {
				t.Errorf("another process started %v", other.calls)
			}
		})
	}
}

func TestNothingIsPublishedForNobody(t *testing.T) {
	t.Parallel()
	x := newNode(t, daemon, true)
	none := x.event(prStream, &events.VerdictAdopted{Run: "1", Target: events.TargetNone})
	x.n.Observe(none, decode(t, none))
	if len(x.calls) > 0 {
		t.Errorf("it started %v", x.calls)
	}
	bare := actors.NewNode(actors.NodeConfig{Boot: daemon, Daemon: true})
	e := newPost(t, daemon, true).event(prStream, &events.VerdictAdopted{Run: "1", Target: events.TargetForge, Owner: daemon})
	bare.Observe(e, decode(t, e)) // without a forge
}

// TestALabelIsNotKeptWaiting: a process that writes to no forge says so, and leaves
// the label to one that does.
func TestALabelIsNotKeptWaiting(t *testing.T) {
	t.Parallel()
	var said []events.Command
	bare := actors.NewNode(actors.NodeConfig{Boot: daemon, Daemon: true, Answer: func(_ events.StreamName, _ events.Cause, cmds ...events.Command) {
		said = append(said, cmds...)
	}})
	e := newPost(t, daemon, true).event(prStream, &events.LabelWanted{Verdict: events.VerdictComment, Try: 3, Owner: daemon})
	bare.Observe(e, decode(t, e))
	if len(said) != 1 || said[0] != (pr.NoteLabelFailed{
		Try: 3, Verdict: events.VerdictComment, Kind: events.FailureInfra, Message: "this process does not write to the forge",
	}) {
		t.Errorf("it said %+v", said)
	}
}

// TestDoubledNoticeSetsNothing: a deadline that a later event cleared stays so.
func TestDoubledNoticeSetsNothing(t *testing.T) {
	t.Parallel()
	x := newNode(t, daemon, true)
	began := x.event("run-1", &events.LaneBegan{Lane: "one", Attempt: 1, Deadline: t0})
	ended := x.event("run-1", &events.LaneCompleted{Lane: "one", Attempt: 1, Pool: "gpt", Account: "main"})
	for _, e := range []*events.Event{began, ended, began} {
		x.n.Observe(e, decode(t, e))
	}
	if n := len(x.n.Sweeper.Entries()); n != 0 {
		t.Errorf("%d things wait after the end", n)
	}
}

func TestNodeSweepsItsOwn(t *testing.T) {
	t.Parallel()
	waits := []events.Deadline{
		deadline("run-1", "run", 0, events.OwnerAny), deadline("run-1", "workspace", 0, ""),
		deadline("run-2", "run", 0, terminal), deadline("run-2", "lane/a/1", 0, ""),
		deadline("run-3", "run", 0, "t3"), deadline("run-3", "lane/a/1", 0, ""),
		deadline(prStream, events.DeadlineHead, 0, events.OwnerAny),
		deadline("pool-gpt", "lease/x", 0, ""), deadline("account-main", "place/x", 0, ""),
		deadline("fleet-main", events.DeadlineAdmission+"2", 0, terminal),
	}
	for _, c := range []struct {
		boot           events.BootID
		daemon, shared bool
		want           []string
	}{
		{daemon, true, false, []string{"account-main", "fleet-main", "pool-gpt", string(prStream), "run-1"}},
		{terminal, false, false, []string{"run-2"}},
		{terminal, false, true, []string{"account-main", "fleet-main", "pool-gpt", "run-2"}},
	} {
		n := actors.NewNode(actors.NodeConfig{Boot: c.boot, Daemon: c.daemon, Shared: c.shared})
		n.Restore(waits)
		if got := n.Router.Owner("2"); got != terminal {
			t.Errorf("the owner of a restored run is %q", got)
		}
		var got []string
		first := n.Due(t0)
		for _, d := range first {
			if d.Routed || d.Cause != (events.Cause{}) {
				t.Errorf("a sweep is delivered as %+v", d)
			}
			got = append(got, string(d.Target))
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s (daemon %v, shared %v) sweeps %v, want %v", c.boot, c.daemon, c.shared, got, c.want)
		}
		if again := n.Due(t0.Add(actors.SweepAgain - time.Second)); len(again) > 0 {
			t.Errorf("it sweeps again after less than %s: %q", actors.SweepAgain, sent(again))
		}
		// A sweep that waits for its answer is not sent again; one that has its
		// answer and settled nothing is.
		if again := n.Due(t0.Add(actors.SweepAgain)); len(again) > 0 {
			t.Errorf("it sends again what is not answered: %q", sent(again))
		}
		for _, d := range first {
			if more := n.Answered(d.ID, yes); len(more) > 0 {
				t.Errorf("behind a sweep waits %q", sent(more))
			}
		}
		if again := n.Due(t0.Add(2 * actors.SweepAgain)); len(again) != len(first) {
			t.Errorf("it sweeps %q again, want all %d", sent(again), len(first))
		}
	}
}

// TestBury: what a dead review may not have delivered is delivered, and then its
// actors are told.
func TestBury(t *testing.T) {
	t.Parallel()
	x := newNode(t, daemon, true)
	stream := events.RunStream(runB)
	asked := x.event(prStream, &events.RunRequested{Run: runB, Owner: terminal, Deadline: t0.Add(time.Hour)})
	log := []*events.Event{
		x.event(stream, &events.RunStarted{PR: prStream, Owner: terminal}),
		x.event(stream, &events.LaneRequested{Lane: "one", Attempt: 1, Account: "main", Pool: "gpt", Owner: terminal}),
	}
	for _, e := range append([]*events.Event{asked}, log...) {
		if ds := x.n.Observe(e, decode(t, e)); len(ds) > 0 {
			t.Fatalf("it delivers a living review's %q", sent(ds))
		}
	}
	if got := x.n.Sweeper.Others(daemon); !reflect.DeepEqual(got, []events.BootID{terminal}) {
		t.Fatalf("others are %v", got)
	}
	read := func(name events.StreamName) ([]*events.Event, error) {
		if name != stream {
			t.Errorf("it reads %s", name)
		}
		return log, nil
	}
	if _, err := x.n.Bury(terminal, func(events.StreamName) ([]*events.Event, error) { return nil, events.ErrUnavailable }); !errors.Is(err, events.ErrUnavailable) {
		t.Fatalf("a log that cannot be read is %v", err)
	}
	ds, err := x.n.Bury(terminal, read)
	if err != nil {
		t.Fatal(err)
	}
	x.want(ds, "account.reserve>account-main", "pr.boot_gone>"+string(prStream), "run.boot_gone>"+string(stream))
	x.checkpoint(3, 0) // what is read again is no part of the tail
	ended := x.event(stream, &events.RunEnded{PR: prStream})
	x.want(x.n.Observe(ended, decode(t, ended))) // it waits behind pr.boot_gone
	x.want(x.r.Answered(ds[1].ID, yes), "pr.note_run_end>"+string(prStream))
}
