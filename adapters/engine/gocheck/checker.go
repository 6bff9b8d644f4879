package gocheck

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/reviewctl/reviewctl/adapters/engine/process"
	"github.com/reviewctl/reviewctl/adapters/engine/sandbox"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/adapters/engine/static"
	"github.com/reviewctl/reviewctl/events"
)

// The tools that can be asked for.
const (
	Vet         = "vet"
	Staticcheck = "staticcheck" // go vet as well
)

// CheckMax bounds all tools of one session together, within the lane's own time.
const CheckMax = 10 * time.Minute

// Params is what a Checker needs.
type Params struct {
	Tool    string // Vet or Staticcheck
	Cache   string // folder for what the tools build, kept from session to session
	Temp    string // folder for the sessions' TMPDIRs
	Boot    events.BootID
	Sandbox *sandbox.Sandbox
}

// Checker implements static.Deep.
type Checker struct{ Params }

var _ static.Deep = (*Checker)(nil)

// New returns the checker.
func New(p Params) *Checker { return &Checker{p} }

// Version names the tools as they are on PATH now.
func (c *Checker) Version() string {
	t, err := findTools(c.Tool)
	if err != nil {
		return c.Tool + ": " + err.Error()
	}
	return c.Tool + ": " + t.version
}

// check is one session.
type check struct {
	*Checker

	in       *session.Input
	tools    *tools
	root     string // its own folder, which goes with it
	checkout *os.Root
	checked  *static.Checked
}

// Check runs the tools over every module with a changed Go file.
func (c *Checker) Check(ctx context.Context, in *session.Input) (*static.Checked, error) {
	k := &check{Checker: c, in: in, checked: &static.Checked{
		Faults: map[string][]static.Fault{}, Notes: map[string][]string{}, Sandbox: "in-process",
	}}
	files := goFiles(in.Diff)
	if len(files) == 0 {
		return k.checked, nil
	}
	if err := c.Sandbox.Holds(); err != nil {
		return nil, &session.Failure{
			Kind: events.FailureFatal, Usage: events.Usage{Confidence: events.ConfidenceExact},
			Message: fmt.Sprintf("static.go: %s runs Go's tools in the tree of a change, and there is no sandbox to hold them: %v", c.Tool, err),
		}
	}
	k.checked.Sandbox = c.Sandbox.DescribeGranted()
	if err := k.prepare(); err != nil {
		return nil, infra(err)
	}
	err := k.run(ctx, files)
	// The folder goes after the processes that write to it.
	if k.checkout != nil {
		_ = k.checkout.Close()
	}
	if cleanErr := process.RemoveTree(k.root); cleanErr != nil && err == nil {
		err = infra(cleanErr)
	}
	if err != nil {
		return nil, err
	}
	return k.checked, nil
}

func infra(err error) error {
	return &session.Failure{
		Kind: events.FailureInfra, Message: "static.go: " + err.Error(), Usage: events.Usage{Confidence: events.ConfidenceExact},
	}
}

// prepare makes the session's folder and opens the checkout.
func (k *check) prepare() error {
	if k.Cache == "" {
		return errors.New("there is no folder for the build cache")
	}
	root, err := os.MkdirTemp(k.Temp, "go-")
	if err != nil {
		return fmt.Errorf("make the tools' folder: %w", err)
	}
	k.root = root
	for _, dir := range []string{k.tmp(), k.Cache} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return errors.Join(fmt.Errorf("make the tools' folder: %w", err), process.RemoveTree(root))
		}
	}
	if k.checkout, err = os.OpenRoot(k.in.Change.Dir); err != nil {
		return errors.Join(fmt.Errorf("open the checkout: %w", err), process.RemoveTree(root))
	}
	return nil
}

func (k *check) tmp() string  { return filepath.Join(k.root, "tmp") }
func (k *check) base() string { return filepath.Join(k.root, "base") }

// run is the tools, one module after the other.
func (k *check) run(ctx context.Context, files []string) error {
	var err error
	if k.tools, err = findTools(k.Tool); err != nil {
		k.noteAll(files, fmt.Sprintf("go %s did not look at it: %v", Vet, err))
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, CheckMax)
	defer cancel()
	for _, m := range k.modules(files) {
		err := k.module(limited, m)
		switch {
		case ctx.Err() != nil:
			return infra(ctx.Err())
		case limited.Err() != nil:
			k.noteAll(m.files(), fmt.Sprintf("Go's tools were ended after %s", CheckMax))
		case err != nil:
			return infra(err)
		}
	}
	return nil
}

func (k *check) noteAll(files []string, note string) {
	for _, name := range files {
		k.note(name, note)
	}
}

func (k *check) note(name, note string) {
	if !slices.Contains(k.checked.Notes[name], note) {
		k.checked.Notes[name] = append(k.checked.Notes[name], note)
	}
}
