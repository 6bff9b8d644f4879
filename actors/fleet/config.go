package fleet

import (
	"fmt"
	"slices"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of what is recorded about a configuration.
const (
	ConfigKeysMax   = 500
	ConfigReasonMax = 8 << 10 // bytes
)

// LoadConfig: a daemon works by this configuration from now on.
type LoadConfig struct {
	Digest  string        `json:"digest"`
	Rules   events.Digest `json:"rules"`
	File    string        `json:"file,omitempty"`
	Changed []string      `json:"changed,omitempty"`
	Kept    []string      `json:"kept,omitempty"`
}

// RejectConfig: a daemon could not take the file.
type RejectConfig struct {
	File   string `json:"file,omitempty"`
	Reason string `json:"reason"`
}

// The stored names.
func (LoadConfig) Name() string   { return "fleet.load_config" }
func (RejectConfig) Name() string { return "fleet.reject_config" }

// Config is what the fleet remembers of the configuration.
type Config struct {
	Digest   string        `json:"digest"`
	Rules    events.Digest `json:"rules"`
	File     string        `json:"file"`
	Kept     []string      `json:"kept"`
	Rejected string        `json:"rejected"` // why the newest file was not taken; "" = it was
}

func (r Rules) loadConfig(s *State, c LoadConfig) ([]events.Payload, error) {
	if c.Digest == "" || len(c.Changed) > ConfigKeysMax || len(c.Kept) > ConfigKeysMax { // guard: a configuration without a name is loaded
		return nil, &events.Refusal{Reason: fmt.Sprintf("a configuration needs a digest, and at most %d keys", ConfigKeysMax)}
	}
	now := &s.Config
	same := now.Digest == c.Digest && now.Rules == c.Rules && now.File == c.File && slices.Equal(now.Kept, c.Kept)
	if same && now.Rejected == "" { // guard: what holds already is loaded again
		return nil, nil
	}
	return []events.Payload{&events.ConfigLoaded{
		Digest: c.Digest, Rules: c.Rules, File: c.File, Changed: c.Changed, Kept: c.Kept,
	}}, nil
}

func (r Rules) rejectConfig(s *State, c RejectConfig) ([]events.Payload, error) {
	switch {
	case c.Reason == "" || len(c.Reason) > ConfigReasonMax: // guard: a configuration is rejected without a reason
		return nil, &events.Refusal{Reason: fmt.Sprintf("a rejection needs a reason of at most %d bytes", ConfigReasonMax)}
	case c.Reason == s.Config.Rejected: // guard: the same fault is recorded at every signal
		return nil, nil
	}
	return []events.Payload{&events.ConfigRejected{File: c.File, Reason: c.Reason}}, nil
}

// foldConfig applies the events about the configuration.
func foldConfig(s *State, p events.Payload) {
	switch p := p.(type) {
	case *events.ConfigLoaded:
		s.Config = Config{Digest: p.Digest, Rules: p.Rules, File: p.File, Kept: p.Kept}
	case *events.ConfigRejected:
		s.Config.Rejected = p.Reason
	}
}
