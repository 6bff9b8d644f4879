package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

func TestPolicyDefaults(t *testing.T) {
	t.Parallel()
	policy, err := ParsePolicy("p.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if policy.Verdict.RequestChangesAt != events.SeverityBlocking || policy.Approve || len(policy.Phase1.Engine) != 0 {
		t.Errorf("got %+v", policy)
	}
}

func TestPolicyRefusesByName(t *testing.T) {
	t.Parallel()
	later := map[string]string{"phase1: { engine: a, verifier: b }": "policy key phase1 verifier"}
	for _, key := range policyLater {
		later[key+": {}"] = "policy key " + key
	}
	for text, what := range later {
		_, err := ParsePolicy("p.yaml", []byte(text))
		var cliError *CLIError
		if !errors.As(err, &cliError) || !strings.Contains(cliError.What, what+" is not supported yet by this version") || exits[cliError.Code] != ExitUsage {
			t.Errorf("%s: got %v", text, err)
		}
	}
	for text, what := range map[string]string{
		"approve: maybe":                          "true or false",
		"phase1: { engine: [a, a] }":              "twice",
		"phase1: { engine: a, nonsense: b }":      "unknown key",
		"phase1: { engine: \"../x\" }":            "not an engine's name",
		"verdict: { request_changes_at: nitpick}": "not a severity that changes",
		"wat: 1": "unknown key",
	} {
		if _, err := ParsePolicy("p.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: got %v, want %q", text, err, what)
		}
	}
}

func TestPolicyFileStandsBesideTheConfiguration(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("policy.yaml", "approve: true\nphase1: { engine: mine }")
	write(ConfigFile, "policy: policy.yaml\n")
	config, err := LoadConfig(Globals{Config: filepath.Join(folder, ConfigFile)}, fakeEnv("HOME", folder))
	if err != nil {
		t.Fatal(err)
	}
	policy, err := config.ReadPolicy("")
	if err != nil {
		t.Fatal(err)
	}
	if !policy.Approve || len(policy.Phase1.Engine) != 1 || policy.Phase1.Engine[0] != "mine" {
		t.Errorf("got %+v", policy)
	}
	write("other.yaml", "approve: false")
	if policy, err = config.ReadPolicy(filepath.Join(folder, "other.yaml")); err != nil || policy.Approve {
		t.Errorf("--policy: got %+v, %v", policy, err)
	}
	if _, err = config.ReadPolicy(filepath.Join(folder, "none.yaml")); err == nil {
		t.Error("a policy that is not there was accepted")
	}
}
