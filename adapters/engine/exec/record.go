package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/engine/static"
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

// secretMin is the shortest value of a variable that is looked for: shorter ones
// would take ordinary words out of a text.
const secretMin = 8

// scrubber takes secrets out of texts: the values of the variables that this
// engine was given by name, and whatever the static rules know.
type scrubber struct {
	ctx   context.Context
	known *strings.Replacer
	err   error
}

func (l *lane) scrubber(ctx context.Context) *scrubber {
	var pairs []string
	for _, name := range l.Env {
		if value := os.Getenv(name); len(value) >= secretMin {
			pairs = append(pairs, value, "[secret: "+name+"]")
		}
	}
	return &scrubber{ctx: ctx, known: strings.NewReplacer(pairs...)}
}

// text returns the text without secrets. After an error it returns nothing.
func (s *scrubber) text(text string) string {
	if text == "" || s.err != nil {
		return ""
	}
	clean, err := static.Redact(s.ctx, s.known.Replace(text))
	if err != nil {
		s.err = err
		return ""
	}
	return clean
}
