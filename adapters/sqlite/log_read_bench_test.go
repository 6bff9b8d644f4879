package sqlite

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/events/storetest"
)

// sliceTime is how long one side of a pair runs. (performance §5)
const sliceTime = 400 * time.Millisecond

// rate runs f for a slice and returns events per second of processor time.
func rate(f func() int) float64 {
	n, began, used := 0, time.Now(), cpu()
	for time.Since(began) < sliceTime {
		n += f()
	}
	return float64(n) / (cpu() - used).Seconds()
}

// BenchmarkReadAllPaired is goal 6's part of the store: reading and decoding all
// events, over decoding the same bytes from memory. Bar: 0.5.
func BenchmarkReadAllPaired(b *testing.B) {
	path := benchPath(b)
	count := benchEvents(b)
	lines := benchLines("", count/perStream)
	fill(b, path, lines, count)
	l := mustOpen(b, path, Options{})
	var after events.Position
	read := func() int {
		n := 0
		err := l.ReadAll(context.Background(), after, func(e *events.Event) bool {
			mustDecode(b, e)
			after = e.Position
			n++
			return n < 20_000
		})
		if err != nil {
			b.Fatal(err)
		}
		if n < 20_000 {
			after = 0
		}
		return n
	}
	mem := everything(b, l, lines)
	at := 0
	benchAgainstDecode(b, read, func() int {
		for range 20_000 {
			mem.decode(b, mem.order[at])
			at = (at + 1) % len(mem.order)
		}
		return 20_000
	})
}

// BenchmarkReadStreamPaired is goal 15: reading and decoding a stream of 50 from an
// interleaved file, over decoding the same bytes from memory. Bar: 0.5.
func BenchmarkReadStreamPaired(b *testing.B) {
	path := benchPath(b)
	count := benchEvents(b)
	lines := benchLines("", count/perStream)
	fill(b, path, lines, count)
	l := mustOpen(b, path, Options{})
	read := func() int {
		n := 0
		stream := lines[rand.IntN(len(lines))].Stream
		err := l.ReadStream(context.Background(), stream, 0, func(e *events.Event) bool {
			mustDecode(b, e)
			n++
			return true
		})
		if err != nil || n != perStream {
			b.Fatal(n, err)
		}
		return n
	}
	mem := everything(b, l, lines)
	benchAgainstDecode(b, read, func() int {
		all := mem.streams[rand.IntN(len(mem.streams))]
		for _, r := range all {
			mem.decode(b, r)
		}
		return len(all)
	})
}

// memory holds the texts of a log as they lie in the file, without pointers, so
// that the collector is no busier for it. Decoding is what is done with them after
// they were read: the envelope's texts are cut, the payload is decoded.
type memory struct {
	text    string
	bytes   []byte // the same
	order   []record
	streams [][]record
}

type record struct {
	from, payload, end uint32
}

func (m *memory) decode(tb testing.TB, r record) {
	e := events.Event{Revision: 1, Payload: events.JSON(m.text[r.payload:r.end])}
	if _, err := cutEnvelope(&e, m.text[r.from:r.payload]); err != nil {
		tb.Fatal(err)
	}
	mustDecode(tb, &e)
}

// everything reads the whole log into memory: the same bytes, as cold as the file's.
func everything(b *testing.B, l *Log, lines []*storetest.Line) *memory {
	m := &memory{streams: make([][]record, len(lines))}
	at := map[events.StreamName]int{}
	for i, line := range lines {
		at[line.Stream] = i
	}
	payloads := 0
	err := l.ReadAll(context.Background(), 0, func(e *events.Event) bool {
		r := record{from: uint32(len(m.bytes))}
		m.bytes = joinEnvelope(m.bytes, e, rowLinks{})
		r.payload = uint32(len(m.bytes))
		m.bytes = append(m.bytes, e.Payload...)
		r.end = uint32(len(m.bytes))
		payloads += len(e.Payload)
		m.order = append(m.order, r)
		m.streams[at[e.Stream]] = append(m.streams[at[e.Stream]], r)
		return true
	})
	if err != nil {
		b.Fatal(err)
	}
	m.text = string(m.bytes)
	b.Logf("%d events, %d bytes of payload in the mean", len(m.order), payloads/len(m.order))
	return m
}

// benchAgainstDecode alternates reading with decoding the same events from memory.
func benchAgainstDecode(b *testing.B, read, decode func() int) {
	var r, reads ratios
	for b.Loop() {
		var reading, decoding float64
		either(func() { reading = rate(read) }, func() { decoding = rate(decode) })
		r, reads = append(r, reading/decoding), append(reads, reading)
	}
	r.report(b, "of-decode")
	reads.report(b, "events/cpu-s")
}

func mustDecode(tb testing.TB, e *events.Event) {
	if _, err := events.Decode(e); err != nil {
		tb.Fatal(err)
	}
}
