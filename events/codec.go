package events

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Payload is what happened. Decode yields pointers to the structs of this
// package, and Unknown for types that this version does not know.
type Payload interface{ Type() Type }

// Unknown is a payload of a type, or a revision, that this version does not know.
type Unknown struct {
	Name     Type
	Revision int
	Raw      JSON
}

// Type returns the stored name.
func (u Unknown) Type() Type { return u.Name }

// Revision is the revision that every payload is written in so far. A payload
// whose shape changes gets the next one and an upcaster here.
const Revision = 1

// catalogue lists every payload in the order of the files and of life. Stored
// names are for ever: a golden list in the tests guards them.
var catalogue = []Payload{
	PROpened{}, PRDescribed{}, HeadQueued{}, HeadSkipped{}, RunRequested{}, HeadSuperseded{}, HeadCancelled{}, HeadClosed{},
	FindingsNumbered{}, VerdictAdopted{}, VerdictDiscarded{}, PublicationResumed{},
	VerdictPublished{}, PublicationFailed{}, PublicationUnknown{}, PublicationAbandoned{},
	PublicationStuck{}, HeadSettled{}, LabelWanted{}, LabelSynced{}, LabelFailed{},
	TriggerNoted{}, TriggersAnswered{}, FindingDismissed{}, FindingReopened{},

	RunStarted{}, WorkspaceRequested{}, WorkspaceListed{}, WorkspaceReady{}, WorkspaceWaiting{}, WorkspaceFailed{},
	RunStopping{}, NumbersRequested{}, VerdictReached{}, RunEnded{},

	LaneRequested{}, LaneSkipped{}, LaneWaiting{}, LaneWithdrawn{}, LaneDeclined{}, LaneBegan{},
	LaneStopRequested{}, FindingRaised{}, FindingWithheld{}, LaneCovered{}, LaneCompleted{}, LaneFailed{},
	LaneStopped{}, LaneDeferred{},

	PoolSized{}, LaneQueued{}, LaneGranted{}, LaneReleased{}, LaneExpired{},

	AccountConfigured{}, BudgetReserved{}, BudgetRefused{}, BudgetSettled{}, BudgetReleased{},
	BreakerOpened{}, BreakerProbing{}, BreakerClosed{},

	RepoConfigured{}, RepoRenamed{}, BranchNumbered{}, RepoUnreachable{}, RepoReachable{},

	FleetConfigured{}, FleetPaused{}, FleetResumed{}, RunHeld{}, RunRefused{}, RunAdmitted{},
	RunFreed{}, ConfigLoaded{}, ConfigRejected{},

	CommandReceived{}, CommandSettled{},
	PolicyRecorded{},
	LogSealed{},
}

var plans = func() map[Type]*structPlan {
	m := make(map[Type]*structPlan, len(catalogue))
	for _, p := range catalogue {
		if m[p.Type()] != nil {
			panic("events: two payloads are stored as " + string(p.Type()))
		}
		m[p.Type()] = planOf(reflect.TypeOf(p))
	}
	return m
}()

// AllTypes lists the stored names of all payloads in the order of life.
func AllTypes() []Type {
	types := make([]Type, len(catalogue))
	for i, p := range catalogue {
		types[i] = p.Type()
	}
	return types
}

// New returns a pointer to an empty payload of a stored name, or nil.
func New(t Type) Payload {
	plan := plans[t]
	if plan == nil {
		return nil
	}
	return reflect.New(plan.typ).Interface().(Payload)
}

// Encode returns the bytes that are stored and hashed.
func Encode(p Payload) (JSON, error) {
	if u, ok := p.(Unknown); ok {
		return u.Raw, nil
	}
	b, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("encode %s: %w", p.Type(), err)
	}
	return JSON(b), nil
}

// Decode reads an event's payload. Fields that this version does not know are
// passed over, missing ones are zero, strings share the payload's memory. An
// unknown type or a newer revision yields Unknown; bytes that are not what their
// name says are an error.
func Decode(e *Event) (Payload, error) {
	plan := plans[e.Type]
	if plan == nil || e.Revision > Revision {
		return Unknown{Name: e.Type, Revision: e.Revision, Raw: e.Payload}, nil
	}
	v := reflect.New(plan.typ)
	d := decoder{s: string(e.Payload)}
	if err := d.document(plan, v.Elem()); err != nil {
		return nil, fmt.Errorf("decode %s of %s: %w", e.Type, e.Ref(), err)
	}
	return v.Interface().(Payload), nil
}
