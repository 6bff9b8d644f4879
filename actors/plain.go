package actors

import (
	"github.com/reviewctl/reviewctl/events"
)

// The plain kinds hold what nobody decides: an operator's message and its answer,
// a Rules value, a seal. Their events have no decision on record.

// Receive stores an operator's message. The stream's name is the idempotence key.
type Receive struct{ events.CommandReceived }

// Settle stores the answer to a message.
type Settle struct{ events.CommandSettled }

// RecordPolicy stores a Rules value under its digest.
type RecordPolicy struct{ events.PolicyRecorded }

// SealLog stores the heads of all streams that changed since Since, the version
// of the seal before it (NoneYet at first). Another seal in between makes it void.
type SealLog struct {
	events.LogSealed
	Since events.Version
}

// The stored names.
func (Receive) Name() string      { return "inbox.receive" }
func (Settle) Name() string       { return "inbox.settle" }
func (RecordPolicy) Name() string { return "policy.record" }
func (SealLog) Name() string      { return "seal.seal" }

type inboxState struct {
	Received bool `json:"received"`
	Settled  bool `json:"settled"`
}

func foldInbox(s *inboxState, _ *events.Event, p events.Payload) {
	switch p.(type) {
	case *events.CommandReceived:
		s.Received = true
	case *events.CommandSettled:
		s.Settled = true
	}
}

func decideInbox(s *inboxState, cmd events.Command) ([]events.Payload, error) {
	switch c := cmd.(type) {
	case Receive:
		if !s.Received { // guard: a message is received twice
			return []events.Payload{c.CommandReceived}, nil
		}
	case Settle:
		if s.Received && !s.Settled { // guard: a message is answered twice
			return []events.Payload{c.CommandSettled}, nil
		}
	}
	return nil, nil
}

type policyState struct {
	Recorded bool `json:"recorded"`
}

func foldPolicy(s *policyState, _ *events.Event, _ events.Payload) { s.Recorded = true }

func decidePolicy(s *policyState, cmd events.Command) ([]events.Payload, error) {
	if c, ok := cmd.(RecordPolicy); ok && !s.Recorded {
		return []events.Payload{c.PolicyRecorded}, nil
	}
	return nil, nil
}

type sealState struct {
	Next events.Version `json:"next"` // of the next seal
}

func foldSeal(s *sealState, e *events.Event, _ events.Payload) { s.Next = e.Version + 1 }

func decideSeal(s *sealState, cmd events.Command) ([]events.Payload, error) {
	if c, ok := cmd.(SealLog); ok && c.Since == s.Next-1 && len(c.Heads) > 0 { // guard: a seal is never written
		return []events.Payload{c.LogSealed}, nil
	}
	return nil, nil
}
