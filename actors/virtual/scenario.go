package virtual

import (
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/events"
)

// Scenario is what a world is made of. The zero value of each part is the quiet
// one: without faults, nothing fails.
type Scenario struct {
	Rules    actors.Rules
	Target   events.Target
	Engines  []Engine
	Pulls    int           // pull requests
	Storm    time.Duration // while stimuli come and faults strike
	Daemons  int           // that run side by side
	Debounce time.Duration
	Local    bool // the pull requests are branches: nothing holds them back

	Script    []Cue
	Stimuli   Stimuli
	Faults    Faults
	Workspace WorkspaceOdds
	Forge     ForgeOdds

	PoolSize      int   // of each pool, at first
	SessionTokens int64 // of each account that is metered, at first
	Snapshots     bool
	SnapshotEvery int
	StepsMax      int // after which a world counts as restless
}

// Cue is something that happens because an event was recorded.
type Cue struct {
	On    events.Type
	Nth   int // of this type, from 1
	After time.Duration
	Do    Act
	Pull  int // the index of the pull request that it is about
}

// Act is what a cue lets happen.
type Act string

// The acts.
const (
	ActPush   Act = "push"
	ActClose  Act = "close"
	ActCancel Act = "cancel"
	ActKill   Act = "kill" // the daemon; another is started
	ActReview Act = "review"
	ActRevert Act = "revert" // to an older head
	ActDraft  Act = "draft"  // or ready again

	ActEnqueue Act = "enqueue"
	ActDismiss Act = "dismiss" // its first finding
	ActReopen  Act = "reopen"
)

// Stimuli say how often something comes from outside during the storm.
type Stimuli struct {
	Pushes, BaseMoves, Closes     int
	Enqueues, Cancels, Retries    int
	Pauses, Reviews, Resizes      int
	Limits, Jumps, Kills, Drains  int
	Polls, Configures, Prioritise int
	Dismisses, Reopens            int
	Reverts, Drafts, SkipLabels   int
	Retitles, Renames, Retargets  int
}

// WorkspaceOdds are probabilities of one preparation.
type WorkspaceOdds struct{ Silent, Trouble, Failure, Empty, Large float64 }

// ForgeOdds are probabilities of one step of a publication or of a label.
type ForgeOdds struct {
	ListUnknown, CreateLost, SubmitFails, SubmitLost float64
	LabelFails, LabelForbidden, LabelLost            float64

	NoLabels bool    // the repositories do not have our labels
	Ignored  float64 // that a pull request's author is a bot
	Printed  float64 // that a review by hand is printed, and not posted
}

// Engine is how the sessions of one engine go.
type Engine struct {
	Rules       run.EngineRules
	Least, Most time.Duration // of one session
	Ways        []Weight      // empty = it succeeds
	First       []Way         // of the first sessions, before luck decides
	Always      string        // the title of a remark that each good session makes; "" = none
}

// Way is how a session ends.
type Way string

// The ways.
const (
	WaySucceeds Way = "succeeds"
	WayInfra    Way = "infra"
	WayContract Way = "contract"
	WayFatal    Way = "fatal"
	WayRefused  Way = "refused" // before it started
	WayLimit    Way = "limit"
	WayDefers   Way = "defers"
	WayHangs    Way = "hangs"
	WayVanishes Way = "vanishes"
)

// Weight is a way with its share.
type Weight struct {
	Way   Way
	Share int
}

func (e *Engine) draw(w *World) Way {
	total := 0
	for _, o := range e.Ways {
		total += o.Share
	}
	if total == 0 || w.calm {
		return WaySucceeds
	}
	at := w.luck.IntN(total)
	for _, o := range e.Ways {
		if at -= o.Share; at < 0 {
			return o.Way
		}
	}
	return WaySucceeds
}

func (s *Scenario) engine(name events.EngineName) *Engine {
	for i := range s.Engines {
		if s.Engines[i].Rules.Engine == name {
			return &s.Engines[i]
		}
	}
	return &Engine{}
}
