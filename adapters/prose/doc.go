// Package prose makes an engine's words harmless wherever they are shown: on a
// terminal, in a log, or as Markdown on a forge. It is a leaf: every adapter may use it.
//
// Prose is what is not code. An engine reads a hostile change and may repeat what
// it was told to say: a mention that calls a person, a command to a bot, a
// reference that closes an issue, an image whose address carries a secret away,
// a tag or a comment that hides the rest of the review. All of these become code
// spans, which do nothing and read the same. What already is code stays as it is.
// (cases D42, E25 and E26)
//
// What a text is cut from must be cleaned after the cut: half of a code span is
// prose again.
package prose
