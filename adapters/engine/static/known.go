package static

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// knownMax bounds the changes whose secrets are remembered, in memory alone.
const knownMax = 16

// Known takes the secrets of a change out of texts about it.
type Known struct{ words *strings.Replacer }

// Replace returns the text without the secrets that the change shows.
func (k *Known) Replace(text string) string { return k.words.Replace(text) }

// knownCache holds the newest changes: the lanes of a run are about the same one.
var knownCache struct {
	mu    sync.Mutex
	order []events.Digest
	known map[events.Digest]*Known
}

// SecretsOf finds the secrets that a change shows, on its added, removed and
// context lines and in its names. What a program says of a change may hold one
// without what stands around it, by which the rules would know it. The bounds are
// those of the search of the engine itself.
func SecretsOf(ctx context.Context, change *diff.Change, print events.Digest) (*Known, error) {
	if change == nil {
		return &Known{strings.NewReplacer()}, nil
	}
	knownCache.mu.Lock()
	defer knownCache.mu.Unlock() // lanes of one run come at once: one searches
	if known := knownCache.known[print]; known != nil {
		return known, nil
	}
	scan, err := newScan()
	if err != nil {
		return nil, err
	}
	rules := map[string]string{}
	left := TotalBytesMax
	for i := range change.Files {
		f := &change.Files[i]
		name := f.Path()
		collect(rules, name, scan.find(ctx, "", name))
		text := shown(f, min(FileBytesMax, left))
		left -= len(text)
		collect(rules, text, scan.find(ctx, name, text))
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("search for secrets: %w", err)
	}
	known := &Known{newReplacer(rules)}
	if len(knownCache.order) == knownMax {
		delete(knownCache.known, knownCache.order[0])
		knownCache.order = slices.Delete(knownCache.order, 0, 1)
	}
	if knownCache.known == nil {
		knownCache.known = map[events.Digest]*Known{}
	}
	knownCache.known[print] = known
	knownCache.order = append(knownCache.order, print)
	return known, nil
}

func collect(rules map[string]string, text string, hits []hit) {
	for _, h := range hits {
		if secret := strings.TrimSpace(text[h.start:h.end]); len(secret) >= secretMin {
			rules[secret] = h.rule
		}
	}
}

// shown is the text of the patch of a file: the lines of both sides, each side for
// itself, so that a secret of several lines stays whole.
func shown(f *diff.File, most int) string {
	var head, old strings.Builder
	for i := range f.Hunks {
		for row := range f.Hunks[i].Rows() {
			if head.Len()+old.Len()+len(row.Text) >= most {
				return head.String() + "\n" + old.String()
			}
			switch row.Op {
			case diff.OpRemove:
				old.WriteString(row.Text + "\n")
			case diff.OpAdd, diff.OpContext:
				head.WriteString(row.Text + "\n")
			}
		}
		head.WriteByte('\n')
		old.WriteByte('\n')
	}
	return head.String() + "\n" + old.String()
}
