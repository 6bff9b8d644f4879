package engine

import (
	"encoding/json"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/prose"
	"github.com/reviewctl/reviewctl/events"
)

// raise packs the findings, in order, into as few commands of at most
// run.RaiseMaxBytes as their order allows.
func raise(job actors.LaneJob, kept []events.Finding, withheld []run.Withheld) []events.Command {
	empty := run.RaiseFindings{Lane: job.Key.Lane, Attempt: job.Key.Attempt, Generation: job.Generation}
	frame := size(empty) + len(`,"findings":[],"withheld":[]`)
	var commands []events.Command
	current, used := empty, frame
	room := func(n int) {
		if used+n > run.RaiseMaxBytes {
			commands = append(commands, current)
			current, used = empty, frame
		}
		used += n
	}
	for _, f := range kept {
		fit(&f, frame)
		room(size(f) + 1)
		current.Findings = append(current.Findings, f)
	}
	for _, w := range withheld {
		fit(&w.Finding, frame+len(`{"finding":,"reason":}`)+size(w.Reason))
		room(size(w) + 1)
		current.Withheld = append(current.Withheld, w)
	}
	if used > frame {
		commands = append(commands, current)
	}
	return commands
}

// fit cuts a finding whose JSON alone is over the bound: a text may be within its
// own bound and still be six times as long when each byte is escaped.
func fit(f *events.Finding, frame int) {
	for n := max(len(f.Body), len(f.Suggestion)); n > len(cutMark) && size(*f)+frame+1 > run.RaiseMaxBytes; n /= 2 {
		f.Body = harmless(f.Body, n, prose.Text)
		cut(f, n)
		f.Identify() // its keys are those of the words that are stored
	}
}

// size is the length of the value's JSON. Nothing that is raised can fail to be
// JSON.
func size(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("engine: " + err.Error())
	}
	return len(raw)
}
