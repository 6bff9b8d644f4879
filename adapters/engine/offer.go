package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// offer makes what an engine is given of a change: not the files that are excluded.
// Those that no configuration excludes the embedded engine is given all the same,
// for what threatens whoever merges them. (events.Exclusion)
func offer(job actors.LaneJob, change *actors.Change, until time.Time) (*session.Input, error) {
	in := &session.Input{
		Job: job, Change: change, Until: until,
		Excluded: map[string]string{}, TooLarge: map[string]string{}, Guarded: map[string]bool{},
	}
	text := change.Patch
	if job.Kind == KindStatic && len(change.Aside) > 0 {
		text = slices.Concat(text, change.Aside)
	}
	for i := range change.Files {
		f := &change.Files[i]
		name := diff.ExactPath(f.Path, f.PathBase64)
		switch {
		case f.Excluded == "":
		case f.Excluded != events.ExcludedConfigured && job.Kind == KindStatic:
			in.Guarded[name] = true
		default:
			in.Excluded[name] = "the file is excluded: " + f.WhyExcluded()
		}
		if f.TooLarge != "" {
			in.TooLarge[name] = f.TooLarge
		}
	}
	var err error
	if in.Diff, err = diff.Parse(text); err != nil {
		return nil, fmt.Errorf("read the change: %w", err)
	}
	return in, nil
}

// excluded says why a finding that is spelled as the change spells it is about a
// file that the engine was not given, or "".
func excluded(in *session.Input, f *events.Finding) string {
	return in.Excluded[diff.ExactPath(f.File, f.FileBase64)]
}

// skippedMaxBytes is how much of what was not fully reviewed goes with the end of
// a lane; more comes before it.
const skippedMaxBytes = 32 << 10

// skipped splits what an engine did not fully review: into what goes with the end
// of the lane, or into commands before it. Names that no file system takes are left
// out: such a file is in no checkout, which the run knows.
func skipped(job actors.LaneJob, all []events.FileCoverage) (commands []events.Command, rest []events.FileCoverage) {
	sum := 0
	all = slices.DeleteFunc(slices.Clone(all), func(s events.FileCoverage) bool { return len(s.Path) > fileMax })
	for i := range all {
		all[i].Reason = shorten(all[i].Reason, messageMax)
		sum += size(all[i]) + 1
	}
	if sum <= skippedMaxBytes {
		return nil, all
	}
	page := run.RaiseFindings{Lane: job.Key.Lane, Attempt: job.Key.Attempt, Generation: job.Generation}
	used := 0
	for _, s := range all {
		n := size(s) + 1
		if used+n > run.RaiseMaxBytes-1<<10 {
			commands = append(commands, page)
			page.Skipped, used = nil, 0
		}
		page.Skipped, used = append(page.Skipped, s), used+n
	}
	return append(commands, page), nil
}
