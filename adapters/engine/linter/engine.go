package linter

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/engine/exec"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// The kinds of report.
const (
	KindSARIF       = "sarif"
	KindRDJSONL     = "rdjsonl"
	KindCheckstyle  = "checkstyle"
	KindErrorformat = "errorformat"
)

// Kinds lists them.
func Kinds() []string { return []string{KindSARIF, KindRDJSONL, KindCheckstyle, KindErrorformat} }

// Bounds of what is held of one report. What is over them is counted.
const (
	InsideMax  = 2 * events.FindingsPerLaneMax // the runner keeps the half and says what else there was
	OutsideMax = 500
	unreadMax  = 1_000
)

// Params is what an engine needs.
type Params struct {
	exec.Params

	Kind    string
	Formats []string // of an errorformat
}

// Engine runs one configured linter.
type Engine struct {
	program *exec.Engine
	name    events.EngineName
	kind    string
	format  format
}

// CheckFormats reports what is wrong with the formats of an errorformat engine.
func CheckFormats(formats []string) error {
	_, err := newErrorformat(formats)
	return err
}

// New returns the engine, or what is wrong with its formats.
func New(p Params) (*Engine, error) {
	e := &Engine{program: exec.New(p.Params), name: p.Name, kind: p.Kind}
	switch p.Kind {
	case KindSARIF:
		e.format = sarif{}
	case KindRDJSONL:
		e.format = rdjsonl{}
	case KindCheckstyle:
		e.format = checkstyle{}
	case KindErrorformat:
		format, err := newErrorformat(p.Formats)
		if err != nil {
			return nil, err
		}
		e.format = format
	default:
		return nil, fmt.Errorf("kind: %q is not one of %s", p.Kind, strings.Join(Kinds(), ", "))
	}
	return e, nil
}

// Review runs the linter and reads its report.
func (e *Engine) Review(ctx context.Context, in *session.Input) (*session.Answer, error) {
	return e.program.Once(ctx, in, func(report *exec.Report) (*session.Answer, error) {
		return e.answer(ctx, in, report)
	})
}

// errEnded stops the reading of a report whose session is over.
var errEnded = errors.New("the session is over")

// answer makes the session's end of the report.
func (e *Engine) answer(ctx context.Context, in *session.Input, report *exec.Report) (*session.Answer, error) {
	if report.Over {
		return nil, report.Fail(events.FailureContract, fmt.Sprintf("the report is longer than %d bytes", exec.ReportMax))
	}
	c := newCollector(in)
	defer c.gate.close()
	facts, err := e.read(ctx, report, c.take)
	switch {
	case errors.Is(err, errEnded):
		return nil, report.Fail(events.FailureInfra, err.Error())
	case err != nil && report.Exit != 0:
		return nil, report.Exited(err.Error())
	case err != nil:
		reason := "the report cannot be read: " + err.Error()
		if said := report.Reason(); said != "" {
			reason += "; the linter says: " + said
		}
		return nil, report.Fail(events.FailureContract, reason)
	case facts.failed != "":
		return nil, report.Fail(events.FailureInfra, "the linter did not do its work: "+facts.failed)
	case report.Exit != 0 && c.seen == 0 && e.saysNothing():
		return nil, report.Exited("the linter says nothing")
	}
	answer := c.answer()
	answer.Engine, answer.Summary = e.version(facts), c.summary(facts)
	if err := scrub(report, answer); err != nil {
		return nil, report.Fail(events.FailureInfra, "the report could not be searched for secrets: "+err.Error())
	}
	return report.Answer(answer)
}

// saysNothing tells the kinds whose report of no remark is no text at all: a
// linter that broke down has the same.
func (e *Engine) saysNothing() bool { return e.kind == KindRDJSONL || e.kind == KindErrorformat }

// read gives every remark to take, until the session is over.
func (e *Engine) read(ctx context.Context, report *exec.Report, take func(remark)) (all facts, err error) {
	src, err := newSource(report.File, report.Size)
	if err != nil {
		return all, err
	}
	src.ctx = ctx
	all, err = e.format.read(src, take)
	if ctx.Err() != nil {
		err = errEnded
	}
	return all, err
}

// version is the kind, the engine's name and the tool that the report names.
func (e *Engine) version(f facts) string {
	tool := strings.TrimSpace(f.tool + " " + f.version)
	return strings.TrimSpace(e.kind + "/" + string(e.name) + " " + cut(strings.Join(strings.Fields(tool), " "), 200))
}

// scrub takes secrets out of what is kept of the report. Most texts of a report
// are the same ones over and over.
func scrub(report *exec.Report, answer *session.Answer) error {
	clean := map[string]string{"": ""}
	var failed error
	texts := func(all ...*string) {
		for _, text := range all {
			done, known := clean[*text]
			if !known && failed == nil {
				done, failed = report.Scrub(*text)
				clean[*text] = done
			}
			*text = done
		}
	}
	for i := range answer.Findings {
		f := &answer.Findings[i]
		texts(&f.Title, &f.Body, &f.Suggestion, &f.Rule)
	}
	for i := range answer.Withheld {
		f := &answer.Withheld[i].Finding
		f.Body, f.Suggestion = "", "" // what is shown of a withheld finding is its title
		texts(&f.Title, &f.Rule, &f.File, &answer.Withheld[i].Reason)
	}
	texts(&answer.Engine, &answer.Summary)
	return failed
}
