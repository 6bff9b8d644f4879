// Package static is the engine that is always there: it needs no model, no key
// and no program. It is part of adapters/engine.
//
// A Rule is one kind of finding; Rules lists them, and each stands beside the
// code that applies it. A review is a survey; it takes a look at one file after
// the other, and where a rule fires there is a spot. Spots become findings.
//
//	change ─▶ survey ─▶ look ─┬─ added lines ─▶ gitleaks ───────┐
//	                          ├─ added lines ─▶ line rules ─────┤
//	                          ├─ name, modes, size ─────────────┼─ not in the old side? ─▶ finding
//	                          ├─ both sides ─▶ parsers ─────────┤
//	                          └─ workflow ─▶ actionlint, rules ─┘
//
// A rule fires on lines that the change adds, or on a file as a whole, and not
// where the old side of the file had the same line. The old side is put together
// from the checkout and the patch, so no git process runs. A file gets at most
// PerRuleMax findings of one rule, and the last of them counts the rest.
//
// The change is hostile: neither its "gitleaks:allow" comments, nor its ignore
// files, nor its configuration of actionlint are honoured, and nothing but the
// changed files is read. (ecosystem.md, trap 10) Nesting, aliases and bytes are
// bounded before a parser sees them, and what was not looked at is in the
// coverage. A secret's text never leaves the package: findings name kinds, lines
// and code points, and quote no line.
//
// Each rule, or a family of them ("gitleaks:*"), can be switched off or to another
// severity; the version, which is on record, names the rules as they are switched.
//
// Not here: linters, and anything that runs a program; Deep, whose one kind is
// gocheck, stands behind an interface.
package static
