package main

import (
	"context"
	"errors"

	"github.com/reviewctl/reviewctl/events"
)

// Run checks the chain of the log, or of one stream.
func (c *VerifyCmd) Run(app *App) error {
	files, _, err := app.openToRead()
	if err != nil {
		return err
	}
	defer files.Close()
	v := newVerifier()
	if c.Stream != "" {
		err = v.stream(app.Context, files.Log, events.StreamName(c.Stream))
	} else {
		err = v.all(app.Context, files.Log)
	}
	if err != nil {
		return err
	}
	if err := app.Print.Answer(&v.answer); err != nil {
		return err
	}
	return v.answer.Result()
}

// verifier follows the chain of each stream, and holds the streams against what
// the seals say of them: a chain alone cannot see a cut tail or a missing stream.
// (hard-parts §3)
type verifier struct {
	answer VerifyAnswer
	heads  map[events.StreamName]chained
	sealed map[events.StreamName]events.SealedHead
}

type chained struct {
	version events.Version
	hash    events.Hash
}

func newVerifier() *verifier {
	return &verifier{
		answer: VerifyAnswer{Chain: ChainIntact}, heads: map[events.StreamName]chained{},
		sealed: map[events.StreamName]events.SealedHead{},
	}
}

func (v *verifier) all(ctx context.Context, log events.Store) error {
	if err := log.ReadAll(ctx, 0, func(e *events.Event) bool { return v.take(e) }); err != nil {
		return v.damaged(err)
	}
	v.answer.Streams = len(v.heads)
	if v.answer.Chain == ChainBroken {
		return nil
	}
	v.checkSeals()
	return nil
}

// stream checks one stream, and whether it reaches as far as the seals say.
func (v *verifier) stream(ctx context.Context, log events.Store, stream events.StreamName) error {
	if err := log.ReadStream(ctx, stream, 0, func(e *events.Event) bool { return v.take(e) }); err != nil {
		return v.damaged(err)
	}
	v.answer.Streams = len(v.heads)
	if stream != events.SealStream {
		count := v.answer.Events
		seals := newVerifier()
		if err := log.ReadStream(ctx, events.SealStream, 0, func(e *events.Event) bool { return seals.take(e) }); err != nil {
			return v.damaged(err)
		}
		if head, known := seals.sealed[stream]; known {
			v.sealed[stream] = head
		}
		v.answer.SealedTo = seals.answer.SealedTo
		if len(v.heads) == 0 && len(v.sealed) == 0 {
			return NotFound("stream", string(stream))
		}
		v.answer.Events = count
	} else if len(v.heads) == 0 {
		return NotFound("stream", string(stream))
	}
	if v.answer.Chain == ChainIntact {
		v.checkSeals()
	}
	return nil
}

// damaged turns a log that cannot be read to its end for what is in it into the
// answer; whatever else is an error.
func (v *verifier) damaged(err error) error {
	var broken *events.BrokenChainError
	if errors.As(err, &broken) {
		v.breakAt(broken.At)
		return nil
	}
	return err
}

func (v *verifier) breakAt(at events.Ref) {
	v.answer.Chain, v.answer.At = ChainBroken, at
}

// take checks the next event of its stream and reports whether to go on.
func (v *verifier) take(e *events.Event) bool {
	v.answer.Events++
	head, known := v.heads[e.Stream]
	if !known {
		head.version = events.NoneYet
	}
	if e.Version != head.version+1 || events.Verify(head.hash, e) != nil {
		v.breakAt(e.Ref())
		return false
	}
	v.heads[e.Stream] = chained{version: e.Version, hash: e.Hash}
	if e.Stream != events.SealStream {
		return v.checkSealed(e)
	}
	p, err := events.Decode(e)
	seal, ok := p.(*events.LogSealed)
	if err != nil || !ok {
		v.breakAt(e.Ref())
		return false
	}
	v.answer.SealedTo = e.Ref()
	for _, h := range seal.Heads {
		v.sealed[h.Stream] = h
		if at, read := v.heads[h.Stream]; read && at.version == h.Version && at.hash != h.Hash {
			v.breakAt(events.Ref{Stream: h.Stream, Version: h.Version})
			return false
		}
	}
	return true
}

// checkSealed holds an event against a seal that came before it in the log.
func (v *verifier) checkSealed(e *events.Event) bool {
	if h, sealed := v.sealed[e.Stream]; sealed && h.Version == e.Version && h.Hash != e.Hash {
		v.breakAt(e.Ref())
		return false
	}
	return true
}

// checkSeals finds what the seals know of and the log has not, and counts what no
// seal covers yet.
func (v *verifier) checkSeals() {
	for stream, h := range v.sealed {
		at, read := v.heads[stream]
		if !read || at.version < h.Version {
			missing := events.Ref{Stream: stream, Version: at.version + 1}
			if !read {
				missing.Version = 0
			}
			if v.answer.Chain == ChainIntact || missing.String() < v.answer.At.String() {
				v.breakAt(missing)
			}
		}
	}
	for stream, at := range v.heads {
		if stream == events.SealStream {
			continue
		}
		if h, sealed := v.sealed[stream]; sealed {
			v.answer.Unsealed += int(max(0, at.version-h.Version))
		} else {
			v.answer.Unsealed += int(at.version + 1)
		}
	}
}
