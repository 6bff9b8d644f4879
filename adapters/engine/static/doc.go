// Package static is the engine that is always there: it needs no model, no key
// and no program. It is part of adapters/engine.
//
// A rule looks at the lines that a change adds to one file. There are two:
// secrets, found by gitleaks as a library with its own rules, and the markers
// of an unresolved merge. What the file had before the change is not reported.
//
//	added lines ─┬─ Text ─▶ pieces of 64 KiB ─▶ gitleaks ─┬─ not in the old side? ─▶ finding
//	             └────────▶ whole sets of markers ────────┘
//
// The change is hostile: neither its "gitleaks:allow" comments nor its ignore
// files are honoured. (ecosystem.md, trap 10) A secret's text never leaves the
// package: a finding names its kind and its line.
//
// Not here: linters, and anything that runs a program.
package static
