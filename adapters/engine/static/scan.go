package static

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"

	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"
)

// Bounds of one call of gitleaks. Pieces overlap, so that a secret on the border
// of two is whole in one of them.
const (
	pieceBytes   = 64 << 10
	overlapBytes = 4 << 10
)

// genericRule fires on any random-looking value. It is left out in the files that
// gitleaks' own rules leave out altogether (lock files, vendored code): every one
// of their check sums would be a finding. The other rules hold there too, because
// a hostile change chooses its file names.
const genericRule = "generic-api-key"

// scan finds secrets in text. gitleaks needs 160 ms to read its rules, so there
// is one detector in a process.
type scan struct{ detector *detect.Detector }

var newScan = sync.OnceValues(func() (*scan, error) {
	// gitleaks writes what it passes over to its log, secrets included.
	logging.Logger = zerolog.Nop()
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return nil, fmt.Errorf("read gitleaks' rules: %w", err)
	}
	d.IgnoreGitleaksAllow = true // the comments are the change's own
	return &scan{detector: d}, nil
})

// hit is a secret at its place in a text.
type hit struct {
	rule, description string
	start, end        int // bytes
}

// find returns the secrets of a text in order, none overlapping another. The
// path, which may be empty, decides about rules that hold for some files only.
func (s *scan) find(ctx context.Context, path, text string) []hit {
	if s.leftOut(path) {
		return without(s.pieces(ctx, "", text), genericRule)
	}
	return distinct(s.pieces(ctx, path, text))
}

// leftOut reports whether gitleaks' own rules pass over the path.
func (s *scan) leftOut(path string) bool {
	for _, list := range s.detector.Config.Allowlists {
		if list.PathAllowed(path) {
			return true
		}
	}
	return false
}

func (s *scan) pieces(ctx context.Context, path, text string) []hit {
	var hits []hit
	for start := 0; start < len(text) && ctx.Err() == nil; {
		end := pieceEnd(text, start)
		hits = append(hits, s.piece(ctx, path, text[start:end], start)...)
		if end == len(text) {
			break
		}
		start = end - overlapBytes
	}
	return hits
}

// pieceEnd ends a piece after a line where there is one in its second half.
func pieceEnd(text string, start int) int {
	if len(text)-start <= pieceBytes {
		return len(text)
	}
	end := start + pieceBytes
	if i := strings.LastIndexByte(text[start+pieceBytes/2:end], '\n'); i >= 0 {
		return start + pieceBytes/2 + i + 1
	}
	return end
}

// piece runs gitleaks. Its lines count from 0 and are those of the match, which
// may begin before the secret does, so the secret is looked for from there on.
func (s *scan) piece(ctx context.Context, path, piece string, offset int) []hit {
	var hits []hit
	starts := lineStarts(strings.Split(piece, "\n"))
	type again struct{ rule, secret string }
	after := map[again]int{}                                                                       // where to look for the same secret's next place on a line
	for _, f := range s.detector.DetectContext(ctx, detect.Fragment{Raw: piece, FilePath: path}) { //nolint:staticcheck // v8 takes no other
		if f.Secret == "" {
			continue // a rule about names of files, which reads no text
		}
		same := again{f.RuleID, f.Secret}
		from := max(starts[min(max(f.StartLine, 0), len(starts)-1)], after[same])
		at := strings.Index(piece[from:], f.Secret)
		if at < 0 {
			from, at = 0, max(strings.Index(piece, f.Secret), 0)
		}
		after[same] = from + at + len(f.Secret)
		start := offset + from + at
		hits = append(hits, hit{
			rule: f.RuleID, description: f.Description,
			start: start, end: min(start+len(f.Secret), offset+len(piece)),
		})
	}
	return hits
}

func without(hits []hit, rule string) []hit {
	var kept []hit
	for _, h := range hits {
		if h.rule != rule {
			kept = append(kept, h)
		}
	}
	return distinct(kept)
}

// distinct sorts the hits and keeps one for each place. gitleaks goes through its
// rules in no fixed order, so where several fire the choice is made here: the
// particular rule before the generic one, then by name.
func distinct(hits []hit) []hit {
	sort.Slice(hits, func(i, j int) bool {
		a, b := hits[i], hits[j]
		if a.general() != b.general() {
			return b.general()
		}
		if a.start != b.start {
			return a.start < b.start
		}
		if a.end != b.end {
			return a.end > b.end
		}
		return a.rule < b.rule
	})
	var kept []hit
	particular := 0 // how many of the kept are no generic ones: they stand first
	for _, h := range hits {
		if overlaps(kept[:particular], h) || overlaps(kept[particular:], h) {
			continue
		}
		kept = append(kept, h)
		if !h.general() {
			particular = len(kept)
		}
	}
	sort.Slice(kept, func(i, j int) bool { return kept[i].start < kept[j].start })
	return kept
}

func (h hit) general() bool { return strings.Contains(h.rule, "generic") }

// overlaps asks hits that are in order and apart from one another.
func overlaps(kept []hit, h hit) bool {
	i := sort.Search(len(kept), func(i int) bool { return kept[i].end > h.start })
	return i < len(kept) && kept[i].start < h.end
}
