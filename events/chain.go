package events

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
)

// ChainRecipe is the number of the recipe in schemas/chain.md that new events
// are hashed by. A new recipe gets a new number; old events keep theirs.
const ChainRecipe = 1

// AppendHashed appends the hashed form of an event: for each of id, type,
// revision, stream, version, time, correlation, cause, by, node, decided and
// payload a 4-byte big-endian length and its text. (hard-parts §3)
func AppendHashed(b []byte, e *Event) []byte {
	field := func(s string) {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	number := func(n int64) {
		var text [20]byte
		digits := strconv.AppendInt(text[:0], n, 10)
		b = binary.BigEndian.AppendUint32(b, uint32(len(digits)))
		b = append(b, digits...)
	}
	field(string(e.ID))
	field(string(e.Type))
	number(int64(e.Revision))
	field(string(e.Stream))
	number(int64(e.Version))
	field(FormatTime(e.Time))
	field(e.Correlation)
	field(e.Cause.Text())
	field(e.By)
	field(e.Node)
	field(string(e.Decided))
	field(string(e.Payload))
	return b
}

// HashOf returns SHA-256(previous ‖ hashed form). previous is zero at version 0.
func HashOf(previous Hash, e *Event) Hash {
	b := make([]byte, 0, 512+len(e.Decided)+len(e.Payload))
	b = append(b, previous[:]...)
	return sha256.Sum256(AppendHashed(b, e))
}

// Link sets the event's place in the chain behind previous.
func Link(previous Hash, e *Event) {
	e.Chain = ChainRecipe
	e.Previous = previous
	e.Hash = HashOf(previous, e)
}

// BrokenChainError says at which event a chain stops being one.
type BrokenChainError struct {
	At  Ref
	Why string
}

func (e *BrokenChainError) Error() string { return fmt.Sprintf("chain broken at %s: %s", e.At, e.Why) }

// Verify checks one event against the hash before it in its stream.
func Verify(previous Hash, e *Event) error {
	switch {
	case e.Chain != ChainRecipe:
		return &BrokenChainError{At: e.Ref(), Why: fmt.Sprintf("recipe %d is not known here", e.Chain)}
	case e.Previous != previous:
		return &BrokenChainError{At: e.Ref(), Why: "it does not follow the event before it"}
	case e.Hash != HashOf(previous, e):
		return &BrokenChainError{At: e.Ref(), Why: "its content does not match its hash"}
	}
	return nil
}
