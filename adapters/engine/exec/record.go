package exec

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/reviewctl/reviewctl/events"
)

// recordMax bounds what is kept of one stream of one turn.
const recordMax = 1 << 20

// record is what a lane printed, in the order of its turns: the artifact.
type record struct {
	Schema int               `json:"schema"`
	Engine events.EngineName `json:"engine"`
	Turns  []turnRecord      `json:"turns"`
}

type turnRecord struct {
	Exit   int      `json:"exit"`
	Over   bool     `json:"over_cap,omitempty"` // standard output was too long and is not kept
	Stdout string   `json:"stdout,omitempty"`
	Stderr string   `json:"stderr,omitempty"`
	Faults []string `json:"faults,omitempty"`
}

func (r *record) add(out *output) {
	turn := turnRecord{Exit: out.exit, Over: out.over, Stdout: out.stdout, Stderr: out.stderr}
	if out.over {
		// A text that is cut in the middle may end in half a secret, which no
		// rule knows.
		turn.Stdout = ""
	}
	r.Turns = append(r.Turns, turn)
}

func (r *record) last() *turnRecord { return &r.Turns[len(r.Turns)-1] }

// keep writes the record, without secrets, and returns when it is on the disk.
func (l *lane) keep(ctx context.Context) (events.Digest, error) {
	if len(l.record.Turns) == 0 {
		return "", nil
	}
	scrub := l.scrubber(ctx)
	clean := l.record
	clean.Turns = nil
	for _, turn := range l.record.Turns {
		turn.Stdout = head(scrub.text(turn.Stdout), recordMax)
		turn.Stderr = head(scrub.text(turn.Stderr), recordMax)
		faults := make([]string, len(turn.Faults))
		for i, fault := range turn.Faults {
			faults[i] = scrub.text(fault)
		}
		turn.Faults = faults
		clean.Turns = append(clean.Turns, turn)
	}
	if scrub.err != nil {
		return "", fmt.Errorf("search the answer for secrets: %w", scrub.err)
	}
	raw, err := json.Marshal(clean)
	if err != nil {
		return "", fmt.Errorf("keep the answer: %w", err)
	}
	digest, err := l.Artifacts.Put(raw)
	if err != nil {
		return "", fmt.Errorf("keep the answer: %w", err)
	}
	return digest, nil
}
