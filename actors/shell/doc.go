// Package shell is the one state machine behind every actor: it loads a stream,
// folds it, decides, and appends at the exact version. The hard part of the
// system stands here, once, and is pure: Machine.Step takes an input and returns
// outputs, and does nothing else.
//
//	inputs   Ask · Loaded · Appended · Failed · Stop
//	outputs  Load · Write · Reply · Save · Stopped
//
//	          Ask            Loaded              Write
//	  cold ───────▶ loading ────────▶ ready ───────────▶ writing
//	   ▲               ▲                ▲                    │
//	   │ trouble       │ conflict,      └──── Appended ──────┤
//	   └───────────────┴─ unknown outcome ───────────────────┘
//
// While a stream is loading or being written, asks wait in a queue. Up to
// BatchMax of them are decided against the state as it will be and written as
// one append; their answers go out when it is durable. Two drivers feed the
// machine: shell/proto in production, actors/virtual in tests and simulations.
package shell
