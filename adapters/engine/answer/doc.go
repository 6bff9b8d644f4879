// Package answer reads what a reviewer program printed. It is part of
// adapters/engine.
//
// Reading is strict but kind: spelling and echoed facts are put right and noted,
// judgments never. What breaks the contract of schemas/engine/reviewer.json is
// reported, every fault at once, so that the engine can be asked again with the
// list. A text that is cut off is never mended: it would hold fewer findings
// than the engine had. (semantics 12.1 to 12.6; cases E02, E06, E07, E09)
//
//	text ─extract─▶ one JSON object ─fields─▶ findings, summary, usage
//	                       └────────────────▶ faults
package answer
