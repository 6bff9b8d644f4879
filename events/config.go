package events

// The configuration's life, on fleet-main: what a daemon works by, since when,
// and what it would not take.

// ConfigLoaded: a daemon works by this configuration from now on.
type ConfigLoaded struct {
	Digest  string   `json:"digest"`            // of the file as it was understood, its policy included
	Rules   Digest   `json:"rules"`             // that it makes; their text is in policy-DIGEST
	File    string   `json:"file,omitempty"`    // "" = the built-in defaults
	Changed []string `json:"changed,omitempty"` // keys that differ from what held before; none at a start
	Kept    []string `json:"kept,omitempty"`    // of those: keys that hold from the next start on
}

// Type is "config.loaded".
func (ConfigLoaded) Type() Type { return "config.loaded" }

// ConfigRejected: the file cannot be used; what held before holds on.
type ConfigRejected struct {
	File   string `json:"file,omitempty"`
	Reason string `json:"reason"`
}

// Type is "config.rejected".
func (ConfigRejected) Type() Type { return "config.rejected" }
