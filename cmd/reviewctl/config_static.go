package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/reviewctl/reviewctl/adapters/engine"
)

// The values of static.go and static.spelling.
const (
	switchOff     = "off"
	switchOn      = "on"
	goVet         = engine.GoVet
	goStaticcheck = engine.GoStaticcheck
)

// StaticConfig switches the embedded engine.
type StaticConfig struct {
	Rules    map[string]string `yaml:"rules"`    // a rule's name → on, off or a severity
	Go       string            `yaml:"go"`       // "off", "vet" or "staticcheck"; "" = off
	Spelling string            `yaml:"spelling"` // "off" or "on"; "" = off
}

func (c *StaticConfig) validate(l *located) error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(c.Rules)) {
		near, err := engine.CheckRule(name, c.Rules[name])
		if err == nil {
			continue
		}
		remedy := "reviewctl config explain static.rules lists the rules and what they can be set to"
		if near != "" {
			remedy = fmt.Sprintf("write %q; %s", near, remedy)
		}
		problems = append(problems, l.wrong(err.Error(), remedy, "static", "rules", name))
	}
	if !slices.Contains([]string{"", switchOff, goVet, goStaticcheck}, c.Go) {
		problems = append(problems, l.wrong(fmt.Sprintf("%q is not one of off, vet, staticcheck", c.Go), "use one of them, or remove the key", "static", "go"))
	}
	if !slices.Contains([]string{"", switchOff, switchOn}, c.Spelling) {
		problems = append(problems, l.wrong(fmt.Sprintf("%q is neither on nor off", c.Spelling), "use one of them, or remove the key", "static", "spelling"))
	}
	return errors.Join(problems...)
}

// effective has a value for every key: each rule that there is, and those of a
// family that are set apart.
func (c *StaticConfig) effective() StaticConfig {
	out := StaticConfig{Rules: map[string]string{}, Go: c.Go, Spelling: c.Spelling}
	for _, r := range engine.StaticRules() {
		out.Rules[r.ID] = engine.RuleOn
	}
	maps.Copy(out.Rules, c.Rules)
	if out.Go == "" {
		out.Go = switchOff
	}
	if out.Spelling == "" {
		out.Spelling = switchOff
	}
	return out
}

// engine is the embedded engine, which is there with or without an entry.
func (c *StaticConfig) engine(entry EngineConfig) engine.Config {
	made := engine.Config{Kind: KindStatic, Timeout: entry.LaneTimeout()}
	made.Static = engine.StaticConfig{Rules: c.Rules, Go: c.Go, Spelling: c.Spelling == switchOn}
	if c.Go == switchOff {
		made.Static.Go = ""
	}
	return made
}
