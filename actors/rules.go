package actors

import (
	"encoding/json"
	"fmt"

	"github.com/reviewctl/reviewctl/actors/account"
	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/actors/pr"
	"github.com/reviewctl/reviewctl/actors/repo"
	"github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/actors/shell"
	"github.com/reviewctl/reviewctl/events"
)

// RulesVersion is the version of the deciders' code. It changes whenever a
// decider would answer a command otherwise than before, so that an audit knows
// which decisions it can make again.
const RulesVersion = 1

// Rules is everything that a decision may know beside its state, its command and
// what came in with it. One value is stored once, in policy-DIGEST.
type Rules struct {
	Version int           `json:"version"`
	PR      pr.Rules      `json:"pr"`
	Run     run.Rules     `json:"run"`
	Pool    pool.Rules    `json:"pool"`
	Account account.Rules `json:"account"`
	Repo    repo.Rules    `json:"repo"`
	Fleet   fleet.Rules   `json:"fleet"`
}

// DefaultRules are the rules of a process without a configuration.
func DefaultRules() Rules {
	return Rules{
		Version: RulesVersion,
		PR:      pr.DefaultRules(),
		Run:     run.DefaultRules(),
		Pool:    pool.DefaultRules(),
		Account: account.DefaultRules(),
		Repo:    repo.DefaultRules(),
		Fleet:   fleet.DefaultRules(),
	}
}

// Seal gives the rules their digest: SHA-256 of their JSON.
func (r Rules) Seal() (*shell.Rules, error) {
	text, err := r.Text()
	if err != nil {
		return nil, err
	}
	return &shell.Rules{Digest: events.DigestOf([]byte(text)), Value: &r}, nil
}

// Text is what policy.recorded holds.
func (r Rules) Text() (events.JSON, error) {
	b, err := json.Marshal(r)
	if err != nil {
		return "", fmt.Errorf("encode rules: %w", err)
	}
	return events.JSON(b), nil
}

// ReadRules reads what policy.recorded holds.
func ReadRules(text events.JSON) (*shell.Rules, error) {
	var r Rules
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return nil, fmt.Errorf("read rules: %w", err)
	}
	return &shell.Rules{Digest: events.DigestOf([]byte(text)), Value: &r}, nil
}
