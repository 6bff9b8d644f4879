package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of the shell.
const (
	// BatchMax is the number of asks decided into one append. (engine-facts A.5)
	BatchMax = 64
	// BatchMaxBytes closes a batch once it holds that much.
	BatchMaxBytes = 512 << 10
	// TriesMax is the number of conflicts and unknown outcomes after which an ask
	// is answered with ErrContended, or with ErrUnknownOutcome.
	TriesMax = 16
)

type phase uint8

const (
	cold    phase = iota // nothing is in memory
	loading              // Loaded is awaited
	ready                // the state is what the log says
	writing              // Appended or Failed is awaited; the state is ahead of the log
)

// Machine is one stream's actor. It is not safe for use by several goroutines.
type Machine struct {
	kind    *Kind
	stream  events.StreamName
	phase   phase
	stop    bool
	state   any
	version events.Version
	noticed events.Version // that another process has written up to
	head    events.Hash
	time    time.Time
	causes  Causes
	queue   []Ask
	batch   []decision
	write   []events.Event // in flight, to be known again after an unknown outcome
	unknown bool           // the last write's outcome is unknown
	since   int            // events since the last snapshot
}

// decision is an ask that was decided, and its answer once that is durable.
type decision struct {
	ask    Ask
	answer Answer
}

// NewMachine returns the actor of one stream, with nothing in memory.
func NewMachine(kind *Kind, stream events.StreamName) *Machine {
	m := &Machine{kind: kind, stream: stream, noticed: events.NoneYet}
	m.forget()
	return m
}

// Step takes one input and returns what the driver has to do, in order.
func (m *Machine) Step(in Input) []Output {
	switch in := in.(type) {
	case Ask:
		return m.ask(in)
	case Loaded:
		return m.loaded(in)
	case Appended:
		return m.appended()
	case Failed:
		return m.failed(in.Err)
	case Notice:
		m.noticed = max(m.noticed, in.Version)
		return nil
	case Stop:
		m.stop = true
		out := m.refuseAll(ErrStopping)
		return append(out, m.stopped()...)
	}
	panic(fmt.Sprintf("shell: unknown input %T", in))
}

// Idle reports whether nothing is in flight and nothing waits, so that the
// machine may be dropped.
func (m *Machine) Idle() bool {
	return (m.phase == cold || m.phase == ready) && len(m.queue) == 0
}

// State returns the folded state, or nil while the machine is not ready. It is
// for tests and invariants.
func (m *Machine) State() any {
	if m.phase != ready {
		return nil
	}
	return m.state
}

// Version returns the version of the newest event folded.
func (m *Machine) Version() events.Version { return m.version }

func (m *Machine) ask(a Ask) []Output {
	if m.stop {
		return []Output{Reply{a.Ticket, Answer{Err: ErrStopping}}}
	}
	m.queue = append(m.queue, a)
	switch m.phase {
	case cold:
		return m.load(true)
	case ready:
		if m.noticed > m.version { // guard: what another process wrote is not known when a command comes to nothing
			m.forget()
			return m.load(true)
		}
		return m.pump()
	case loading, writing:
	}
	return nil
}

// load asks for the stream. After an unknown outcome the events themselves are
// needed, so no snapshot will do.
func (m *Machine) load(snapshot bool) []Output {
	m.phase = loading
	return []Output{Load{Snapshot: snapshot && m.kind.SnapshotEvery > 0}}
}

// forget drops everything that was folded.
func (m *Machine) forget() {
	m.phase, m.version, m.head, m.time, m.since = cold, events.NoneYet, events.Hash{}, time.Time{}, 0
	m.state = m.kind.New()
	m.causes = Causes{Max: m.kind.CausesMax}
}

func (m *Machine) loaded(in Loaded) []Output {
	err := in.Err
	if err == nil {
		err = m.restore(in)
	}
	if err != nil {
		m.forget()
		if in.Snapshot != nil {
			return m.load(false) // a cache is never truth: the log itself will tell
		}
		out := m.refuseAll(err)
		if m.unknown {
			err = fmt.Errorf("%w: %w", events.ErrUnknownOutcome, err)
		}
		return append(append(m.replyBatch(err), out...), m.stopped()...)
	}
	m.phase = ready
	out := m.settleUnknown(in.Events)
	if m.stop {
		out = append(out, m.refuseAll(ErrStopping)...)
	}
	return append(out, m.pump()...)
}

// restore folds a snapshot and the events behind it, checking the chain.
func (m *Machine) restore(in Loaded) error {
	m.forget()
	if s := in.Snapshot; s != nil {
		at, err := events.ParseTime(s.At)
		if err != nil {
			return err
		}
		saved := savedState{State: m.state, Causes: &m.causes}
		if err := json.Unmarshal(s.State, &saved); err != nil {
			return fmt.Errorf("read snapshot of %s: %w", m.stream, err)
		}
		m.version, m.head, m.time = s.Version, s.Head, at
	}
	for _, e := range in.Events {
		if e.Version != m.version+1 { // guard: a gap in a stream is folded over
			return fmt.Errorf("%w: %s follows version %d", events.ErrDamaged, e.Ref(), m.version)
		}
		if err := events.Verify(m.head, e); err != nil {
			return fmt.Errorf("%w: %w", events.ErrDamaged, err)
		}
		p, err := events.Decode(e)
		if err != nil {
			return fmt.Errorf("%w: %w", events.ErrDamaged, err)
		}
		if _, unknown := p.(events.Unknown); unknown { // guard: an actor decides about what it cannot read
			return fmt.Errorf("%w: %s is a %s", events.ErrNewer, e.Ref(), e.Type)
		}
		m.fold(e, p)
	}
	return nil
}

func (m *Machine) fold(e *events.Event, p events.Payload) {
	m.kind.Fold(m.state, e, p)
	m.causes.Act(e.Cause)
	m.version, m.head, m.time = e.Version, e.Hash, e.Time
	m.since++
}

// settleUnknown looks whether the append of unknown outcome is in what was
// loaded. If so its asks are answered; if not they are decided again, under other
// ids. (ARCHITECTURE, path 2)
func (m *Machine) settleUnknown(loaded []*events.Event) []Output {
	if !m.unknown {
		return nil
	}
	m.unknown = false
	for _, e := range loaded {
		if e.ID == m.write[0].ID { // guard: what an unknown outcome stored is decided twice
			return m.replyDurable()
		}
	}
	return m.again(events.ErrUnknownOutcome)
}

// again puts the batch back in front of the queue, in its order.
func (m *Machine) again(err error) []Output {
	var out []Output
	var front []Ask
	for _, d := range m.batch {
		if d.ask.tries++; d.ask.tries > TriesMax { // guard: a contended ask goes round for ever
			out = append(out, Reply{d.ask.Ticket, Answer{Err: err}})
			continue
		}
		front = append(front, d.ask)
	}
	m.queue = append(front, m.queue...)
	m.batch, m.write = nil, nil
	return out
}

func (m *Machine) replyDurable() []Output {
	out := make([]Output, 0, len(m.batch))
	for _, d := range m.batch {
		out = append(out, Reply{d.ask.Ticket, d.answer})
	}
	m.batch, m.write = nil, nil
	return out
}

// savedState is the JSON of a snapshot.
type savedState struct {
	State  any     `json:"state"`
	Causes *Causes `json:"causes"`
}

func (m *Machine) appended() []Output {
	m.phase = ready
	out := append(m.replyDurable(), m.snapshot()...)
	return append(out, m.pump()...)
}

func (m *Machine) snapshot() []Output {
	if m.kind.SnapshotEvery == 0 || m.since < m.kind.SnapshotEvery {
		return nil
	}
	state, err := json.Marshal(savedState{State: m.state, Causes: &m.causes})
	if err != nil {
		return nil // a cache that cannot be written is no cache
	}
	m.since = 0
	return []Output{Save{Snapshot{Version: m.version, Head: m.head, At: events.FormatTime(m.time), State: state}}}
}

// failed sorts out an append that did not come back durable. The state is ahead
// of the log, so it is dropped in any case.
func (m *Machine) failed(err error) []Output {
	m.forget()
	var conflict *events.ConflictError
	switch {
	case m.stop:
	case errors.As(err, &conflict): // guard: a conflict is answered as an error
		out := m.again(fmt.Errorf("%w: %w", ErrContended, err))
		if len(m.queue) == 0 {
			return out
		}
		return append(out, m.load(true)...)
	case errors.Is(err, events.ErrUnknownOutcome): // guard: an unknown outcome is answered without a look
		m.unknown = true
		return m.load(false)
	}
	out := append(m.replyBatch(err), m.refuseAll(err)...)
	return append(out, m.stopped()...)
}

func (m *Machine) replyBatch(err error) []Output {
	var out []Output
	for _, d := range m.batch {
		out = append(out, Reply{d.ask.Ticket, Answer{Err: err}})
	}
	m.batch, m.write, m.unknown = nil, nil, false
	return out
}

// refuseAll answers everything that waits in the queue with an error.
func (m *Machine) refuseAll(err error) []Output {
	var out []Output
	for _, a := range m.queue {
		out = append(out, Reply{a.Ticket, Answer{Err: err}})
	}
	m.queue = nil
	return out
}

func (m *Machine) stopped() []Output {
	if m.stop && m.Idle() {
		return []Output{Stopped{}}
	}
	return nil
}
