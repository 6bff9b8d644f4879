package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/reviewctl/reviewctl/events"
)

// Policy says what is reviewed with, and what the verdict follows from. Its keys
// are a contract: CLI.md lists them.
type Policy struct {
	Verdict VerdictPolicy `yaml:"verdict"`
	Approve bool          `yaml:"approve"` // false makes an APPROVE a COMMENT when the verdict is reached
	Phase1  PhasePolicy   `yaml:"phase1"`
}

// VerdictPolicy says from which severity on changes are requested.
type VerdictPolicy struct {
	RequestChangesAt events.Severity `yaml:"request_changes_at"` // blocking or suggestion
}

// PhasePolicy names the reviewers of a phase.
type PhasePolicy struct {
	Engine EngineNames `yaml:"engine"` // empty = the repository's, else the embedded static reviewers
}

// EngineNames is one engine's name or a list.
type EngineNames []events.EngineName

// PhaseEnginesMax bounds the reviewers of a phase.
const PhaseEnginesMax = 64

// policyLater are the keys of CLI.md's policy that come with a later version.
var policyLater = []string{"reviewers", "cheaper", "prep", "phase2", "gate", "tiers", "degraded"}

// phaseLater are those of a phase.
var phaseLater = []string{"verifier"}

// DefaultPolicy holds where none is configured.
func DefaultPolicy() Policy {
	return Policy{Verdict: VerdictPolicy{RequestChangesAt: events.SeverityBlocking}}
}

// ReadPolicy returns the policy that holds: of --policy, else of the
// configuration, else the default.
func (c *Config) ReadPolicy(flag string) (Policy, error) {
	switch {
	case flag != "":
		return readPolicyFile(flag)
	case c.Policy.inline != nil:
		return parsePolicyNode(c.File, c.Policy.inline)
	case c.Policy.Path != "":
		file := c.Policy.Path
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(c.File), file)
		}
		return readPolicyFile(file)
	}
	return DefaultPolicy(), nil
}

func readPolicyFile(file string) (Policy, error) {
	text, err := readBounded(file)
	if err != nil {
		return Policy{}, err
	}
	return ParsePolicy(file, text)
}

// ParsePolicy reads a policy file's text.
func ParsePolicy(file string, text []byte) (Policy, error) {
	doc, err := parseYAML(file, text)
	if err != nil {
		return Policy{}, err
	}
	if doc == nil {
		return DefaultPolicy(), nil
	}
	return parsePolicyNode(file, doc)
}

func parsePolicyNode(file string, node ast.Node) (Policy, error) {
	if err := refuseLater(file, node, "policy key", policyLater); err != nil {
		return Policy{}, err
	}
	if phase := child(node, "phase1"); phase != nil {
		if err := refuseLater(file, phase, "policy key phase1", phaseLater); err != nil {
			return Policy{}, err
		}
	}
	policy := DefaultPolicy()
	if err := decodeStrict(file, node, &policy); err != nil {
		return Policy{}, err
	}
	at := &located{file: file, root: node}
	if s := policy.Verdict.RequestChangesAt; s != events.SeverityBlocking && s != events.SeveritySuggestion {
		return Policy{}, at.wrong(fmt.Sprintf("%q is not a severity that changes can be requested at", s), "use blocking or suggestion", "verdict", "request_changes_at")
	}
	if n := len(policy.Phase1.Engine); n > PhaseEnginesMax {
		return Policy{}, at.wrong(fmt.Sprintf("%d engines are too many", n), fmt.Sprintf("name at most %d", PhaseEnginesMax), "phase1", "engine")
	}
	return policy, nil
}

// refuseLater names a key that is right and comes with a later version.
func refuseLater(file string, node ast.Node, kind string, later []string) error {
	for _, key := range later {
		if value := child(node, key); value != nil {
			return configError(file, value.GetToken(), fmt.Sprintf("%s %s is not supported yet by this version", kind, key), "remove it")
		}
	}
	return nil
}

// UnmarshalYAML reads one name or a list of them.
func (e *EngineNames) UnmarshalYAML(node ast.Node) error {
	values := []ast.Node{node}
	if list, ok := node.(*ast.SequenceNode); ok {
		values = list.Values
	}
	names := make(EngineNames, 0, len(values))
	for _, value := range values {
		name, err := scalar(value, "an engine's name")
		if err != nil {
			return err
		}
		switch {
		case !namePattern.MatchString(name):
			return &yaml.SyntaxError{Message: fmt.Sprintf("%q is not an engine's name", name), Token: value.GetToken()}
		case slices.Contains(names, events.EngineName(name)):
			return &yaml.SyntaxError{Message: fmt.Sprintf("%q is there twice", name), Token: value.GetToken()}
		}
		names = append(names, events.EngineName(name))
	}
	*e = names
	return nil
}
