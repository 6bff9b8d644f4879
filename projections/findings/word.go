package findings

import (
	"context"
	"slices"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
)

// Word is an operator's message about a finding that no daemon has carried out.
type Word struct {
	Target events.StreamName `json:"target"`
	Event  events.Ref        `json:"event"` // the message
}

// words are the stored names of the commands about a finding.
var words = []string{"pr.dismiss", "pr.reopen"}

func noteWord(tx *projections.Tx, e *events.Event, p *events.CommandReceived) {
	if slices.Contains(words, p.Command) {
		projections.Put(tx, kindWord, string(e.Stream), projections.Columns{At: e.Time, Sort: events.FormatTime(e.Time) + "/" + string(e.Stream)},
			&Word{Target: p.Target, Event: e.Ref()})
	}
}

func dropWord(tx *projections.Tx, e *events.Event) error {
	w, err := projections.Read[Word](tx, kindWord, string(e.Stream))
	if err == nil && w != nil {
		projections.Delete(tx, kindWord, string(e.Stream))
	}
	return err
}

// Words lists the messages about findings of a pull request that nobody has
// answered, the oldest first.
func Words(ctx context.Context, rows projections.Rows, stream events.StreamName) ([]Word, error) {
	page, err := projections.List[Word](ctx, rows, projections.Filter{}.Query(Name, kindWord))
	return slices.DeleteFunc(page.Items, func(w Word) bool { return w.Target != stream }), err
}
