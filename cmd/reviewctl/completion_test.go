package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func completion(t *testing.T, shell string) string {
	t.Helper()
	code, stdout, stderr := call(t, "completion", shell)
	if code != ExitGood || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	return stdout
}

// TestCompletionScriptsAreWhatTheyWere: zsh and fish may not be here to try them.
func TestCompletionScriptsAreWhatTheyWere(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		golden(t, "completion."+shell, []byte(completion(t, shell)))
	}
}

func TestCompletionScriptsCanBeRead(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		cmd := exec.CommandContext(t.Context(), path, "-n")
		cmd.Stdin = strings.NewReader(completion(t, shell))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", shell, err, out)
		}
	}
}

// TestBashCompletes asks bash itself.
func TestBashCompletes(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	script := completion(t, "bash")
	for _, c := range []struct{ line, want string }{ // the last word is the one at the cursor
		{"reviewctl rev", "review"},
		{"reviewctl con", "config"},
		{"reviewctl config ''", "check explain show"},
		{"reviewctl config --config f ch", "check"},
		{"reviewctl --config config che", ""},
		{"reviewctl projections r", "rebuild"},
		{"reviewctl review --form", "--format"},
		{"reviewctl review --format ''", "json markdown rdjsonl sarif text"},
		{"reviewctl review --format = s", "sarif"},
		{"reviewctl review --format =", "json markdown rdjsonl sarif text"},
		{"reviewctl review . --fail-on n", "never nitpick"},
		{"reviewctl get l", "labels lanes ledger"},
		{"reviewctl ledger --window ''", "24h 5h 7d"},
		{"reviewctl completion ''", "bash fish zsh"},
		{"reviewctl doctor --no-m", "--no-models"},
		{"reviewctl status --js", "--json"},
		{"reviewctl review --policy ''", ""},
	} {
		cmd := exec.CommandContext(t.Context(), bash, "--norc", "-c",
			script+"\nCOMP_WORDS=("+c.line+"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _reviewctl; printf '%s\\n' \"${COMPREPLY[@]}\"")
		out, err := cmd.Output()
		got := strings.Fields(string(out))
		slices.Sort(got)
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, %v", c.line, got, err)
		}
	}
}
