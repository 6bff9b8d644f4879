package static

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/zricethezav/gitleaks/v8/config"

	"github.com/reviewctl/reviewctl/adapters/engine/session"
	"github.com/reviewctl/reviewctl/events"
)

// The settings of a rule beside the severities.
const (
	On  = "on" // its own severity
	Off = "off"
)

// Settings lists what a rule can be set to.
func Settings() []string {
	all := []string{On, Off}
	for _, s := range events.AllSeverities() {
		all = append(all, string(s))
	}
	return all
}

// family is what ends the id of a rule that stands for many: "gitleaks:*". A
// member is switched by its own id, else as the family is.
const family = ":*"

// switches say of each rule whether it reports, and how heavy that is.
type switches map[string]string

// CheckSwitch reports what is wrong with a rule's name or setting. near is the
// name that was probably meant, or "".
func CheckSwitch(name, setting string) (near string, err error) {
	if !isRule(name) {
		return nearest(name), fmt.Errorf("there is no rule %q", name)
	}
	if !slices.Contains(Settings(), setting) {
		return "", fmt.Errorf("%q is not one of %s", setting, strings.Join(Settings(), ", "))
	}
	return "", nil
}

// members say which names a family has.
var members = map[string]*regexp.Regexp{
	goVetRule.ID:       regexp.MustCompile(`^go-vet:[a-z][a-z0-9]{1,40}$`),
	staticcheckRule.ID: regexp.MustCompile(`^staticcheck:[A-Z]{1,4}[0-9]{4}$`),
}

func isRule(name string) bool {
	if slices.Contains(secretKinds(), name) {
		return true
	}
	for _, r := range Rules() {
		if pattern := members[r.ID]; r.ID == name || pattern != nil && pattern.MatchString(name) {
			return true
		}
	}
	return false
}

var kindLine = regexp.MustCompile(`(?m)^id = "([^"]+)"$`)

// secretKinds are the names of the rules of gitleaks, which is asked for its rules
// only where something is searched: that takes it 160 ms.
var secretKinds = sync.OnceValue(func() []string {
	var all []string
	for _, m := range kindLine.FindAllStringSubmatch(config.DefaultConfig, -1) {
		all = append(all, "gitleaks:"+m[1])
	}
	slices.Sort(all)
	return all
})

// nearest is the rule whose name is closest to what was typed, or "".
func nearest(typed string) string {
	best, distance := "", max(2, len(typed)/3)+1
	names := slices.Clone(secretKinds())
	for _, r := range Rules() {
		names = append(names, r.ID)
	}
	slices.Sort(names)
	for _, name := range names {
		d := EditDistance(typed, name)
		if strings.HasPrefix(name, typed+"-") || strings.TrimSuffix(name, family) == typed {
			d = 1
		}
		if d < distance {
			best, distance = name, d
		}
	}
	return best
}

// EditDistance is how many bytes have to change, come or go. (Levenshtein)
func EditDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// of is the setting of a rule's id.
func (s switches) of(id string) string {
	if set, ok := s[id]; ok {
		return set
	}
	if i := strings.IndexByte(id, ':'); i >= 0 {
		if set, ok := s[id[:i]+family]; ok {
			return set
		}
	}
	return On
}

// silent reports whether a rule, or a whole family, reports nothing.
func (s switches) silent(id string) bool {
	if s.of(id) != Off {
		return false
	}
	prefix, isFamily := strings.CutSuffix(id, "*")
	for name, set := range s {
		if isFamily && strings.HasPrefix(name, prefix) && set != Off {
			return false
		}
	}
	return true
}

// apply is the severity of a finding of the rule, or "" where it is off.
func (s switches) apply(id string, own events.Severity) events.Severity {
	switch set := s.of(id); set {
	case On:
		return own
	case Off:
		return ""
	default:
		return events.Severity(set)
	}
}

// sift takes out what is off, and gives the rest its severity.
func (s switches) sift(all []events.Finding) []events.Finding {
	if len(s) == 0 {
		return all
	}
	kept := all[:0]
	for _, f := range all {
		if f.Severity = s.apply(f.Rule, f.Severity); f.Severity != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

func (s switches) siftWithheld(all []session.Withheld) []session.Withheld {
	if len(s) == 0 {
		return all
	}
	kept := all[:0]
	for _, w := range all {
		if w.Finding.Severity = s.apply(w.Finding.Rule, w.Finding.Severity); w.Finding.Severity != "" {
			kept = append(kept, w)
		}
	}
	return kept
}

// words are the settings that are not the default, in order.
func (s switches) words() []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if s[name] != On {
			all = append(all, name+"="+s[name])
		}
	}
	return all
}
