package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reviewctl/reviewctl/adapters/sqlite"
	"github.com/reviewctl/reviewctl/events"
	"github.com/reviewctl/reviewctl/projections"
	"github.com/reviewctl/reviewctl/projections/catalogue"
)

// TestDoctorSeesAClockThatWentBack: the newest event is of an hour from now.
func TestDoctorSeesAClockThatWentBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ahead time.Duration
		good  bool
	}{"a clock that went back": {time.Hour, false}, "a clock that goes on": {-time.Hour, true}} {
		path := filepath.Join(t.TempDir(), "events.db")
		log, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		views, err := sqlite.OpenViews(sqlite.ViewsPath(path))
		if err != nil {
			t.Fatal(err)
		}
		d := &doctor{files: &Files{Log: log, Views: views, Stored: views, Rows: projections.NewRunner(log, views, catalogue.All())}}
		t.Cleanup(func() { _ = d.files.Close() })
		e := events.Event{
			ID: "0123456789abcdef", Stream: "fleet-main", Type: "dream.dreamt", Revision: 1, Time: time.Now().Add(c.ahead).UTC(),
			By: "node", Decided: "{}", Payload: "{}", Chain: 1,
		}
		events.Link(events.Hash{}, &e)
		if _, err := log.Append(t.Context(), events.Append{Stream: e.Stream, Expected: events.NoneYet, Events: []events.Event{e}}); err != nil {
			t.Fatal(err)
		}
		d.views(t.Context())
		d.clock(t.Context())
		last := d.answer.Checks[len(d.answer.Checks)-1]
		if last.Label != "clock" || last.OK != c.good || (last.Remedy == "") != c.good {
			t.Errorf("%s: got %+v", name, last)
		}
		if (d.answer.Result() == nil) != c.good {
			t.Errorf("%s: got %v", name, d.answer.Result())
		}
	}
}

func TestProgressIsALineNowAndThen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		quiet bool
		of    int64
		want  string
	}{
		{false, 200, "rebuilding: 50 of 200 events\nrebuilding: 200 of 200 events\n"},
		{false, 0, "rebuilding: 50 events\nrebuilding: 250 events\n"},
		{true, 200, ""},
	} {
		var said strings.Builder
		bar := newProgressBar(&App{Globals: Globals{Quiet: c.quiet}, Stderr: &said}, "rebuilding", c.of)
		bar.at(1) // it has only begun
		for _, n := range []int64{50, 250} {
			bar.last = time.Time{}
			bar.at(n)
			bar.at(n + 1) // within the same second
		}
		bar.end()
		if said.String() != c.want {
			t.Errorf("%+v: got %q", c, said.String())
		}
	}
}
