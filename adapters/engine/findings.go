package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/adapters/prose"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds beside those of events.Finding.
const (
	categoryMax = 60
	ruleMax     = 200
	fileMax     = 4096
	summaryMax  = 4 << 10

	// WithheldPerLaneMax bounds what is recorded one by one of the findings over
	// the cap; the rest are counted in one line.
	WithheldPerLaneMax = 500
)

// complete turns an answer into commands. The same answer on the same change
// gives the same commands, in whatever order the engine said it.
func complete(ctx context.Context, job actors.LaneJob, in *session.Input, answer *session.Answer) []events.Command {
	place := newPlacer(in.Change, in.Diff)
	defer place.close()
	place.exact = job.Kind == KindStatic || IsLinter(job.Kind)
	var kept []events.Finding
	var withheld []run.Withheld
	for _, f := range byFile(answer.Findings) {
		tidy(&f)
		reason := settle(place, &f)
		if reason == "" {
			reason = excluded(in, &f)
		}
		if reason != "" {
			withheld = append(withheld, run.Withheld{Finding: f, Reason: reason})
			continue
		}
		kept = append(kept, f)
	}
	for _, w := range answer.Withheld {
		tidy(&w.Finding)
		settle(place, &w.Finding) // spells its file; its own reason stands
		withheld = append(withheld, run.Withheld{Finding: w.Finding, Reason: w.Reason, Unlisted: w.Unlisted})
	}
	kept, twice := once(kept)
	kept, over := capped(kept)
	printCode(ctx, place, in.Change.Print, kept)
	withheld, unlisted := bounded(append(append(withheld, twice...), over...), answer.More)
	early, rest := skipped(job, answer.Skipped)
	commands := append(raise(job, kept, withheld), early...)
	key := job.Key
	return append(commands, run.CompleteLane{
		Lane: key.Lane, Attempt: key.Attempt, Generation: job.Generation,
		Usage: answer.Usage, Summary: summary(answer), Skipped: rest,
		Engine: answer.Engine, Sandbox: answer.Sandbox, Artifact: answer.Artifact, Unlisted: unlisted,
	})
}

// summary is the engine's own, with what was put right in its answer. (semantics
// 12.6: every change is noted)
func summary(answer *session.Answer) string {
	text := strings.TrimSpace(clean(answer.Summary))
	if len(answer.Notes) == 0 {
		return harmless(text, summaryMax, prose.Text)
	}
	notes := harmless("(Put right: "+oneLine(strings.Join(answer.Notes, "; "))+".)", summaryMax/2, prose.Line)
	return strings.TrimSpace(harmless(text, summaryMax-len(notes)-1, prose.Text) + "\n" + notes)
}

// tidy cleans and cuts the texts of a finding. What it quotes is left as it was
// said until it has been looked up.
func tidy(f *events.Finding) {
	f.Title = harmless(oneLine(f.Title), events.FindingTitleMax, prose.Line)
	f.Body = harmless(strings.TrimSpace(clean(f.Body)), events.FindingBodyMax, prose.Text)
	f.Category = shorten(oneLine(f.Category), categoryMax)
	f.Rule = shorten(oneLine(f.Rule), ruleMax)
	if f.Category == "" {
		f.Category = "general"
	}
	f.Placement, f.PlacementReason, f.SuggestionReason = "", "", ""
	text := strings.ReplaceAll(f.Suggestion, "\r\n", "\n")
	if f.Suggestion = prose.Visible(clean(text)); f.Suggestion != text {
		f.SuggestionReason = reasonUnseen
	}
	cut(f, events.FindingSuggestionMax)
}

// cut shortens a suggestion, which is then no longer one to apply.
func cut(f *events.Finding, n int) {
	if len(f.Suggestion) > n {
		f.Suggestion, f.SuggestionReason = shorten(f.Suggestion, n), fmt.Sprintf(reasonCut, n)
	}
}

// settle places a finding that is tidy, and gives it its keys.
func settle(place *placer, f *events.Finding) (withheld string) {
	withheld = place.place(f)
	f.Quote = prose.Visible(clean(strings.Join(quoteLines(f.Quote), "\n")))
	f.Identify() // from the words that are stored
	return withheld
}

// byFile orders findings so that each file is looked at once.
func byFile(all []events.Finding) []events.Finding {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b events.Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.FileBase64, b.FileBase64))
	})
	return sorted
}

// byPlace orders findings by where they stand, then by what they say.
func byPlace(a, b events.Finding) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File), cmp.Compare(a.FileBase64, b.FileBase64),
		cmp.Compare(a.LineStart, b.LineStart), cmp.Compare(a.LineEnd, b.LineEnd),
		cmp.Compare(b.Severity.Weight(), a.Severity.Weight()),
		cmp.Compare(a.Category, b.Category), cmp.Compare(a.Title, b.Title),
		cmp.Compare(a.Body, b.Body), cmp.Compare(a.Suggestion, b.Suggestion), cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Quote, b.Quote), cmp.Compare(a.PlacementReason, b.PlacementReason),
		cmp.Compare(certainty(b), certainty(a)),
	)
}

func certainty(f events.Finding) float64 {
	if f.Confidence == nil {
		return -1
	}
	return *f.Confidence
}

// once keeps one of findings that say the same of the same lines: the heaviest.
func once(all []events.Finding) (kept []events.Finding, withheld []run.Withheld) {
	slices.SortFunc(all, byPlace)
	type said struct {
		fingerprint events.Fingerprint
		dedupe      string
		start, end  int
	}
	seen := map[said]bool{}
	for _, f := range all {
		key := said{f.Fingerprint, f.Dedupe, f.LineStart, f.LineEnd}
		if seen[key] {
			withheld = append(withheld, run.Withheld{Finding: f, Reason: reasonTwice})
			continue
		}
		seen[key] = true
		kept = append(kept, f)
	}
	return kept, withheld
}

// capped keeps the heaviest findings up to the cap.
func capped(all []events.Finding) (kept []events.Finding, withheld []run.Withheld) {
	slices.SortFunc(all, func(a, b events.Finding) int {
		return cmp.Or(cmp.Compare(b.Severity.Weight(), a.Severity.Weight()), byPlace(a, b))
	})
	most := min(len(all), events.FindingsPerLaneMax)
	for _, f := range all[most:] {
		f.Body, f.Suggestion, f.SuggestionReason, f.Quote = "", "", "", "" // what is shown of a withheld finding is its title
		withheld = append(withheld, run.Withheld{
			Finding: f, Reason: fmt.Sprintf(reasonOverFindings, events.FindingsPerLaneMax),
		})
	}
	kept = all[:most]
	slices.SortFunc(kept, byPlace)
	return kept, withheld
}

// bounded keeps what is withheld within its bound: what is over it becomes one
// line with the number, as do the more that an engine did not list.
func bounded(all []run.Withheld, more int) (listed []run.Withheld, unlisted int) {
	slices.SortFunc(all, func(a, b run.Withheld) int {
		return cmp.Or(byPlace(a.Finding, b.Finding), cmp.Compare(a.Reason, b.Reason))
	})
	most := min(len(all), WithheldPerLaneMax)
	if more += len(all) - most; more == 0 {
		return all, 0
	}
	rest := events.Finding{
		Severity: events.SeverityNitpick, Category: "general", Placement: events.PlacementBody,
		Title: fmt.Sprintf(titleOfRest, more),
	}
	rest.Identify()
	return append(all[:most:most], run.Withheld{
		Finding: rest, Reason: fmt.Sprintf(reasonOverWithheld, WithheldPerLaneMax),
	}), more
}
