package static

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of the bytes of added lines that are searched for secrets: gitleaks
// reads 0.7 MB a CPU second. (performance.md §4)
const (
	FileBytesMax  = 1 << 20
	TotalBytesMax = 4 << 20
	// RowBytesMax bounds the bytes of added lines that the cheap rules look at.
	RowBytesMax = 64 << 20
)

// Options say how the rules are switched.
type Options struct {
	Rules    map[string]string // a rule's name → one of Settings; those that are not named are on
	Spelling bool
	Deep     Deep // nil = off
}

// Engine is the static engine. One serves any number of sessions.
type Engine struct {
	fileMax, totalMax int // of secrets
	rowsMax           int

	switches switches
	spelling bool
	deep     Deep
}

// New returns the engine. The options were checked by CheckSwitch.
func New(o Options) *Engine {
	return &Engine{
		fileMax: FileBytesMax, totalMax: TotalBytesMax, rowsMax: RowBytesMax,
		switches: o.Rules, spelling: o.Spelling, deep: o.Deep,
	}
}

// Review looks at every file of the change. The findings are in order of path,
// line and rule, and the same bytes each time.
func (e *Engine) Review(ctx context.Context, in *session.Input) (*session.Answer, error) {
	scan, err := newScan()
	if err != nil {
		return nil, &session.Failure{Kind: events.FailureFatal, Message: err.Error()}
	}
	answer := &session.Answer{
		Usage:   events.Usage{Confidence: events.ConfidenceExact},
		Engine:  e.version(),
		Sandbox: "in-process",
	}
	s := newSurvey(e, scan, in)
	defer s.close()
	if e.deep != nil {
		if s.deep, err = e.deep.Check(ctx, in); err != nil {
			return nil, err
		}
		answer.Sandbox = s.deep.Sandbox
	}
	files := make([]*diff.File, 0, len(in.Diff.Files))
	for i := range in.Diff.Files {
		files = append(files, &in.Diff.Files[i])
	}
	slices.SortStableFunc(files, func(a, b *diff.File) int { // what is excluded comes last: bytes are bounded
		return cmp.Or(order(in.Guarded[a.Path()], in.Guarded[b.Path()]), strings.Compare(a.Path(), b.Path()))
	})
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("review statically: %w", err)
		}
		l, found := s.look(ctx, f)
		answer.Findings = append(answer.Findings, e.switches.sift(found)...)
		answer.Withheld = append(answer.Withheld, e.switches.siftWithheld(l.withheld)...)
		if skipped := unreadable(f); skipped != nil {
			answer.Skipped = append(answer.Skipped, *skipped)
		} else if len(l.notes) > 0 {
			status := events.CoveragePartial
			if l.guarded {
				status = events.CoverageExcluded
			}
			answer.Skipped = append(answer.Skipped, coverage(f, status, strings.Join(l.notes, "; ")))
		}
	}
	// A scan that was cut short must not look like one that found nothing.
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("review statically: %w", err)
	}
	answer.Summary = summary(len(in.Diff.Files), len(answer.Findings))
	return answer, nil
}

// unreadable says why a file has nothing to look at, or nil.
func unreadable(f *diff.File) *events.FileCoverage {
	var c events.FileCoverage
	switch {
	case f.Status == diff.Deleted:
		c = coverage(f, "excluded", "deleted by the change")
	case f.Binary:
		c = coverage(f, "binary", "git shows no text of it")
	default:
		return nil
	}
	return &c
}

func coverage(f *diff.File, status, reason string) events.FileCoverage {
	shown, exact := diff.ShowPath(f.Path())
	return events.FileCoverage{Path: shown, PathBase64: exact, Status: status, Reason: reason}
}

func summary(files, findings int) string {
	return fmt.Sprintf("%s looked at by the embedded rules, %s.", count(files, "file"), count(findings, "finding"))
}

func count(n int, noun string) string {
	return fmt.Sprintf("%d %s", n, plural(n, noun))
}
