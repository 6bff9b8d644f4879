package events

import (
	"context"
	"errors"
	"fmt"
)

// AppendMaxBytes bounds one append: decided and payloads together.
const AppendMaxBytes = 1 << 20

// EventMaxBytes bounds one event's decided and payload together.
const EventMaxBytes = 512 << 10

// Append is one all-or-nothing write to one stream.
type Append struct {
	Stream   StreamName
	Expected Version // NoneYet, or the exact version of the stream's last event
	Previous Hash    // of the event at Expected; zero at NoneYet
	Events   []Event // linked, with versions from Expected+1 on
	// Retry marks a repeat after an unknown outcome: the adapter first reads the
	// place back. The same ids and bytes there are success; the same ids with
	// other bytes are ErrDiffers.
	Retry bool
}

// Appended says where an append landed.
type Appended struct {
	Last     Version
	Position Position // of its last event
}

// Store is a log. Every method may be called from any goroutine. Errors are
// *ConflictError, or wrap one of the sentinels below.
type Store interface {
	// Append writes at the exact expected version, or not at all. nil means
	// durable; ErrUnknownOutcome means that it may or may not be stored.
	Append(ctx context.Context, a Append) (Appended, error)
	// ReadStream calls yield for the events of one stream with version >= from, in
	// order, until it returns false. A stream that does not exist has no events.
	// The event is the callee's to keep; its fields may share memory.
	ReadStream(ctx context.Context, stream StreamName, from Version, yield func(*Event) bool) error
	// ReadBack does the same from the stream's last event backwards.
	ReadBack(ctx context.Context, stream StreamName, yield func(*Event) bool) error
	// ReadAll calls yield for all events with position > after in the order of the
	// log, until it returns false. No event ever appears before one already read.
	ReadAll(ctx context.Context, after Position, yield func(*Event) bool) error
	// Follow returns nil once the log holds an event with position > after, and
	// the context's error when that ends first. It is a hint to read on.
	Follow(ctx context.Context, after Position) error
}

// Sentinels of Store. All but ErrDiffers, ErrDamaged, ErrNewer and ErrTooLarge
// are conditions that may pass; nothing that was acknowledged is lost by any.
var (
	ErrUnknownOutcome = errors.New("the outcome of the append is unknown")
	ErrUnavailable    = errors.New("the log is unavailable")
	ErrFull           = errors.New("no space left for the log")
	ErrReadOnly       = errors.New("the log is read-only")
	ErrDiffers        = errors.New("other bytes are stored under these ids")
	ErrDamaged        = errors.New("the log is damaged")
	ErrNewer          = errors.New("the log was written by a newer version")
	ErrTooLarge       = errors.New("the append is larger than the log takes")
)

// ConflictError says that the stream was not at the expected version.
type ConflictError struct {
	Stream   StreamName
	Expected Version
	Actual   Version // NoneYet-1 where the store cannot say
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("append to %s: expected version %d, found %d", e.Stream, e.Expected, e.Actual)
}

// CheckAppend refuses an append that no store may accept: versions that are not
// consecutive, an unlinked chain, times that go back, or too many bytes.
func CheckAppend(a Append) error {
	if len(a.Events) == 0 {
		return fmt.Errorf("append to %s: no events", a.Stream)
	}
	if !a.Stream.Valid() {
		return fmt.Errorf("append: %q is not a stream name", a.Stream)
	}
	previous, size := a.Previous, 0
	for i := range a.Events {
		e := &a.Events[i]
		size += len(e.Payload) + len(e.Decided)
		switch {
		case e.Stream != a.Stream:
			return fmt.Errorf("append to %s: event %d is of stream %s", a.Stream, i, e.Stream)
		case e.Version != a.Expected+1+Version(i):
			return fmt.Errorf("append to %s: event %d has version %d", a.Stream, i, e.Version)
		case e.Previous != previous:
			return fmt.Errorf("append to %s: event %d is not linked", a.Stream, i)
		case i > 0 && e.Time.Before(a.Events[i-1].Time):
			return fmt.Errorf("append to %s: event %d goes back in time", a.Stream, i)
		case len(e.Payload)+len(e.Decided) > EventMaxBytes+EventMaxBytes/4:
			return fmt.Errorf("append to %s: event %d: %w", a.Stream, i, ErrTooLarge)
		}
		previous = e.Hash
	}
	if size > AppendMaxBytes {
		return fmt.Errorf("append to %s: %d bytes: %w", a.Stream, size, ErrTooLarge)
	}
	return nil
}
