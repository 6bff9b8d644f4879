package main

import (
	"context"
	"errors"
	"os"
	"syscall"

	"golang.org/x/term"
)

// errReaderGone ends an answer that goes on: nobody reads it any more.
var errReaderGone = errors.New("nobody reads the answer any more")

// untilReaderGoes runs an answer that goes on, and ends it, as done, when whoever
// read standard output has gone: it may be long before there is something to
// write that would tell.
func untilReaderGoes(app *App, answer func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(app.Context)
	defer cancel(nil)
	if out, isFile := app.Print.out.(*os.File); isFile {
		over := make(chan struct{})
		defer close(over)
		go func() {
			if readerGone(out, over) {
				cancel(errReaderGone)
			}
		}()
	}
	err := answer(ctx)
	if errors.Is(context.Cause(ctx), errReaderGone) || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// Clear empties a terminal before an answer is printed anew.
func (p *Printer) Clear() error {
	out, isFile := p.out.(*os.File)
	if p.json || !isFile || !term.IsTerminal(int(out.Fd())) {
		return nil
	}
	return p.Text("\x1b[H\x1b[2J")
}
