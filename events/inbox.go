package events

// One message of an operator. The stream is inbox-ID; it holds these two events.

// CommandReceived: an operator asks Target to do Command.
type CommandReceived struct {
	Target  StreamName `json:"target"`
	Command string     `json:"command"` // the command's stored name
	Fields  JSON       `json:"fields"`  // its fields
}

// Type is "command.received".
func (CommandReceived) Type() Type { return "command.received" }

// CommandSettled is the answer.
type CommandSettled struct {
	Accepted bool   `json:"accepted"`
	Reason   string `json:"reason"`
	Events   []Ref  `json:"events"`
}

// Type is "command.settled".
func (CommandSettled) Type() Type { return "command.settled" }
