package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/findings"
)

// A person's word on a finding. The pull request decides (actors/pr/dismiss.go);
// what is judged already stays judged.

// dismissNote says why nothing else changes at once.
const dismissNote = "the verdict on record stays; the next review heeds it"

// FindingArg is a pull request and a finding of it on the command line: two words,
// or three.
type FindingArg []string

// Read reads it. It is good once the verb was validated.
func (a FindingArg) Read() (PRRef, string, error) {
	if len(a) < 2 {
		return PRRef{}, "", wrongUsage("a finding is missing", "write OWNER/REPO#N and the finding's number or fingerprint")
	}
	ref, err := ParsePR(a[:len(a)-1]...)
	if err != nil {
		return PRRef{}, "", err
	}
	word := a[len(a)-1]
	if number, found := strings.CutPrefix(word, "#"); found {
		if numberOfFinding(number) == 0 {
			return PRRef{}, "", wrongUsage(fmt.Sprintf("%q is not the number of a finding", word), "write it as the review does, for example 3")
		}
		return ref, word, nil
	}
	return ref, word, checkIDPrefix("finding", word)
}

func (a FindingArg) check() error {
	_, _, err := a.Read()
	return err
}

// numberOfFinding reads a number from 1, or returns 0.
func numberOfFinding(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > PRNumberMax || word[0] == '+' || word[0] == '0' {
		return 0
	}
	return n
}

const helpFinding = `The verdict on record stays as it is; the next review heeds it. Without a daemon it is recorded, and carried out when one starts, or by the next review by hand.

Exit: 0 accepted, already so, or recorded · 1 refused · 2 no reason, or an ambiguous prefix · 3 the log is not available · 4 no such pull request or finding.`

// DismissCmd withholds a finding.
type DismissCmd struct {
	Waiting `embed:""`
	Finding FindingArg `arg:"" name:"pr finding" help:"OWNER/REPO#N (or OWNER/REPO N), then the finding: its number, or any unambiguous prefix of its fingerprint."`
	Reason  string     `required:"" placeholder:"TEXT" help:"Why; later reviews repeat it."`
}

// Help is shown by dismiss --help.
func (DismissCmd) Help() string { return helpFinding }

// Validate wants a finding and a reason.
func (c *DismissCmd) Validate() error {
	switch {
	case strings.TrimSpace(c.Reason) == "":
		return wrongUsage("--reason is empty", "say why: later reviews repeat it")
	case len(c.Reason) > events.DismissReasonMax:
		return wrongUsage(fmt.Sprintf("--reason is longer than %d bytes", events.DismissReasonMax), "say it in fewer words")
	}
	return c.Finding.check()
}

// Run dismisses a finding.
func (c *DismissCmd) Run(app *App) error {
	return c.operate(app, aboutFinding(c.Finding, func(number int) events.Command {
		return pr.Dismiss{Number: number, Reason: strings.TrimSpace(c.Reason), Said: clock{}.Now()}
	}))
}

// ReopenCmd takes a dismissal back.
type ReopenCmd struct {
	Waiting `embed:""`
	Finding FindingArg `arg:"" name:"pr finding" help:"OWNER/REPO#N (or OWNER/REPO N), then the finding: its number, or any unambiguous prefix of its fingerprint."`
}

// Help is shown by reopen --help.
func (ReopenCmd) Help() string { return helpFinding }

// Validate wants a finding.
func (c *ReopenCmd) Validate() error { return c.Finding.check() }

// Run reopens a finding.
func (c *ReopenCmd) Run(app *App) error {
	return c.operate(app, aboutFinding(c.Finding, func(number int) events.Command { return pr.Reopen{Number: number, Said: clock{}.Now()} }))
}

// aboutFinding addresses a command about a finding to its pull request.
func aboutFinding(arg FindingArg, command func(number int) events.Command) func(context.Context, projections.Rows) (message, error) {
	return func(ctx context.Context, rows projections.Rows) (message, error) {
		ref, word, err := arg.Read()
		if err != nil {
			return message{}, err
		}
		found, err := findPR(ctx, rows, ref)
		if err != nil {
			return message{}, err
		}
		all, err := findings.OfPR(ctx, rows, found.Stream)
		if err != nil {
			return message{}, err
		}
		number, err := chooseFinding(all, word)
		return message{target: found.Stream, command: command(number), note: dismissNote}, err
	}
}

// chooseFinding finds the one finding that a word means: its number, or the prefix
// of one fingerprint. A word of digits is a number where there is such a one.
func chooseFinding(all []findings.Finding, word string) (int, error) {
	wanted := numberOfFinding(strings.TrimPrefix(word, "#"))
	var matches []int
	var some []string
	for i := range all {
		f := &all[i]
		if f.Number == wanted {
			return wanted, nil
		}
		if strings.HasPrefix(string(f.Fingerprint), word) {
			matches = append(matches, f.Number)
			some = append(some, fmt.Sprintf("%s (#%d)", f.Fingerprint, f.Number))
		}
	}
	switch len(matches) {
	case 0:
		return 0, NotFound("finding", word)
	case 1:
		return matches[0], nil
	}
	return 0, Ambiguous("finding", word, some[:min(len(some), 5)])
}

// heedWords carries out what was said of a pull request's findings while no daemon
// ran, so that the review by hand that begins now heeds it. A daemon that starts
// meanwhile does the same, and one of the two is void.
func heedWords(ctx context.Context, s *Station, stream events.StreamName) error {
	var words []findings.Word
	err := s.Rows.Look(ctx, func(rows projections.Rows) error {
		var err error
		words, err = findings.Words(ctx, rows, stream)
		return err
	}, findings.Name)
	if err != nil {
		return err
	}
	for _, w := range words {
		if err := heedWord(ctx, s, w.Event); err != nil {
			return fmt.Errorf("carry out %s: %w", w.Event, err)
		}
	}
	return nil
}

func heedWord(ctx context.Context, s *Station, message events.Ref) error {
	e, err := eventAt(ctx, s.Log, message)
	if err != nil {
		return err
	}
	p, err := events.Decode(e)
	if err != nil {
		return err
	}
	received, ok := p.(*events.CommandReceived)
	if !ok {
		return fmt.Errorf("%s is no message", message)
	}
	d, settle, err := actors.DeliverMessage(e, received)
	if err != nil {
		return err
	}
	answer, err := deliver(ctx, s, d)
	if err != nil {
		return err
	}
	_, err = deliver(ctx, s, settle(answer))
	return err
}

func deliver(ctx context.Context, s *Station, d actors.Delivery) (shell.Answer, error) {
	answers := make(chan shell.Answer, 1)
	s.System.Deliver(d, func(a shell.Answer) { answers <- a })
	select {
	case a := <-answers:
		return a, a.Err
	case <-ctx.Done():
		return shell.Answer{}, ctx.Err()
	}
}
