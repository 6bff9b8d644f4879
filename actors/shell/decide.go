package shell

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"github.com/reviewctl/reviewctl/events"
)

// pump decides what waits, as one append.
func (m *Machine) pump() []Output {
	expected, previous := m.version, m.head
	size := 0
	for len(m.queue) > 0 && len(m.batch) < BatchMax && size < BatchMaxBytes {
		a := m.queue[0]
		answer, decided := m.decide(a)
		bytes := 0
		for i := range decided {
			bytes += len(decided[i].event.Payload) + len(decided[i].event.Decided)
		}
		if size+bytes > events.AppendMaxBytes { // guard: an append is larger than a store takes
			break // it gets an append of its own
		}
		size += bytes
		m.queue = m.queue[1:]
		m.take(&answer, decided)
		m.batch = append(m.batch, decision{a, answer})
	}
	if len(m.queue) == 0 {
		m.queue = nil
	}
	if len(m.write) == 0 {
		out := m.replyDurable()
		if len(m.queue) > 0 {
			return append(out, m.pump()...)
		}
		return append(out, m.stopped()...)
	}
	m.phase = writing
	return []Output{Write{events.Append{
		Stream: m.stream, Expected: expected, Previous: previous, Events: m.write,
	}}}
}

// drafted is an event that is not linked yet, and its payload as it will be read.
type drafted struct {
	event   events.Event
	payload events.Payload
}

// take links and folds what was decided, and cites it in the answer.
func (m *Machine) take(answer *Answer, decided []drafted) {
	for i := range decided {
		e := &decided[i].event
		events.Link(m.head, e)
		m.fold(e, decided[i].payload)
		m.write = append(m.write, *e)
		answer.Events = append(answer.Events, e.Ref())
	}
	if len(decided) > 0 && m.kind.Check != nil {
		if err := m.kind.Check(m.state); err != nil {
			panic(fmt.Sprintf("shell: %s at version %d after %s: %v", m.stream, m.version, decided[0].event.Decided, err))
		}
	}
}

// decide answers an ask against the state as it will be.
func (m *Machine) decide(a Ask) (Answer, []drafted) {
	if a.Routed && m.causes.Done(a.Cause) { // guard: a routed command is carried out twice
		return Answer{Accepted: true, Reason: "done before"}, nil
	}
	given := a.Given
	given.At = given.At.UTC().Round(0)
	if given.At.Before(m.time) { // guard: time goes back within a stream
		given.At = m.time // time never goes back within a stream
	}
	given.Draw = redraw(given.Draw, a.tries)
	var fields events.JSON
	if !a.Routed && !m.kind.Plain { // guard: a command from outside is not on record
		var err error
		if a.Command, fields, err = recordable(a.Command); err != nil {
			return Answer{Err: err}, nil
		}
	}
	payloads, err := m.kind.Decide(a.Rules.Value, m.state, given, a.Command)
	if err != nil {
		var refusal *events.Refusal
		if errors.As(err, &refusal) {
			return Answer{Reason: refusal.Reason}, nil
		}
		return Answer{Err: err}, nil
	}
	decided, err := m.draft(a, fields, given, payloads)
	if err != nil {
		return Answer{Err: err}, nil
	}
	return Answer{Accepted: true}, decided
}

// redraw gives a decision that is made again fresh luck, so that it never uses
// ids that an append of unknown outcome may have stored.
func redraw(d events.Draw, tries int) events.Draw {
	if tries == 0 {
		return d
	}
	sum := sha256.Sum256([]byte(string(d) + "/" + strconv.Itoa(tries)))
	return events.Draw(hex.EncodeToString(sum[:16]))
}

// draft makes events of payloads. The payload that is folded is read back from
// its bytes, so that the live state is what a replay will see.
func (m *Machine) draft(a Ask, fields events.JSON, given events.Given, payloads []events.Payload) ([]drafted, error) {
	out := make([]drafted, len(payloads))
	first := m.version + 1
	size := 0
	for i, p := range payloads {
		text, err := events.Encode(p)
		if err != nil {
			return nil, err
		}
		e := events.Event{
			ID: EventID(given.Draw, m.stream, first+events.Version(i)), Stream: m.stream,
			Version: first + events.Version(i), Type: p.Type(), Revision: events.Revision, Time: given.At,
			By: a.By, Node: string(given.Boot), Cause: a.Cause, Payload: text,
		}
		if !m.kind.Plain {
			if e.Decided, err = decidedOf(a, fields, given, len(payloads), i, first); err != nil {
				return nil, err
			}
		}
		n := len(e.Payload) + len(e.Decided)
		if size += n; n > events.EventMaxBytes || size > events.AppendMaxBytes { // guard: one decision is larger than a store takes
			return nil, fmt.Errorf("%s of %d bytes: %w", p.Type(), n, events.ErrTooLarge)
		}
		if out[i].payload, err = events.Decode(&e); err != nil {
			return nil, err
		}
		e.Correlation = events.CorrelationOf(m.stream, out[i].payload)
		out[i].event = e
	}
	return out, nil
}

// recordable is the command as a reader of its recorded fields will see it. They
// differ where a text is no UTF-8: its JSON form escapes what cannot be written,
// and an audit that reads it back would decide other bytes.
func recordable(cmd events.Command) (events.Command, events.JSON, error) {
	text, err := json.Marshal(cmd)
	if err != nil {
		return nil, "", fmt.Errorf("encode %s: %w", cmd.Name(), err)
	}
	if !bytes.Contains(text, []byte(`\ufffd`)) {
		return cmd, events.JSON(text), nil
	}
	read := reflect.New(reflect.TypeOf(cmd))
	if err := json.Unmarshal(text, read.Interface()); err != nil {
		return nil, "", fmt.Errorf("read %s back: %w", cmd.Name(), err)
	}
	cmd = read.Elem().Interface().(events.Command)
	if text, err = json.Marshal(cmd); err != nil {
		return nil, "", fmt.Errorf("encode %s: %w", cmd.Name(), err)
	}
	return cmd, events.JSON(text), nil
}

func decidedOf(a Ask, fields events.JSON, given events.Given, count, i int, first events.Version) (events.JSON, error) {
	d := events.Decided{With: &first}
	if i == 0 {
		d = events.Decided{
			Command: a.Command.Name(), At: given.At, Rules: a.Rules.Digest, Count: count,
			Draws: &events.Draws{Boot: given.Boot, Draw: given.Draw}, Fields: fields,
		}
	}
	b, err := json.Marshal(d)
	return events.JSON(b), err
}

// EventID derives an event's id: a UUID (version 8) of the decision's draw and
// the event's place.
func EventID(draw events.Draw, stream events.StreamName, v events.Version) events.EventID {
	sum := sha256.Sum256([]byte(string(draw) + "/" + string(stream) + "/" + strconv.FormatInt(int64(v), 10)))
	sum[6] = sum[6]&0x0f | 0x80
	sum[8] = sum[8]&0x3f | 0x80
	h := hex.EncodeToString(sum[:16])
	return events.EventID(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:])
}
