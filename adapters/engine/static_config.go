package engine

import (
	"context"

	"github.com/reviewctl/reviewctl/adapters/engine/gocheck"
	"github.com/reviewctl/reviewctl/adapters/engine/static"
)

// StaticConfig is how the embedded engine is switched: the section "static" of the
// configuration. Its rules were checked by CheckRule.
type StaticConfig struct {
	Rules    map[string]string // a rule's name → one of static.Settings
	Spelling bool
	Go       string // GoVet or GoStaticcheck; "" = off
}

// The tools of StaticConfig.Go.
const (
	GoVet         = gocheck.Vet
	GoStaticcheck = gocheck.Staticcheck
)

// CheckRule reports what is wrong with the setting of a rule of the embedded
// engine. near is the name that was probably meant, or "".
func CheckRule(name, setting string) (near string, err error) {
	return static.CheckSwitch(name, setting)
}

// EditDistance is how far a name is from what was typed, for all "did you mean".
func EditDistance(typed, name string) int { return static.EditDistance(typed, name) }

// RuleOn is the setting of a rule that the configuration does not name.
const RuleOn = static.On

// StaticRules lists the rules of the embedded engine by subject.
func StaticRules() []*static.Rule { return static.Rules() }

// Redact returns a text of others, such as a title, without the secrets in it.
func Redact(ctx context.Context, text string) (string, error) { return static.Redact(ctx, text) }

func (c StaticConfig) options(p Params) static.Options {
	options := static.Options{Rules: c.Rules, Spelling: c.Spelling}
	if c.Go != "" {
		options.Deep = gocheck.New(gocheck.Params{
			Tool: c.Go, Cache: p.GoCache, Temp: p.Temp, Boot: p.Boot, Sandbox: p.Sandbox,
		})
	}
	return options
}
