package main

import (
	"context"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
	zombie "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/reviewctl/reviewctl/adapters/sqlite"
	"github.com/reviewctl/reviewctl/events"
)

// emptyLogCmd makes a log without an event.
func emptyLogCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 1, "emptylog LOG")
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[0])), 0o700))
	log, err := sqlite.Open(context.Background(), ts.MkAbs(args[0]), sqlite.Options{})
	ts.Check(err)
	ts.Check(log.Close())
}

// sqlCmd changes a log behind the store's back.
func sqlCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 2, "sql LOG STATEMENT")
	conn, err := zombie.OpenConn(ts.MkAbs(args[0]), zombie.OpenReadWrite)
	ts.Check(err)
	defer func() { ts.Check(conn.Close()) }()
	ts.Check(sqlitex.ExecuteTransient(conn, args[1], nil))
	ts.Logf("%d rows changed", conn.Changes())
}

// futureCmd appends what a later version might: an event of a type that is not
// known here, with a good chain.
func futureCmd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, len(args) == 2, "future LOG STREAM")
	ctx, stream := context.Background(), events.StreamName(args[1])
	log, err := sqlite.Open(ctx, ts.MkAbs(args[0]), sqlite.Options{})
	ts.Check(err)
	defer func() { ts.Check(log.Close()) }()
	var last events.Event
	ts.Check(log.ReadBack(ctx, stream, func(e *events.Event) bool {
		last = *e
		return false
	}))
	if last.Stream == "" {
		ts.Fatalf("%s has no events", stream)
	}
	next := last
	next.ID = events.EventID("0" + string(last.ID[1:]))
	if next.ID == last.ID {
		next.ID = events.EventID("1" + string(last.ID[1:]))
	}
	next.Version++
	next.Type, next.Payload = "dream.dreamt", `{"of":"sheep"}`
	events.Link(last.Hash, &next)
	_, err = log.Append(ctx, events.Append{Stream: stream, Expected: last.Version, Previous: last.Hash, Events: []events.Event{next}})
	ts.Check(err)
	ts.Logf("%s in %s", next.Ref(), filepath.Base(args[0]))
}
