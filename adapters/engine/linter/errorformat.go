package linter

import (
	"errors"
	"fmt"
	"strings"

	efm "github.com/reviewdog/errorformat"
)

// Bounds of the formats. (CLI.md: formats: [...])
const (
	FormatsMax   = 100
	formatLenMax = 1_000
)

// pattern is one format. The library compiles and matches formats; what vim does
// with prefixes over several lines is done here, because the library's own
// scanner keeps every line that it ever saw, and ends without a word at one of
// 64 KiB.
type pattern struct {
	text        string
	efm         *efm.Efm
	prefix      byte // of DXAEWICZGOPQ; 0 = none
	whole, drop bool // %+ and %-
}

// errorformat reads text by vim's 'errorformat'.
type errorformat struct{ patterns []pattern }

// newErrorformat compiles the formats, in order of preference.
func newErrorformat(formats []string) (*errorformat, error) {
	if len(formats) == 0 {
		return nil, errors.New("formats: an errorformat engine needs at least one")
	}
	if len(formats) > FormatsMax {
		return nil, fmt.Errorf("formats: %d are more than %d", len(formats), FormatsMax)
	}
	e := &errorformat{}
	for _, text := range formats {
		p, err := compile(text)
		if err != nil {
			return nil, fmt.Errorf("formats: %q is not an errorformat: %w", cut(text, 200), err)
		}
		e.patterns = append(e.patterns, p)
	}
	return e, nil
}

// compile reads one format. The library panics at some that are broken.
func compile(text string) (p pattern, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("it ends in the middle of an item")
		}
	}()
	if text == "" || len(text) > formatLenMax {
		return p, fmt.Errorf("give 1 to %d characters", formatLenMax)
	}
	p.text = text
	if p.efm, err = efm.NewEfm(text); err != nil {
		return p, err
	}
	rest, ok := strings.CutPrefix(text, "%")
	if !ok {
		return p, nil
	}
	flag := byte(0)
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		flag, rest = rest[0], rest[1:]
	}
	if rest != "" && strings.IndexByte("DXAEWICZGOPQ", rest[0]) >= 0 {
		p.prefix, p.whole, p.drop = rest[0], flag == '+', flag == '-'
	}
	return p, nil
}

// match is nil where the line is another's. A format that repeats an item with
// %# makes the library panic at a line that has none: that is no match.
func (p *pattern) match(line string) (m *efm.Match) {
	defer func() {
		if recover() != nil {
			m = nil
		}
	}()
	return p.efm.Match(line)
}
