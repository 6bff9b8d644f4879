// Package explain answers why: why a pull request or a run waits, why it was not
// reviewed, or why it got this verdict.
//
// The answer is a tree of reasons. A reason names its rule, says it in words, and
// cites the event that it rests on. The rules of a wait begin with "wait.", those
// of an end with "end.", those of what holds a head back with "hold.", those of a
// label that is not there with "label."; the rules of a verdict are those that it
// was reached by.
package explain

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/history"
	"github.com/reviewctl/reviewctl/projections/label"
	"github.com/reviewctl/reviewctl/projections/status"
)

// Report is the answer of `explain`.
type Report struct {
	Subject string       `json:"subject"` // OWNER/REPO#N, or the run
	State   status.State `json:"state"`
	Why     Reason       `json:"why"`
	NextAt  *time.Time   `json:"next_at"` // something happens then at the latest; null = nothing, or nobody knows
}

// Reason is a node of the tree.
type Reason struct {
	Rule     string       `json:"rule"`
	Text     string       `json:"text"`
	Outcome  string       `json:"outcome"`
	Event    events.Ref   `json:"event"` // that it rests on
	Events   []events.Ref `json:"events,omitempty"`
	Children []Reason     `json:"children"`
	nextAt   time.Time
}

// Rules of waits and ends.
const (
	RuleDebounce    = "wait.debounce"
	RuleFleet       = "wait.fleet"
	RulePause       = "wait.pause"
	RuleMaxRuns     = "wait.max_runs"
	RuleWorkspace   = "wait.workspace"
	RuleRun         = "wait.run"
	RuleAccount     = "wait.account"
	RulePool        = "wait.pool"
	RuleEngine      = "wait.engine"
	RulePublication = "wait.publication"
	RuleLane        = "lane."
	RuleEnd         = "end."
	RuleHold        = "hold."  // what keeps a head from being judged of its own accord
	RuleLabel       = "label." // why the forge does not show the label of the verdict
	RuleUnknown     = "none"
)

// PR explains the newest head of a pull request. It returns nil where there is no
// such pull request.
func PR(ctx context.Context, rows projections.Rows, stream events.StreamName) (*Report, error) {
	pr, err := status.PRByStream(ctx, rows, stream)
	if err != nil || pr == nil {
		return nil, err
	}
	subject := fmt.Sprintf("%s#%d", pr.Repo, pr.Number)
	head, err := status.HeadOf(ctx, rows, stream, pr.Head)
	if err != nil {
		return nil, err
	}
	if head == nil {
		return &Report{Subject: subject, Why: leaf(RuleUnknown, "no head of it was queued yet", "", pr.Event)}, nil
	}
	why, err := headReason(ctx, rows, head)
	if err != nil {
		return nil, err
	}
	wanted, err := label.RowOf(ctx, rows, stream)
	if err != nil {
		return nil, err
	}
	why.Children = append(why.Children, labelReason(wanted)...)
	return report(subject, head.State, why), nil
}

// Run explains a run. It returns nil where there is no such run.
func Run(ctx context.Context, rows projections.Rows, run events.RunID) (*Report, error) {
	r, err := status.RunOf(ctx, rows, run)
	if err != nil || r == nil {
		return nil, err
	}
	var why Reason
	switch r.State {
	case status.StateWaiting:
		why, err = admissionReason(ctx, rows, r)
	case status.StateRunning:
		why, err = runningReason(ctx, rows, r)
	default:
		why, err = endReason(ctx, rows, r)
	}
	if err != nil {
		return nil, err
	}
	return report(string(run), r.State, why), nil
}

func report(subject string, state status.State, why Reason) *Report {
	r := &Report{Subject: subject, State: state, Why: why}
	if next := why.next(); !next.IsZero() {
		r.NextAt = &next
	}
	return r
}

func leaf(rule, text, outcome string, event events.Ref) Reason {
	return Reason{Rule: rule, Text: text, Outcome: outcome, Event: event, Children: []Reason{}}
}

// next returns the earliest time in the tree.
func (r *Reason) next() time.Time {
	first := r.nextAt
	for i := range r.Children {
		if t := r.Children[i].next(); !t.IsZero() && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// headReason explains a head.
func headReason(ctx context.Context, rows projections.Rows, h *status.Head) (Reason, error) {
	switch h.State {
	case status.StateQueued:
		return queuedReason(ctx, rows, h)
	case status.StatePublishing, status.StateStuck:
		return publicationReason(ctx, rows, h)
	}
	var run *status.Run
	if h.Run != "" {
		var err error
		if run, err = status.RunOf(ctx, rows, h.Run); err != nil {
			return Reason{}, err
		}
	}
	if run == nil {
		return leaf(endRule(h), orElse(h.Why, "it is "+string(h.State)), string(h.State), h.Event), nil
	}
	switch h.State {
	case status.StateWaiting:
		return admissionReason(ctx, rows, run)
	case status.StateRunning:
		return runningReason(ctx, rows, run)
	case status.StateReviewed:
		return reviewedReason(ctx, rows, h, run)
	}
	ended, err := endReason(ctx, rows, run)
	if err != nil {
		return Reason{}, err
	}
	why := leaf(endRule(h), orElse(h.Why, ended.Text), string(h.State), h.Event)
	why.Children = append(why.Children, ended)
	return why, nil
}

func endRule(h *status.Head) string {
	if h.State == status.StateSkipped {
		return RuleHold + string(h.Cause)
	}
	return RuleEnd + string(h.State)
}

// reviewedReason is the verdict; of a head that came back, below why it was not
// judged again.
func reviewedReason(ctx context.Context, rows projections.Rows, h *status.Head, run *status.Run) (Reason, error) {
	verdict, err := verdictReason(ctx, rows, run)
	if err != nil || h.Cause != events.HoldReviewed {
		return verdict, err
	}
	why := leaf(RuleHold+string(h.Cause), h.Why, string(h.State), h.Event)
	why.Children = append(why.Children, verdict)
	return why, nil
}

// labelReason says why the forge does not show the label that is wanted.
func labelReason(l *label.Row) []Reason {
	if l == nil || len(l.Events) == 0 {
		return nil
	}
	name := orElse(string(l.Label), "no label")
	var text string
	switch l.State {
	case label.Failed:
		text = fmt.Sprintf("%s is wanted; try %d failed (%s), again at %s: %s", name, l.Try, l.Kind, clock(l.NextAt), l.Why)
	case label.Resting:
		text = fmt.Sprintf("%s is wanted, and cannot be set (%s); `retry` tries again: %s", name, l.Kind, l.Why)
	case label.Skipped:
		text = name + " is not set: " + l.Why
	default:
		return nil
	}
	why := leaf(RuleLabel+string(l.State), text, string(l.State), l.Events[len(l.Events)-1])
	why.nextAt = l.NextAt
	return []Reason{why}
}

// verdictReason is the tree that the verdict was reached by.
func verdictReason(ctx context.Context, rows projections.Rows, run *status.Run) (Reason, error) {
	judged, err := history.VerdictOf(ctx, rows, run.Run)
	if err != nil {
		return Reason{}, err
	}
	if judged == nil {
		return endReason(ctx, rows, run)
	}
	return treeOf(&judged.Why, judged.Event), nil
}

// treeOf cites the event above where a node of the verdict cites none.
func treeOf(r *events.Reason, above events.Ref) Reason {
	node := leaf(r.Rule, r.Text, r.Outcome, above)
	if len(r.Events) > 0 {
		node.Event = r.Events[0]
		node.Events = r.Events
	}
	for i := range r.Children {
		node.Children = append(node.Children, treeOf(&r.Children[i], node.Event))
	}
	return node
}

// endReason explains why a run ended.
func endReason(ctx context.Context, rows projections.Rows, run *status.Run) (Reason, error) {
	if run.Verdict != "" && run.Outcome.Reviewed() {
		judged, err := history.VerdictOf(ctx, rows, run.Run)
		if err == nil && judged != nil {
			return treeOf(&judged.Why, judged.Event), nil
		}
		if err != nil {
			return Reason{}, err
		}
	}
	why := leaf(RuleEnd+string(run.Outcome), orElse(run.Why, "the run ended"), string(run.Outcome), run.Event)
	why.nextAt = run.Until
	if w := run.Workspace; w != nil && w.State == "failed" {
		why.Children = append(why.Children, leaf(RuleWorkspace, w.Reason, w.State, w.Event))
	}
	lanes, err := status.LanesOf(ctx, rows, run.Run)
	if err != nil {
		return Reason{}, err
	}
	for i := range lanes {
		why.Children = append(why.Children, endedLane(&lanes[i]))
	}
	return why, nil
}

func orElse(text, otherwise string) string {
	if strings.TrimSpace(text) == "" {
		return otherwise
	}
	return text
}
