package main

import (
	"errors"
	"testing"

	"github.com/reviewctl/reviewctl/projections/findings"
)

// TestChooseFinding: a number, or a prefix that means one finding; what means
// several is never guessed. (case E28)
func TestChooseFinding(t *testing.T) {
	t.Parallel()
	all := []findings.Finding{
		{Number: 1, Fingerprint: "0a1b2c3d4e5f"}, {Number: 2, Fingerprint: "0a1bffffffff"}, {Number: 3, Fingerprint: "2233445566ff"},
		{Number: 17, Fingerprint: "123456789012"},
	}
	for word, want := range map[string]int{
		"1": 1, "#1": 1, "2": 2, "0a1b2": 1, "0a1bf": 2, "22": 3, "17": 17, "123": 17, "123456789012": 17, "0a1b2c3d4e5f": 1,
	} {
		if got, err := chooseFinding(all, word); got != want || err != nil {
			t.Errorf("%s is #%d, %v; want #%d", word, got, err, want)
		}
	}
	for word, want := range map[string]Code{"0a1b": CodeUsage, "0": CodeUsage, "9": CodeNotFound, "#4": CodeNotFound, "#22": CodeNotFound, "ff": CodeNotFound} {
		var known *CLIError
		if got, err := chooseFinding(all, word); !errors.As(err, &known) || known.Code != want || got != 0 {
			t.Errorf("%s is #%d, %v; want %s", word, got, err, want)
		}
	}
}

func TestFindingArg(t *testing.T) {
	t.Parallel()
	for _, words := range [][]string{{"o/r#1", "3"}, {"o/r", "1", "#3"}, {"o/r#1", "0a1b2c3d4e5f"}, {"o/r#1", "003"}} {
		if err := FindingArg(words).check(); err != nil {
			t.Errorf("%v: %v", words, err)
		}
	}
	for _, words := range [][]string{nil, {"o/r#1"}, {"o/r", "1"}, {"o/r#1", "#0"}, {"o/r#1", "#x"}, {"o/r#1", ""}, {"o/r#1", "0A1B"}, {"o/r#1", "1", "2", "3"}, {"o/r#1", "#+3"}} {
		if err := FindingArg(words).check(); err == nil {
			t.Errorf("%v is a finding", words)
		}
	}
}
