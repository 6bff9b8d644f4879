package main

import "time"

// ReviewCmd reviews one change in this process.
type ReviewCmd struct {
	Path     string   `arg:"" optional:"" default:"." name:"path" help:"A repository on disk or its address, or a pull request: its address or OWNER/REPO#N."`
	Base     string   `placeholder:"REF" help:"The base; default: the merge base with the default branch, on that branch the first parent."`
	Head     string   `placeholder:"REF" help:"The head; default: what is checked out."`
	Worktree bool     `help:"Review uncommitted work as well."`
	Engine   []string `placeholder:"NAME" sep:"none" help:"An engine by its configured name; may be repeated; default: the embedded static reviewers."`
	Policy   string   `placeholder:"FILE" help:"The review policy."`
	Format   string   `enum:"text,markdown,json,sarif,rdjsonl" default:"text" help:"${enum}; --json is --format json."`
	FailOn   string   `enum:"blocking,suggestion,nitpick,never" default:"blocking" help:"From which severity on the exit code is 1: ${enum}."`
	Publish  bool     `help:"Post the review to the forge."`
}

// Help is shown by review --help.
func (ReviewCmd) Help() string {
	return `Nothing is posted unless --publish is given with a forge configured. It waits for a slot, and does not wait for money, a breaker or a pause.

Exit: 0 nothing at or above --fail-on, or an empty change · 1 something is · 2 not a repository, an unknown ref, a broken configuration · 3 partial, failed or not run · 130 interrupted.`
}

// Validate refuses what means nothing.
func (c *ReviewCmd) Validate() error {
	if c.Worktree && c.Head != "" {
		return wrongUsage("--worktree and --head are both given", "give one of them: the working tree belongs to what is checked out")
	}
	return nil
}

// ServeCmd is the daemon.
type ServeCmd struct {
	Shadow bool   `help:"Do everything but spend and write to the forge."`
	Listen string `placeholder:"ADDR" help:"Where /healthz and /readyz answer; default: the configured address."`
}

// Waiting is part of the verbs that wait for the daemon's answer, or for a read
// model to catch up.
type Waiting struct {
	Wait time.Duration `default:"10s" placeholder:"TIME" help:"How long to wait for the answer, at most (default: ${default})."`
}

const helpCommand = `Exit: 0 accepted, already so, or recorded for the daemon to carry out when it starts · 1 refused · 3 the log is not available · 4 no such pull request.`

// EnqueueCmd asks for a review of the live head.
type EnqueueCmd struct {
	Waiting  `embed:""`
	PR       PRArg  `arg:"" name:"pr" help:"OWNER/REPO#N, or OWNER/REPO N."`
	SHA      string `name:"sha" placeholder:"SHA" help:"Only if this, or what it abbreviates, is the live head."`
	Priority bool   `help:"Before the others."`
}

// Help is shown by enqueue --help.
func (EnqueueCmd) Help() string { return helpCommand }

// Validate checks the pull request's form.
func (c *EnqueueCmd) Validate() error { return c.PR.check() }

// CancelCmd ends a queued or running head.
type CancelCmd struct {
	Waiting `embed:""`
	PR      PRArg  `arg:"" optional:"" name:"pr" help:"OWNER/REPO#N, or OWNER/REPO N."`
	RunID   string `name:"run" placeholder:"ID" help:"A run, by any unambiguous prefix of its id."`
	Reason  string `placeholder:"TEXT" help:"Why, for the record."`
}

// Help is shown by cancel --help.
func (CancelCmd) Help() string { return helpCommand }

// Validate wants a pull request or a run.
func (c *CancelCmd) Validate() error {
	if (len(c.PR) == 0) == (c.RunID == "") {
		return wrongUsage("cancel wants a pull request or --run ID", "reviewctl cancel OWNER/REPO#N, or reviewctl cancel --run ID")
	}
	if c.RunID != "" {
		return checkIDPrefix("run", c.RunID)
	}
	return c.PR.check()
}

// RetryCmd opens a failed, cancelled or stuck head again.
type RetryCmd struct {
	Waiting `embed:""`
	PR      PRArg `arg:"" name:"pr" help:"OWNER/REPO#N, or OWNER/REPO N."`
}

// Help is shown by retry --help.
func (RetryCmd) Help() string { return helpCommand }

// Validate checks the pull request's form.
func (c *RetryCmd) Validate() error { return c.PR.check() }

// PauseCmd stops starting new work in a scope.
type PauseCmd struct {
	Waiting `embed:""`
	Scope   ScopeArg `arg:"" optional:"" name:"pr|repo" help:"OWNER/REPO#N or OWNER/REPO; default: everything."`
}

// Help is shown by pause --help.
func (PauseCmd) Help() string { return helpCommand }

// Validate checks the scope's form.
func (c *PauseCmd) Validate() error { return c.Scope.check() }

// ResumeCmd ends a pause.
type ResumeCmd struct {
	Waiting `embed:""`
	Scope   ScopeArg `arg:"" optional:"" name:"pr|repo" help:"OWNER/REPO#N or OWNER/REPO; default: everything."`
}

// Help is shown by resume --help.
func (ResumeCmd) Help() string { return helpCommand }

// Validate checks the scope's form.
func (c *ResumeCmd) Validate() error { return c.Scope.check() }

// Looking is part of the verbs that answer from the read models.
type Looking struct {
	Waiting `embed:""`
	At      Moment `placeholder:"TIME" help:"Answer as of then: RFC 3339, or a duration ago such as 2h."`
}

// StatusCmd is the overview.
type StatusCmd struct {
	Looking `embed:""`
	Watch   bool `help:"Go on: one answer after each change."`
}

// Validate refuses a past that goes on.
func (c *StatusCmd) Validate() error {
	if c.Watch && !c.At.IsZero() {
		return wrongUsage("--watch and --at are both given", "give one of them: the past does not change")
	}
	return nil
}

// GetCmd lists one read model.
type GetCmd struct {
	Looking `embed:""`
	Model   string `arg:"" enum:"prs,heads,runs,lanes,findings,pools,accounts,labels,ledger" help:"${enum}."`
	ID      string `arg:"" optional:"" name:"id" help:"One of them, by any unambiguous prefix of its id."`
	Repo    string `placeholder:"REPO" help:"Of this repository: OWNER/REPO."`
	State   string `placeholder:"STATE" help:"In this state."`
	Since   Moment `placeholder:"TIME" help:"Changed since: RFC 3339, or a duration ago such as 2h."`
	Limit   int    `default:"100" placeholder:"N" help:"At most this many (default: ${default})."`
	Cursor  string `placeholder:"CURSOR" help:"Go on where a page ended: what its answer has as next."`
}

// Help is shown by get --help.
func (GetCmd) Help() string {
	return `An ID of prs and labels is OWNER/REPO#N; of heads a commit or OWNER/REPO#N; of runs a run; of lanes a run or run/lane; of findings OWNER/REPO#N, a run or a fingerprint; of pools and accounts a name; of ledger an account or account/run. Commits, runs, fingerprints and names may be cut short.

Exit: 0 done, with no items too · 2 an ambiguous id, or not a cursor · 3 the log is not available · 4 no such thing, or no such store.`
}

// LimitMax bounds --limit.
const LimitMax = 10_000

// Validate checks the limit.
func (c *GetCmd) Validate() error { return checkLimit(c.Limit, 1) }

// QueueCmd shows the line.
type QueueCmd struct {
	Looking `embed:""`
}

// ExplainCmd says why.
type ExplainCmd struct {
	Looking `embed:""`
	Subject SubjectArg `arg:"" name:"pr|run" help:"OWNER/REPO#N, OWNER/REPO N, or a run by any unambiguous prefix of its id."`
}

// Validate checks the subject's form.
func (c *ExplainCmd) Validate() error { return c.Subject.check() }

// EventsCmd prints the log.
type EventsCmd struct {
	Stream string `arg:"" optional:"" help:"Only this stream, for example fleet-main."`
	Type   string `placeholder:"TYPE" help:"Only events of this type, for example head.queued."`
	Since  Moment `placeholder:"TIME" help:"Only later ones: RFC 3339, or a duration ago such as 2h."`
	From   uint64 `placeholder:"POS" help:"Only those after this position of the log."`
	Limit  int    `default:"0" placeholder:"N" help:"At most this many (default: all)."`
	Follow bool   `help:"Go on: print what is appended from now on."`
}

// Validate checks the limit.
func (c *EventsCmd) Validate() error {
	if c.Limit == 0 {
		return nil
	}
	return checkLimit(c.Limit, 1)
}

// AuditCmd decides again from the record.
type AuditCmd struct {
	Subject SubjectArg `arg:"" optional:"" name:"pr|run" help:"OWNER/REPO#N, OWNER/REPO N, or a run by any unambiguous prefix of its id."`
	All     bool       `help:"Everything."`
	Since   Moment     `placeholder:"TIME" help:"Only decisions since: RFC 3339, or a duration ago such as 2h."`
}

// Help is shown by audit --help.
func (AuditCmd) Help() string {
	return `No engine is called and nothing is written. Exit: 0 every decision on record is what the rules decide · 1 a mismatch or a broken chain · 4 no such pull request or run.`
}

// Validate wants one subject, or everything.
func (c *AuditCmd) Validate() error {
	if (len(c.Subject) == 0) != c.All {
		return wrongUsage("audit wants a pull request, a run, or --all", "reviewctl audit --all")
	}
	if c.All {
		return nil
	}
	return c.Subject.check()
}

// VerifyCmd checks the chain.
type VerifyCmd struct {
	Stream string `arg:"" optional:"" help:"Only this stream."`
	All    bool   `help:"The whole log (the default)."`
}

// Help is shown by verify --help.
func (VerifyCmd) Help() string {
	return `Exit: 0 the chain is intact · 1 it is broken, and the first event that is wrong is named · 4 no such stream.`
}

// Validate refuses a stream with --all.
func (c *VerifyCmd) Validate() error {
	if c.Stream != "" && c.All {
		return wrongUsage("a stream and --all are both given", "give one of them")
	}
	return nil
}
