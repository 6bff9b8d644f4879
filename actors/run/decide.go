package run

import (
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Rules are the parameters of these decisions. Times are milliseconds, so that
// the value has one text and one digest.
type Rules struct {
	Engines          []EngineRules       `json:"engines"` // by name, sorted
	Phase1           []events.EngineName `json:"phase1"`  // where the head names none
	RequestChangesAt events.Severity     `json:"request_changes_at"`
	Approve          bool                `json:"approve"`                     // false turns an APPROVE into a COMMENT
	MaxFiles         int                 `json:"max_changed_files,omitempty"` // of a change, for lanes that spend; 0 = no bound
	MaxLines         int                 `json:"max_changed_lines,omitempty"`

	LaneTries        int     `json:"lane_tries"`         // hard-parts §2
	LaneDeferralsMax int     `json:"lane_deferrals_max"` // of one lane
	LaneRequestsMax  int     `json:"lane_requests_max"`  // of one lane, whatever for
	DeferDelay       int64   `json:"defer_delay_ms"`     // doubles up to DeferDelayMax (semantics 7)
	DeferDelayMax    int64   `json:"defer_delay_max_ms"`
	LimitUnknown     int64   `json:"limit_unknown_ms"` // wait for a usage limit without a reset (semantics 7)
	LimitPast        int64   `json:"limit_past_ms"`    // wait where the reset is past already
	WorkspaceTimeout int64   `json:"workspace_timeout_ms"`
	WorkspaceDelays  []int64 `json:"workspace_delays_ms"` // before the 2nd, 3rd, … try; then it has failed
}

// EngineRules is what a run must know of a configured engine.
type EngineRules struct {
	Engine   events.EngineName  `json:"engine"`
	Kind     string             `json:"kind"`
	Model    string             `json:"model,omitempty"`
	Pool     events.PoolName    `json:"pool"`
	Account  events.AccountName `json:"account"`
	Estimate int64              `json:"estimate_tokens"`
	Timeout  int64              `json:"timeout_ms"`
	RunLimit int64              `json:"max_run_tokens,omitempty"`
	Bounded  bool               `json:"bounded,omitempty"` // by MaxFiles and MaxLines: it spends
}

// StaticEngine is the embedded reviewer: it needs no configuration and no account.
const StaticEngine events.EngineName = "static"

// DefaultRules are the values of hard-parts §2 and semantics 7, with the embedded
// reviewer alone.
func DefaultRules() Rules {
	return Rules{
		Engines: []EngineRules{{
			Engine: StaticEngine, Kind: string(StaticEngine), Pool: events.PoolName(StaticEngine),
			Account: events.AccountUnmetered, Timeout: (10 * time.Minute).Milliseconds(),
		}},
		Phase1:           []events.EngineName{StaticEngine},
		RequestChangesAt: events.SeverityBlocking,
		MaxFiles:         MaxFilesDefault,
		MaxLines:         MaxLinesDefault,
		LaneTries:        2,
		LaneDeferralsMax: 20,
		LaneRequestsMax:  40,
		DeferDelay:       (30 * time.Second).Milliseconds(),
		DeferDelayMax:    (15 * time.Minute).Milliseconds(),
		LimitUnknown:     (6 * time.Hour).Milliseconds(),
		LimitPast:        (10 * time.Minute).Milliseconds(),
		WorkspaceTimeout: (10 * time.Minute).Milliseconds(),
		WorkspaceDelays:  []int64{1000, 30_000},
	}
}

// Decide answers a command with events, with nothing where it is already so, or
// with a *events.Refusal. A run that has ended takes nothing. (hard-parts §1)
func (r Rules) Decide(s *State, given events.Given, cmd events.Command) ([]events.Payload, error) {
	if s.Ended { // guard: a run that has ended goes on
		return nil, nil
	}
	d := draftOf(r, s, given)
	switch c := cmd.(type) {
	case Start:
		d.start(c)
		return d.out, nil
	case Cancel:
		d.cancel(c)
		return d.out, nil
	case BootGone:
		d.bootGone(c)
		return d.out, nil
	case Due:
		d.due(c)
		return d.out, nil
	}
	if s.Started == nil { // guard: a run that has not started decides
		return nil, &events.Refusal{Reason: "the run has not started"}
	}
	switch c := cmd.(type) {
	case NoteFiles:
		d.noteFiles(c)
	case NoteWorkspace:
		d.noteWorkspace(c)
	case NoteWorkspaceTrouble:
		d.noteTrouble(c)
	case NoteWorkspaceFailure:
		d.workspaceFailure(c)
	case NoteWait:
		d.noteWait(c)
	case BeginLane:
		d.beginLane(c)
	case RaiseFindings:
		d.raise(c)
	case CompleteLane:
		d.completeLane(c)
	case FailLane:
		d.failLane(c)
	case NoteLaneStopped:
		d.laneStopped(c)
	case DeferLane:
		d.deferLane(c)
	case ReachVerdict:
		d.reachVerdict(c)
	default:
		return nil, &events.Refusal{Reason: fmt.Sprintf("a run does not take %s", cmd.Name())}
	}
	return d.out, nil
}
