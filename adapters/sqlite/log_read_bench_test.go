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

// codecs are the two things that are done with an event that was read: decode it,
// and, as an actor that loads its stream does, check its hash first.
var codecs = []struct {
	name string
	use  func(tb testing.TB, e *events.Event)
}{
	{"decode", mustDecode},
	{"verify+decode", func(tb testing.TB, e *events.Event) {
		if events.HashOf(e.Previous, e) == (events.Hash{}) {
			tb.Fatal("a hash of zeros")
		}
		mustDecode(tb, e)
	}},
}

// BenchmarkReadAllPaired is goal 6's part of the store: reading and decoding all
// events, over decoding the same bytes from memory. Bar: 0.5.
func BenchmarkReadAllPaired(b *testing.B) {
	l, mem, _ := benchLog(b)
	for _, codec := range codecs {
		b.Run(codec.name, func(b *testing.B) {
			var after events.Position
			at := 0
			benchAgainstDecode(b, func() int {
				n := 0
				err := l.ReadAll(context.Background(), after, func(e *events.Event) bool {
					codec.use(b, e)
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
			}, func() int {
				for range 20_000 {
					mem.use(b, mem.order[at], codec.use)
					at = (at + 1) % len(mem.order)
				}
				return 20_000
			})
		})
	}
}

// BenchmarkReadStreamPaired is goal 15: reading and decoding a stream of 50 from an
// interleaved file, over decoding the same bytes from memory. Bar: 0.5.
func BenchmarkReadStreamPaired(b *testing.B) {
	l, mem, lines := benchLog(b)
	for _, codec := range codecs {
		b.Run(codec.name, func(b *testing.B) {
			benchAgainstDecode(b, func() int {
				n := 0
				stream := lines[rand.IntN(len(lines))].Stream
				err := l.ReadStream(context.Background(), stream, 0, func(e *events.Event) bool {
					codec.use(b, e)
					n++
					return true
				})
				if err != nil || n != perStream {
					b.Fatal(n, err)
				}
				return n
			}, func() int {
				all := mem.streams[rand.IntN(len(mem.streams))]
				for _, r := range all {
					mem.use(b, r, codec.use)
				}
				return len(all)
			})
		})
	}
}

// benchLog fills a log of many interleaved streams, and holds its bytes in memory.
func benchLog(b *testing.B) (*Log, *memory, []*storetest.Line) {
	path := benchPath(b)
	count := benchEvents(b)
	lines := benchLines("", count/perStream)
	fill(b, path, lines, count)
	l := mustOpen(b, path, Options{})
	return l, everything(b, l, lines), lines
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
	from, decided, payload, end uint32
}

func (m *memory) use(tb testing.TB, r record, codec func(testing.TB, *events.Event)) {
	e := events.Event{
		Stream: "run-0123456789abcdef", Decided: events.JSON(m.text[r.decided:r.payload]),
		Payload: events.JSON(m.text[r.payload:r.end]),
	}
	if _, err := cutEnvelope(&e, m.text[r.from:r.decided]); err != nil {
		tb.Fatal(err)
	}
	codec(tb, &e)
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
		r.decided = uint32(len(m.bytes))
		m.bytes = append(m.bytes, e.Decided...)
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
