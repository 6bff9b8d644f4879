package main

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/reviewctl/reviewctl/events"
)

// clock serves actors.Clock with the machine's.
type clock struct{}

// Now returns the time in UTC.
func (clock) Now() time.Time { return time.Now().UTC() }

// After calls f on a goroutine of its own.
func (clock) After(d time.Duration, f func()) (cancel func()) {
	timer := time.AfterFunc(max(d, 0), f)
	return func() { timer.Stop() }
}

// draw is fresh luck for a command.
func draw() events.Draw {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return events.Draw(hex.EncodeToString(b[:]))
}
