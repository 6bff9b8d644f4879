package static

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/changetest"
	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// severities describes findings as "rule severity".
func severities(answer *session.Answer) []string {
	var all []string
	for _, f := range answer.Findings {
		all = append(all, f.Rule+" "+string(f.Severity))
	}
	return all
}

func TestRulesAreSwitched(t *testing.T) {
	t.Parallel()
	head := changetest.Files{
		"a.js": "debugger;\nkey = '" + awsKey + "'\ntoken = '" + ghToken + "'\n",
		"b.go": "package b\n\n<<<<<<< a\n=======\n>>>>>>> b\n",
	}
	for name, c := range map[string]struct {
		rules map[string]string
		want  []string
	}{
		"nothing said": {nil, []string{
			"debugger-statement suggestion", "gitleaks:aws-access-token blocking", "gitleaks:github-pat blocking", "conflict-marker blocking",
		}},
		"one off":      {map[string]string{"debugger-statement": Off, "conflict-marker": On}, []string{"gitleaks:aws-access-token blocking", "gitleaks:github-pat blocking", "conflict-marker blocking"}},
		"a family off": {map[string]string{"gitleaks:*": Off, "debugger-statement": "blocking"}, []string{"debugger-statement blocking", "conflict-marker blocking"}},
		"a family off but for one": {map[string]string{"gitleaks:*": Off, "gitleaks:github-pat": On}, []string{
			"debugger-statement suggestion", "gitleaks:github-pat blocking", "conflict-marker blocking",
		}},
		"a family lighter, one of it off": {map[string]string{"gitleaks:*": "nitpick", "gitleaks:github-pat": Off}, []string{
			"debugger-statement suggestion", "gitleaks:aws-access-token nitpick", "conflict-marker blocking",
		}},
		"markers are no syntax either": {map[string]string{"conflict-marker": Off, "gitleaks:*": Off, "debugger-statement": Off}, []string{"syntax suggestion"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer := review(t, New(Options{Rules: c.rules}), nil, head)
			if got := severities(answer); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestVersionNamesTheSwitches(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, o := range map[string]Options{
		"default": {}, "off": {Rules: map[string]string{"syntax": Off}}, "lighter": {Rules: map[string]string{"syntax": "nitpick"}},
		"other": {Rules: map[string]string{"workflow": "nitpick"}}, "spelling": {Spelling: true}, "deep": {Deep: fixed{}},
	} {
		version := New(o).version()
		if before := seen[version]; before != "" {
			t.Errorf("%s and %s have one version", before, name)
		}
		seen[version] = name
	}
	if said := New(Options{Rules: map[string]string{"syntax": On}}).version(); seen[said] != "default" {
		t.Error("a rule that is on by name has another version than one that is on by itself")
	}
}

func TestRuleNamesAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, setting, near, want string }{
		{"syntax", "on", "", ""}, {"syntax", "blocking", "", ""}, {"gitleaks:*", "off", "", ""}, {"gitleaks:github-pat", "nitpick", "", ""},
		{"go-vet:printf", "off", "", ""}, {"staticcheck:SA4006", "off", "", ""},
		{"go-vet:", "off", "go-vet:*", "no rule"}, {"staticcheck:x", "off", "staticcheck:*", "no rule"}, {"sintax", "off", "syntax", "no rule"},
		{"gitleaks:github-pta", "off", "gitleaks:github-pat", "no rule"}, {"zzzzzzzzzzzz", "off", "", "no rule"}, {"", "off", "", "no rule"},
		{"syntax", "warning", "", "not one of on, off, blocking, suggestion, nitpick"}, {"syntax", "", "", "not one of"},
	} {
		near, err := CheckSwitch(c.name, c.setting)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || near != c.near {
			t.Errorf("%s: %s: near %q, error %v", c.name, c.setting, near, err)
		}
	}
	if n := len(secretKinds()); n < 200 {
		t.Errorf("%d kinds of secret", n)
	}
}

func TestSpelling(t *testing.T) {
	t.Parallel()
	base := changetest.Files{"old.md": "It was recieved.\n"}
	head := changetest.Files{
		"old.md": "It was recieved.\nAnd seperate, seperate.\n", "a.go": "package a\n\n// Teh langauge.\nvar langauge = \"seperate\" // recieve\n",
		"b.c": "// recieve\n", "d.txt": "see https://example.org/recieve and recieve@example.org\n", "e.py": "# an occured thing\nx = 'occured'\n",
	}
	if got := lines(review(t, New(Options{}), base, head)); len(got) > 0 {
		t.Errorf("without being asked: %q", got)
	}
	answer := review(t, New(Options{Spelling: true}), base, head)
	want := []string{"spelling a.go:3-3", "spelling a.go:4-4", "spelling e.py:1-1", "spelling old.md:2-2"}
	got := lines(answer)
	if len(got) > 0 && got[1] == want[0] { // two words on one line
		got = got[1:]
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, f := range answer.Findings {
		if f.Severity != events.SeverityNitpick || !strings.Contains(f.Body, "usually written") {
			t.Errorf("%+v", f)
		}
	}
}

// fixed is a Deep that says the same of every change.
type fixed struct{ said *Checked }

func (f fixed) Check(context.Context, *session.Input) (*Checked, error) { return f.said, nil }
func (f fixed) Version() string                                         { return "fixed" }

func TestDeepIsHeldToTheSameRules(t *testing.T) {
	t.Parallel()
	many := make([]Fault, 0, 9)
	for i := range 9 {
		many = append(many, Fault{Line: i + 2, Rule: "go-vet:assign", Message: "self-assignment of " + awsKey})
	}
	said := &Checked{
		Faults: map[string][]Fault{
			"a.go": append(many, Fault{Line: 1, Rule: "go-vet:untouched", Message: "x"}, Fault{Line: 2, Rule: "staticcheck:SA1000", Message: "y", Withheld: "ignored"}),
		},
		Notes: map[string][]string{"a.go": {"no modules at " + ghToken}}, Sandbox: "held",
	}
	e := New(Options{Deep: fixed{said}, Rules: map[string]string{"go-vet:*": "nitpick"}})
	answer := review(t, e, changetest.Files{"a.go": "package a\n"}, changetest.Files{"a.go": "package a\n" + strings.Repeat("var _ = 1 // "+ghToken[:5]+"\n", 9)})
	if len(answer.Findings) != PerRuleMax || answer.Sandbox != "held" || len(answer.Skipped) != 1 || len(answer.Withheld) != 2 {
		t.Errorf("answer %+v", answer)
	}
	for _, f := range answer.Findings {
		if f.Rule != "go-vet:assign" || f.Severity != events.SeverityNitpick || strings.Contains(f.Body, awsKey) {
			t.Errorf("%+v", f)
		}
	}
	if strings.Contains(answer.Skipped[0].Reason, ghToken) {
		t.Error("the coverage holds a secret")
	}
}
