package actors_test

import (
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/events"
)

// stops is an Engine that only notes what it is told to stop.
type stops struct{ keys []events.LaneKey }

func (s *stops) Start(actors.LaneJob, actors.Answer) {}
func (s *stops) Stop(key events.LaneKey)             { s.keys = append(s.keys, key) }

func stopsNode(engine actors.Engine) *actors.Node {
	return actors.NewNode(actors.NodeConfig{Boot: "boot-1", Daemon: true, Ports: actors.Ports{Engine: engine}})
}

// TestNodeForgetsADoubledNotice: an old event must not make wait again what has
// ended since.
func TestNodeForgetsADoubledNotice(t *testing.T) {
	t.Parallel()
	n, stream := stopsNode(&stops{}), events.RunStream("1111111111111111")
	set := &events.LaneDeferred{Lane: "alpha", Attempt: 1, NextAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	first := &events.Event{Stream: stream, Position: 1, Type: set.Type()}
	ended := &events.LaneWithdrawn{Lane: "alpha", Attempt: 1}
	n.Observe(first, set)
	n.Observe(&events.Event{Stream: stream, Position: 2, Version: 1, Type: ended.Type()}, ended)
	n.Observe(first, set)
	if left := n.Sweeper.Entries(); len(left) != 0 {
		t.Fatalf("a notice that came twice revived %v", left)
	}
}

func TestNodeStopsTheEngineOfALostLane(t *testing.T) {
	t.Parallel()
	for kind, want := range map[events.FailureKind]int{events.FailureLost: 1, events.FailureInfra: 0} {
		engine := &stops{}
		n := stopsNode(engine)
		failed := &events.LaneFailed{Lane: "alpha", Attempt: 2, Kind: kind}
		n.Observe(&events.Event{Stream: events.RunStream("1111111111111111"), Position: 1, Type: failed.Type()}, failed)
		if len(engine.keys) != want {
			t.Errorf("%s: told to stop %v, want %d", kind, engine.keys, want)
		}
	}
}
