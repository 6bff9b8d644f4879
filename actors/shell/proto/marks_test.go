package proto

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/events"
)

// troubled are marks that cannot be stored while there is an error.
type troubled struct{ err error }

func (*troubled) LoadMark(context.Context, string) (events.Position, error) { return 0, nil }

func (m *troubled) SaveMark(context.Context, string, events.Position) error { return m.err }

// A disk may be full for days: one trouble is one line, and a new one is told again.
func TestCheckpointTroubleIsToldOnce(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	m := &troubled{}
	p := &Process{system: &System{Config: Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}}}
	p.Marks = m
	full, locked := errors.New("the disk is full"), errors.New("it is locked")
	for i, err := range []error{full, full, full, locked, nil, locked} {
		m.err = err
		if stored := p.storeMark(t.Context(), events.Position(i)); stored != (err == nil) {
			t.Errorf("save %d with %v: stored is %v", i, err, stored)
		}
	}
	got := strings.Count(log.String(), full.Error()) + 10*strings.Count(log.String(), locked.Error())
	if got != 21 {
		t.Errorf("want the full disk once and each lock once, got\n%s", &log)
	}
}
