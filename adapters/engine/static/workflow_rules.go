package static

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"

	"github.com/reviewctl/reviewctl/events"
)

var injectionRule = Rule{
	ID: "workflow-injection", title: "Script injection in a workflow", version: 1,
	Severity: events.SeverityBlocking, Category: categorySecurity,
	Doc: "Whoever opens an issue or a pull request writes this text, and the runner executes it as part of the script. " +
		"Pass it through an environment variable.",
}

var targetCheckoutRule = Rule{
	ID: "workflow-target-checkout", title: "Privileged workflow checks out the pull request", version: 1,
	Severity: events.SeverityBlocking, Category: categorySecurity,
	Doc: "The workflow has the secrets and the write access of the base repository, and runs code that anybody may have written. " +
		"Use pull_request, or do not check out the head.",
}

var unpinnedRule = Rule{
	ID: "workflow-unpinned-action", title: "Action that is not pinned", version: 1,
	Severity: events.SeveritySuggestion, Category: categorySecurity,
	Doc: "Whoever can move the tag or branch of the other repository runs code with this workflow's rights. " +
		"Name the full commit, or the digest of an image.",
}

var writeAllRule = Rule{
	ID: "workflow-write-all", title: "Permission to write everything", version: 1,
	Severity: events.SeveritySuggestion, Category: categorySecurity,
	Doc: "Every step and every action in it may change the repository, its releases and its packages. Name the scopes it needs.",
}

// untrusted is actionlint's word for what others write.
const untrusted = "potentially untrusted"

// script is the text of a step that a program executes, as the file has it.
type script struct {
	first int // line
	rows  []string
}

// scriptsOf lists the scripts: "run", and "script" of actions/github-script.
func scriptsOf(w *actionlint.Workflow, rows []string) []script {
	var all []script
	add := func(s *actionlint.String) {
		if s == nil || s.Pos == nil || s.Pos.Line < 1 || s.Pos.Line > len(rows) {
			return
		}
		at := script{first: s.Pos.Line}
		indent := keyIndent(rows[at.first-1])
		end := at.first
		for end < len(rows) && (strings.TrimSpace(rows[end]) == "" || spaces(rows[end]) > indent) {
			end++
		}
		at.rows = rows[at.first-1 : end]
		all = append(all, at)
	}
	for _, step := range stepsOf(w) {
		switch exec := step.Exec.(type) {
		case *actionlint.ExecRun:
			add(exec.Run)
		case *actionlint.ExecAction:
			if input := exec.Inputs["script"]; input != nil && usesOf(exec, "actions/github-script") {
				add(input.Value)
			}
		}
	}
	slices.SortFunc(all, func(a, b script) int { return cmp.Compare(a.first, b.first) })
	return slices.CompactFunc(all, func(a, b script) bool { return a.first == b.first })
}

// keyIndent is the column of a line's first key: behind the dashes of a list.
func keyIndent(row string) int { return len(row) - len(strings.TrimLeft(row, " -")) }

func spaces(row string) int { return len(row) - len(strings.TrimLeft(row, " ")) }

// stepsOf lists the steps of all jobs. Jobs are a map, so callers sort.
func stepsOf(w *actionlint.Workflow) []*actionlint.Step {
	var all []*actionlint.Step
	if w == nil {
		return nil
	}
	for _, job := range w.Jobs {
		if job != nil {
			all = append(all, job.Steps...)
		}
	}
	return all
}

func usesOf(exec *actionlint.ExecAction, name string) bool {
	return exec.Uses != nil && strings.HasPrefix(strings.ToLower(exec.Uses.Value), name+"@")
}

// injections finds what others write in the scripts, each at its line.
func (l *look) injections(scripts []script) {
	for _, s := range scripts {
		for i, row := range s.rows {
			line := s.first + i
			if _, ok := l.added[line]; ok && injected(row) {
				l.at(&injectionRule, line, "", "The script holds an expression whose value other people choose.")
			}
		}
	}
}

// injected asks actionlint's own judgement of every expression of a row.
func injected(row string) bool {
	for {
		_, rest, ok := strings.Cut(row, "${{")
		if !ok {
			return false
		}
		row = rest
		node, err := actionlint.NewExprParser().Parse(actionlint.NewExprLexer(rest))
		if err != nil {
			continue
		}
		_, faults := actionlint.NewExprSemanticsChecker(true, nil).Check(node)
		for _, f := range faults {
			if strings.Contains(f.Message, untrusted) {
				return true
			}
		}
	}
}

// ownWorkflowRules are those that actionlint has not.
func (l *look) ownWorkflowRules(w *actionlint.Workflow) {
	l.writeAll(w.Permissions)
	trigger := privilegedTrigger(w)
	for _, name := range slices.Sorted(maps.Keys(w.Jobs)) {
		job := w.Jobs[name]
		if job == nil {
			continue
		}
		l.writeAll(job.Permissions)
		if job.WorkflowCall != nil {
			l.unpinned(job.WorkflowCall.Uses)
		}
		for _, step := range job.Steps {
			if exec, ok := step.Exec.(*actionlint.ExecAction); ok {
				l.unpinned(exec.Uses)
				if trigger != nil {
					l.targetCheckout(exec, trigger)
				}
			}
		}
	}
}

func (l *look) writeAll(p *actionlint.Permissions) {
	if p != nil && p.All != nil && p.All.Value == "write-all" {
		l.onAdded(&writeAllRule, "The workflow's token may write everything.", p.All.Pos)
	}
}

// privilegedTrigger is the event that runs a pull request's workflow with the
// rights of the base repository, or nil.
func privilegedTrigger(w *actionlint.Workflow) *actionlint.String {
	for _, event := range w.On {
		hook, ok := event.(*actionlint.WebhookEvent)
		if ok && hook.Hook != nil && (hook.Hook.Value == "pull_request_target" || hook.Hook.Value == "workflow_run") {
			return hook.Hook
		}
	}
	return nil
}

var headRef = regexp.MustCompile(`github\.(?:head_ref\b|event\.pull_request\.head\.|event\.workflow_run\.head_|event\.number\b|event\.pull_request\.number\b)`)

// targetCheckout finds a checkout of the head behind a privileged trigger,
// whichever of the two the change adds.
func (l *look) targetCheckout(exec *actionlint.ExecAction, trigger *actionlint.String) {
	if !usesOf(exec, "actions/checkout") {
		return
	}
	for _, name := range []string{"ref", "repository"} {
		input := exec.Inputs[name]
		if input != nil && input.Value != nil && headRef.MatchString(input.Value.Value) {
			l.onAdded(&targetCheckoutRule, "The workflow runs on "+trigger.Value+" and checks out code of the pull request.",
				input.Value.Pos, exec.Uses.Pos, trigger.Pos)
			return
		}
	}
}

var (
	fullCommit  = regexp.MustCompile(`@(?:[0-9a-f]{40}|[0-9a-f]{64})$`)
	firstParty  = regexp.MustCompile(`^(?i:actions|github)/`)
	imageDigest = regexp.MustCompile(`@sha256:[0-9a-f]{64}$`)
)

// unpinned finds an action of others that is named by a tag or a branch.
func (l *look) unpinned(uses *actionlint.String) {
	switch {
	case uses == nil, strings.HasPrefix(uses.Value, "./"), firstParty.MatchString(uses.Value), actionlint.ContainsExpression(uses.Value):
	case strings.HasPrefix(uses.Value, "docker://") && imageDigest.MatchString(uses.Value), fullCommit.MatchString(uses.Value):
	case strings.Contains(uses.Value, "@") || strings.HasPrefix(uses.Value, "docker://"):
		l.onAdded(&unpinnedRule, "The action is named by what can move.", uses.Pos)
	}
}

// onAdded reports at the first of the places that is an added line.
func (l *look) onAdded(r *Rule, said string, places ...*actionlint.Pos) {
	for _, p := range places {
		if p == nil {
			continue
		}
		if _, ok := l.added[p.Line]; ok {
			l.at(r, p.Line, "", said)
			return
		}
	}
}
