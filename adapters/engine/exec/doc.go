// Package exec runs a program as an engine: one JSON object in, one out. CLI.md,
// "An engine of your own", is its contract, schemas/engine has it as JSON Schema.
// It is part of adapters/engine.
//
// A turn is one run of the program. An answer that breaks its contract is asked
// again, at most twice, in the same lane and within the same deadline:
//
//	request ─▶ program ─▶ exit 0:  answer good ─▶ done
//	   ▲                             broken ─▶ correction{turn, of, errors, previous}
//	   └──────────────────────────────┘
//	                      exit 75: no capacity · usage-limit line · else failed
//
// The program is hostile as far as this package goes: it may hang, flood, fork,
// keep its pipes open, and print secrets. Whatever it does, its processes and its
// TMPDIR are gone when Review returns, its output is bounded, and what is kept of
// it was searched for secrets first.
package exec
