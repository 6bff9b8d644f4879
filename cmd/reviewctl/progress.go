package main

import (
	"fmt"
	"strings"
	"time"
)

// progressEvery is the least time between two lines of a long job.
const progressEvery = time.Second

// progressWidth is how wide the bar is.
const progressWidth = 30

// progressBar tells people how far a long job is: a bar that is drawn over itself
// on a terminal, a plain line now and then elsewhere, and nothing at all for what
// is done within a moment. One goroutine uses it.
type progressBar struct {
	app      *App
	what     string
	of       int64 // about; 0 = unknown
	terminal bool
	last     time.Time
	drawn    bool
}

func newProgressBar(app *App, what string, of int64) *progressBar {
	_, terminal := isTerminal(app.Stderr, app.Env)
	return &progressBar{app: app, what: what, of: of, terminal: terminal, last: time.Now()}
}

// at says how far it is.
func (b *progressBar) at(n int64) {
	if b.app.Quiet || time.Since(b.last) < progressEvery {
		return
	}
	b.last = time.Now()
	if !b.terminal {
		b.app.Progress(b.line(n))
		return
	}
	b.drawn = true
	filled := progressWidth
	if b.of > 0 {
		filled = int(min(n, b.of) * progressWidth / b.of)
	}
	_, _ = fmt.Fprintf(b.app.Stderr, "\r[%s%s] %s\x1b[K", strings.Repeat("=", filled), strings.Repeat(" ", progressWidth-filled), b.line(n))
}

// end clears the bar.
func (b *progressBar) end() {
	if b.drawn {
		_, _ = fmt.Fprint(b.app.Stderr, "\r\x1b[K")
	}
}

func (b *progressBar) line(n int64) string {
	if b.of <= 0 {
		return fmt.Sprintf("%s: %d events", b.what, n)
	}
	return fmt.Sprintf("%s: %d of %d events", b.what, min(n, b.of), b.of)
}
