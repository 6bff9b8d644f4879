package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine"
	"github.com/reviewctl/reviewctl/adapters/engine/static"
	"github.com/reviewctl/reviewctl/events"
)

// The rules have one place with words, the engine's list; the schema repeats it
// for editors and for `config explain static.rules`.
func TestSchemaHasTheRulesOfTheStaticEngine(t *testing.T) {
	t.Parallel()
	rules := readDocument(t, "config.schema.json").Properties["static"].Properties["rules"]
	want := map[string]string{}
	for _, r := range engine.StaticRules() {
		want[r.ID] = fmt.Sprintf("%s (%s). %s", r.Title(), r.Severity, r.Doc)
	}
	got := map[string]string{}
	for name, rule := range rules.Properties {
		got[name] = rule.Description
		var settings []string
		for _, value := range rule.Enum {
			settings = append(settings, fmt.Sprint(value))
		}
		if !reflect.DeepEqual(settings, static.Settings()) {
			t.Errorf("%s: settings %v", name, settings)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s: the schema says %q, the rule %q", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("the schema has %d rules, the engine %d", len(got), len(want))
	}
}

func TestStaticSectionIsChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want, remedy string }{
		{"static: { rules: { conflict-markers: off } }", "f.yaml:1:38", `write "conflict-marker"`},
		{"static: { rules: { gitleaks: off } }", `no rule "gitleaks"`, `write "gitleaks:*"`},
		{"static: { rules: { 'gitleaks:aws-acess-token': off } }", "no rule", `write "gitleaks:aws-access-token"`},
		{"static: { rules: { somethingelsealtogether: off } }", "no rule", "config explain static.rules"},
		{"static: { rules: { spelling: loud } }", `"loud" is not one of on, off, blocking, suggestion, nitpick`, "config explain"},
		{"static: { go: gosec }", "not one of off, vet, staticcheck", "use one of them"},
		{"static: { spelling: perhaps }", "neither on nor off", "use one of them"},
		{"static: { rule: {} }", `unknown key "rule"`, `write "rules"`},
	} {
		config, err := DefaultConfig(fakeEnv("HOME", "/home/someone"))
		if err != nil {
			t.Fatal(err)
		}
		err = ParseConfig(config, "f.yaml", []byte(c.text))
		if err == nil {
			t.Errorf("%s: it passes", c.text)
			continue
		}
		found := cliErrors(err)[0]
		if !strings.Contains(found.Subject+" "+found.What, c.want) || !strings.Contains(found.Remedy, c.remedy) {
			t.Errorf("%s: %s: %s → %s", c.text, found.Subject, found.What, found.Remedy)
		}
	}
}

func TestStaticSectionReachesTheEngine(t *testing.T) {
	t.Parallel()
	config, err := DefaultConfig(fakeEnv("HOME", "/home/someone"))
	if err == nil {
		text := "static: { go: vet, spelling: on, rules: { syntax: off, 'gitleaks:github-pat': nitpick, 'go-vet:printf': blocking } }\n" +
			"engines: { static: { kind: static, timeout: 90s } }"
		err = ParseConfig(config, "f.yaml", []byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	made := engineConfigs(config)[events.EngineName(EngineStatic)]
	want := engine.StaticConfig{Go: engine.GoVet, Spelling: true, Rules: map[string]string{
		"syntax": "off", "gitleaks:github-pat": "nitpick", "go-vet:printf": "blocking",
	}}
	if !reflect.DeepEqual(made.Static, want) || made.Timeout.String() != "1m30s" || made.Kind != KindStatic {
		t.Errorf("made %+v", made)
	}
	if shown := config.Static.effective(); shown.Rules["syntax"] != "off" || shown.Rules["conflict-marker"] != "on" || shown.Go != "vet" {
		t.Errorf("shown %+v", shown)
	}
}
