// Package linter runs any linter as an engine and reads its report: SARIF 2.1.0,
// reviewdog's rdjsonl and rdjson, checkstyle's XML, or lines in vim's errorformat.
// It is part of adapters/engine.
//
//	program ─▶ report (a file) ─format─▶ remarks ─gate─▶ findings │ withheld
//
// A remark is what one entry of a report says. It becomes a finding where one of
// its lines is a line that the change added; everything else is withheld with the
// reason: linters speak about whole trees, a review about a change. (CLI.md, "An
// engine of your own")
//
// A report that can be read counts, whatever the exit code: linters use it to say
// that they found something. One that cannot be read is a failure, however much
// of it is good: a part of a report would hold fewer findings than the linter
// had. (case E02)
//
// A report may be as long as exec.ReportMax. It is read as a stream, a value at a
// time, and the heaviest remarks are held; the rest are counted. The result does
// not depend on the order in which a linter's threads said it.
package linter
