package main

import (
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/events"
)

// clock is the time of everything that runs here: the machine's.
type clock struct{}

// timeSource stands behind it. Only the main function of the tests, which is this
// command too, puts a faster one in its place, before anything runs.
var timeSource actors.Clock = machineClock{}

// Now returns the time in UTC.
func (clock) Now() time.Time { return timeSource.Now() }

// After calls f on a goroutine of its own.
func (clock) After(d time.Duration, f func()) (cancel func()) { return timeSource.After(d, f) }

// machineClock serves actors.Clock.
type machineClock struct{}

func (machineClock) Now() time.Time { return time.Now().UTC() }

func (machineClock) After(d time.Duration, f func()) (cancel func()) {
	timer := time.AfterFunc(max(d, 0), f)
	return func() { timer.Stop() }
}

// draw is fresh luck for a command.
func draw() events.Draw {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return events.Draw(hex.EncodeToString(b[:]))
}
