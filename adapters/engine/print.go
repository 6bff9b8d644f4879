package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/static"
	"github.com/reviewctl/reviewctl/events"
)

// redactMax bounds the text that is searched for secrets before it is printed.
const redactMax = 256 << 10

// printer gives findings the print of the code beneath them: of their lines and
// the nearest lines with text around them, without white space at the ends. It
// does not hang on the file's name and the lines' numbers, so that it survives a
// rebase and a rename. (market 22)
//
// A log must hold nothing that secrets can be tried against: a text that holds one
// is printed without it, and with one byte of a digest of the whole, which shows
// nearly every other secret in its place.
type printer struct {
	place  *placer
	change events.Digest // stands for code that is no lines of a file
	file   string        // whose lines are read
	lines  []string
	read   bool
}

// printCode sets the prints of findings that are sorted by file.
func printCode(ctx context.Context, place *placer, change events.Digest, all []events.Finding) {
	p := &printer{place: place, change: change}
	for i := range all {
		f := &all[i]
		f.Code = events.PrintCode(f.Category, f.Title, p.code(ctx, f))
	}
}

// code is a text that stands for the code beneath a finding.
func (p *printer) code(ctx context.Context, f *events.Finding) string {
	whole := "change " + string(p.change)
	name := diff.ExactPath(f.File, f.FileBase64)
	if name == "" {
		return whole
	}
	if entry := p.place.diff.File(name); entry != nil && entry.New == "" {
		return "deleted"
	}
	if name != p.file {
		p.file = name
		var text string
		text, p.read = p.place.read(name)
		p.lines = strings.Split(text, "\n")
	}
	switch {
	case !p.read:
		return whole
	case f.LineEnd == 0:
		return safe(ctx, strings.Join(p.lines, "\n"))
	}
	return safe(ctx, strings.Join(p.around(f.LineStart, f.LineEnd), "\n"))
}

// around are the lines first to last, marked, with their neighbours.
func (p *printer) around(first, last int) []string {
	first, last = max(first, 1), min(last, len(p.lines))
	var all []string
	add := func(mark string, i int) { all = append(all, mark+strings.TrimRight(p.lines[i], " \t\r")) }
	for i := first - 2; i >= 0; i-- {
		if strings.TrimSpace(p.lines[i]) != "" {
			add("", i)
			break
		}
	}
	for i := first - 1; i < last; i++ {
		add("> ", i)
	}
	for i := last; i < len(p.lines); i++ {
		if strings.TrimSpace(p.lines[i]) != "" {
			add("", i)
			break
		}
	}
	return all
}

// safe takes the secrets out of a text, and puts one byte of its digest there. Of
// a text that is too long to be searched, or was not, it is the digest: whoever
// wants to try a secret must know all the rest.
func safe(ctx context.Context, text string) string {
	sum := sha256.Sum256([]byte(text))
	if len(text) > redactMax {
		return hex.EncodeToString(sum[:])
	}
	without, err := static.Redact(ctx, text)
	switch {
	case err != nil:
		return hex.EncodeToString(sum[:1])
	case without != text:
		return fmt.Sprintf("%s\n%x", without, sum[:1])
	}
	return text
}
