package engine

import "fmt"

// Why a finding does not stand inline, or not just at the lines that it named.
const (
	reasonWholeChange = "about the change as a whole"
	reasonWholeFile   = "about the file as a whole"
	reasonDeleted     = "the change deletes the file"
	reasonNotChanged  = "the file is not part of the change"
	reasonBinary      = "the file is binary"
	reasonSubmodule   = "the file is a submodule, which has line 1 alone"
	reasonOutside     = "%s outside the diff"
	reasonNotShown    = "the patch shows only a part of the file, without %s"
	reasonFileEnds    = "it names %s, and the file ends at line %d"
	reasonHunkBegins  = "it names %s, and its hunk begins at line %d"
	reasonMoved       = "it names %s, and what it quotes stands at %s"
	reasonNamesNone   = "it names no line, and what it quotes stands at %s"
	reasonNotQuoted   = "what it quotes is not at %s, and not just once in the diff"
	reasonReplaces    = "it names %s, and its suggestion replaces %s"
)

// Why a finding is withheld.
const (
	reasonNoFile       = "neither the change nor the tree has the file"
	reasonTwice        = "said twice in one answer"
	reasonOverFindings = "over the cap of %d findings of one lane"
	reasonOverWithheld = "over the cap of %d withheld findings of one lane"
	titleOfRest        = "%d more withheld findings"
	reasonUpwards      = `the name leads upwards with ".."`
)

// Why a suggestion is text to read and not to apply.
const (
	reasonStandsNowhere = "it stands at no lines of the diff"
	reasonNotAllShown   = "it replaces lines that no one hunk shows"
	reasonNoText        = "a submodule has no text of its own"
	reasonCut           = "it was cut at %d bytes"
	reasonUnseen        = "it holds characters that are not shown"
	reasonLong          = "it has more than %d lines"
	reasonDiffRows      = "it is written as rows of a diff that are not in the file"
	reasonSame          = "it changes nothing"
	reasonSeveral       = "it repeats lines around its own, and there is more than one way to read it"
	reasonInterleaved   = "the change deletes lines between those that it replaces"
)

// span names lines for a reader.
func span(start, end int) string {
	if start == end {
		return fmt.Sprintf("line %d", end)
	}
	return fmt.Sprintf("lines %d to %d", start, end)
}

// are is span with its verb.
func are(start, end int) string {
	if start == end {
		return span(start, end) + " is"
	}
	return span(start, end) + " are"
}
