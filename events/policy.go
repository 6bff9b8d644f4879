package events

// PolicyRecorded stores one Rules value under its digest. The stream is
// policy-DIGEST and holds this one event.
type PolicyRecorded struct {
	Rules JSON `json:"rules"`
}

// Type is "policy.recorded".
func (PolicyRecorded) Type() Type { return "policy.recorded" }
