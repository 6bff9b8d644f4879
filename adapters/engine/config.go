package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/reviewctl/reviewctl/adapters/engine/artifact"
	"github.com/reviewctl/reviewctl/adapters/engine/exec"
	"github.com/reviewctl/reviewctl/adapters/engine/linter"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/adapters/engine/static"
	"github.com/reviewctl/reviewctl/events"
)

// The kinds of engine.
const (
	KindStatic = "static"
	KindExec   = "exec"

	KindSARIF       = linter.KindSARIF
	KindRDJSONL     = linter.KindRDJSONL
	KindCheckstyle  = linter.KindCheckstyle
	KindErrorformat = linter.KindErrorformat
)

// IsProgram reports whether engines of the kind run a command.
func IsProgram(kind string) bool { return kind == KindExec || IsLinter(kind) }

// IsLinter reports whether the kind reads a linter's report.
func IsLinter(kind string) bool { return slices.Contains(linter.Kinds(), kind) }

// NameStatic is the embedded engine, which needs no configuration.
const NameStatic events.EngineName = "static"

// TimeoutDefault bounds a lane, its corrections included, where the engine's
// configuration does not.
const TimeoutDefault = 30 * time.Minute

// The values of Config.Sandbox.
const (
	SandboxDefault = ""
	SandboxStrict  = "strict" // writes nowhere but in its TMPDIR
)

// Config is one engine of the configuration. Who pays is Account, which is read
// by the actors' rules and not here, as is Model but for the request.
type Config struct {
	Kind    string        `yaml:"kind"`
	Command []string      `yaml:"command"` // argv of a program; run in the checkout
	Formats []string      `yaml:"formats"` // of an errorformat engine, in order of preference
	Model   string        `yaml:"model"`
	Account string        `yaml:"account"`
	Timeout time.Duration `yaml:"timeout"` // 0 = TimeoutDefault
	Sandbox string        `yaml:"sandbox"`
	Env     []string      `yaml:"env"` // names of variables that the program gets beside the usual ones
	Static  StaticConfig  `yaml:"-"`   // of kind static
}

// Validate names the key that is wrong, its value and what it may be.
func (c Config) Validate() error {
	switch {
	case c.Kind != KindStatic && !IsProgram(c.Kind):
		return fmt.Errorf("kind: %q is not one of static, exec, %s", c.Kind, strings.Join(linter.Kinds(), ", "))
	case IsProgram(c.Kind) && (len(c.Command) == 0 || c.Command[0] == ""):
		return fmt.Errorf("command: an engine of kind %s needs one", c.Kind)
	case c.Kind == KindStatic && len(c.Command) > 0:
		return fmt.Errorf("command: the static engine runs none")
	case c.Kind != KindErrorformat && len(c.Formats) > 0:
		return fmt.Errorf("formats: an engine of kind %s has none", c.Kind)
	case c.Timeout < 0:
		return fmt.Errorf("timeout: %s is below 0", c.Timeout)
	case c.Sandbox != SandboxDefault && c.Sandbox != SandboxStrict:
		return fmt.Errorf("sandbox: %q is not %q", c.Sandbox, SandboxStrict)
	case c.Kind == KindErrorformat:
		return linter.CheckFormats(c.Formats)
	}
	return nil
}

// CheckFormats reports what is wrong with the formats of an errorformat engine.
func CheckFormats(formats []string) error { return linter.CheckFormats(formats) }

// engineKey names an engine for as long as lanes may ask for it: one that changes
// its kind is another.
type engineKey struct {
	name events.EngineName
	kind string
}

// configured is an engine that is ready to be used.
type configured struct {
	timeout time.Duration
	engine  session.Engine
}

// build makes the engines of the configuration and the embedded one.
func build(p Params, folder *artifact.Folder) (map[engineKey]configured, error) {
	engines := map[engineKey]configured{
		{NameStatic, KindStatic}: {timeout: TimeoutDefault, engine: static.New(static.Options{})},
	}
	for _, name := range slices.Sorted(maps.Keys(p.Engines)) {
		c := p.Engines[name]
		if err := c.Validate(); err != nil {
			return nil, fmt.Errorf("engines.%s.%w", name, err)
		}
		made := configured{timeout: c.Timeout}
		if made.timeout == 0 {
			made.timeout = TimeoutDefault
		}
		program := exec.Params{
			Name: name, Command: c.Command, Env: c.Env, Strict: c.Sandbox == SandboxStrict,
			Temp: p.Temp, Boot: p.Boot, Artifacts: folder, Sandbox: p.Sandbox, Grace: p.Grace,
		}
		switch {
		case c.Kind == KindStatic:
			made.engine = static.New(c.Static.options(p))
		case c.Kind == KindExec:
			made.engine = exec.New(program)
		case IsLinter(c.Kind):
			reads, err := linter.New(linter.Params{Params: program, Kind: c.Kind, Formats: c.Formats})
			if err != nil {
				return nil, fmt.Errorf("engines.%s.%w", name, err)
			}
			made.engine = reads
		}
		engines[engineKey{name, c.Kind}] = made
	}
	return engines, nil
}
