package main

import (
	"encoding/json"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// The answers of the other verbs. Their JSON is CLI.md's; schemas/cli describes
// it, and a test holds both against each other.

// CommandAnswer is what enqueue, cancel, retry, dismiss, reopen, pause and resume
// print.
type CommandAnswer struct {
	Command  string       `json:"command"`
	Accepted *bool        `json:"accepted"` // nil = recorded, and carried out once a daemon starts
	Reason   string       `json:"reason"`
	Events   []events.Ref `json:"events"`
}

// StatusAnswer is the overview.
type StatusAnswer struct {
	Time     time.Time         `json:"time"`
	Mode     string            `json:"mode"`
	Heads    map[string]int    `json:"heads"`
	Runs     []json.RawMessage `json:"runs"`
	Pools    []json.RawMessage `json:"pools"`
	Accounts []json.RawMessage `json:"accounts"`
	Fleet    FleetState        `json:"fleet"`
	Config   *ConfigState      `json:"config"` // nil = no daemon has read one yet
	Watchdog WatchdogState     `json:"watchdog"`
	Counters *DaemonCounters   `json:"counters"` // nil = no daemon is running
}

// FleetState is what holds for all.
type FleetState struct {
	MaxRuns int          `json:"max_runs"` // 0 = the default
	Running int          `json:"running"`
	Waiting int          `json:"waiting"`
	Paused  []PauseState `json:"paused"`
}

// PauseState is a scope in which no new work starts.
type PauseState struct {
	Scope string     `json:"scope"` // "" = everything
	Since time.Time  `json:"since"`
	Event events.Ref `json:"event"`
}

// ConfigState is the configuration that the daemon works by.
type ConfigState struct {
	Digest   string     `json:"digest"`
	File     string     `json:"file"` // "" = the built-in defaults
	Since    time.Time  `json:"since"`
	Kept     []string   `json:"kept"`     // keys that hold from the next start on
	Rejected string     `json:"rejected"` // why the newest file was not taken; "" = it was
	OnDisk   string     `json:"on_disk"`  // the file against that: "same", "changed", "broken", or "" without a daemon
	Event    events.Ref `json:"event"`
}

// normalise makes lists of what is nil.
func (a *StatusAnswer) normalise() {
	orEmpty(&a.Runs)
	orEmpty(&a.Pools)
	orEmpty(&a.Accounts)
	orEmpty(&a.Fleet.Paused)
	if a.Config != nil {
		orEmpty(&a.Config.Kept)
	}
}

// WatchdogState says whether the daemon makes progress.
type WatchdogState struct {
	OK  bool   `json:"ok"`
	Why string `json:"why"`
}

// DaemonCounters are the running daemon's, asked over its local socket.
type DaemonCounters struct {
	StoreReads int64 `json:"store_reads"`
	Appends    int64 `json:"appends"`
	Wakeups    int64 `json:"wakeups"`
}

// GetAnswer is one read model. Each item is a row as the view keeps it.
type GetAnswer struct {
	Items []json.RawMessage `json:"items"`
	Next  *string           `json:"next"` // nil = these are all
}

// QueueAnswer is the line.
type QueueAnswer struct {
	Items []QueueItem `json:"items"`
}

// QueueItem is one place of it.
type QueueItem struct {
	Place  int             `json:"place"`
	Kind   string          `json:"kind"` // "head" or "lane"
	ID     string          `json:"id"`
	Repo   events.RepoName `json:"repo"`
	Number int             `json:"number"`
	Pool   events.PoolName `json:"pool"` // "" for a head
	Rank   string          `json:"rank"`
	Why    string          `json:"why"`
	ETA    *time.Time      `json:"eta"` // nil = unknown
}

// ExplainAnswer says why.
type ExplainAnswer struct {
	Subject string     `json:"subject"`
	State   string     `json:"state"`
	Why     WhyNode    `json:"why"`
	NextAt  *time.Time `json:"next_at"` // nil = nothing is due
}

// WhyNode is a node of the tree of reasons.
type WhyNode struct {
	Rule     string     `json:"rule"`
	Text     string     `json:"text"`
	Outcome  string     `json:"outcome"`
	Event    events.Ref `json:"event"` // the first event behind it; "" = none
	Children []WhyNode  `json:"children"`
}

// AuditAnswer is what deciding again found.
type AuditAnswer struct {
	Checked    int             `json:"checked"`
	Identical  int             `json:"identical"`
	Mismatched []AuditMismatch `json:"mismatched"`
	Chain      string          `json:"chain"` // "intact", or "broken at stream@version"
}

// AuditMismatch is a decision on record that the rules do not decide.
type AuditMismatch struct {
	Event      events.Ref `json:"event"`
	Kind       string     `json:"kind"`
	Recorded   any        `json:"recorded"`
	Recomputed any        `json:"recomputed"`
}

// VerifyAnswer is the state of the chain.
type VerifyAnswer struct {
	Events   int        `json:"events"`
	Streams  int        `json:"streams"`
	Chain    string     `json:"chain"`     // "intact" or "broken"
	At       events.Ref `json:"at"`        // the first event that is wrong; "" = none
	SealedTo events.Ref `json:"sealed_to"` // the last seal; "" = none
	Unsealed int        `json:"unsealed"`  // events that no seal covers yet
}

// The chain's states.
const (
	ChainIntact = "intact"
	ChainBroken = "broken"
)

// Result is nil, or ErrAnswerNo where something does not hold.
func (a *AuditAnswer) Result() error {
	if len(a.Mismatched) > 0 || a.Chain != ChainIntact {
		return ErrAnswerNo
	}
	return nil
}

// Result is nil, or ErrAnswerNo where the chain is broken.
func (a *VerifyAnswer) Result() error {
	if a.Chain != ChainIntact {
		return ErrAnswerNo
	}
	return nil
}

// Result is nil, or ErrAnswerNo for a refusal.
func (a *CommandAnswer) Result() error {
	if a.Accepted != nil && !*a.Accepted {
		return ErrAnswerNo
	}
	return nil
}
