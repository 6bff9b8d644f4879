package static

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/zricethezav/gitleaks/v8/config"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of the bytes of added lines that are searched for secrets: gitleaks
// reads 0.7 MB a CPU second. (performance.md §4)
const (
	FileBytesMax  = 1 << 20
	TotalBytesMax = 4 << 20
)

// gitleaksVersion is the module's, as go.mod has it.
const gitleaksVersion = "8.30.1"

// ownRules are the rules of this package; a change of what one of them finds
// changes its number, and so the engine's version.
var ownRules = []string{"secrets/1", "conflict-marker/1"}

// Engine is the static engine. One serves any number of sessions.
type Engine struct {
	fileMax, totalMax int
}

// New returns the engine.
func New() *Engine { return &Engine{fileMax: FileBytesMax, totalMax: TotalBytesMax} }

// Version names the rules, because a change of them changes results:
// "static/" and twelve hex digits.
func Version() string {
	h := sha256.New()
	for _, part := range append([]string{gitleaksVersion, config.DefaultConfig}, ownRules...) {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return "static/" + hex.EncodeToString(h.Sum(nil))[:12]
}

// Review looks at every file of the change, in git's order.
func (e *Engine) Review(ctx context.Context, in *session.Input) (*session.Answer, error) {
	scan, err := newScan()
	if err != nil {
		return nil, &session.Failure{Kind: events.FailureFatal, Message: err.Error()}
	}
	answer := &session.Answer{
		Usage:   events.Usage{Confidence: events.ConfidenceExact},
		Engine:  Version(),
		Sandbox: "in-process",
	}
	left := e.totalMax
	for i := range in.Diff.Files {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("review statically: %w", err)
		}
		f := &in.Diff.Files[i]
		if skipped := unreadable(f); skipped != nil {
			answer.Skipped = append(answer.Skipped, *skipped)
			continue
		}
		found, note := e.file(ctx, scan, in.Change.Dir, f, &left)
		answer.Findings = append(answer.Findings, found...)
		if note != "" {
			answer.Skipped = append(answer.Skipped, coverage(f, "partial", note))
		}
	}
	// A scan that was cut short must not look like one that found nothing.
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("review statically: %w", err)
	}
	answer.Summary = summary(len(in.Diff.Files), len(answer.Findings))
	return answer, nil
}

// file applies the rules to one file. The note says what was not looked at.
func (e *Engine) file(ctx context.Context, scan *scan, dir string, f *diff.File, left *int) ([]events.Finding, string) {
	old := &oldSide{dir: dir, file: f}
	found := conflicts(f, old)
	if f.Submodule {
		return found, ""
	}
	text := newText(f)
	most, note := min(e.fileMax, *left), ""
	if text.size() > most {
		note = fmt.Sprintf("only the first %d of %d added bytes were searched for secrets", most, text.size())
		text.cut(most)
	}
	*left -= text.size()
	found = append(found, scan.secrets(ctx, f, text, old)...)
	if f.Truncated {
		note = strings.TrimPrefix(note+"; git's patch of the file is cut off", "; ")
	}
	return found, note
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
	shown, _ := diff.ShowPath(f.Path())
	return events.FileCoverage{Path: shown, Status: status, Reason: reason}
}

func summary(files, findings int) string {
	return fmt.Sprintf("%s looked at by the embedded rules, %s.", count(files, "file"), count(findings, "finding"))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
