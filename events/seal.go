package events

// SealEvery is the number of events after which a seal is due. (hard-parts §3)
const SealEvery = 1000

// SealedHead is a stream's last event at the time of a seal.
type SealedHead struct {
	Stream  StreamName `json:"stream"`
	Version Version    `json:"version"`
	Hash    Hash       `json:"hash"`
}

// LogSealed states version and hash of each stream changed since the seal
// before it, so that a cut tail or a missing stream is found. The stream is
// seal-main.
type LogSealed struct {
	Heads []SealedHead `json:"heads"`
}

// Type is "log.sealed".
func (LogSealed) Type() Type { return "log.sealed" }
