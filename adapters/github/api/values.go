package api

import "net/http"

// Bounds of what an answer makes us keep.
const (
	// valuesMax bounds the values in one answer. A page of 100 pull requests, each
	// with a hundred labels, has less than half as many. What is written in three
	// bytes takes hundreds once it is decoded, so that the bound of the answer's
	// length is none of the memory's.
	valuesMax   = 500_000
	tagBytesMax = 4096 // of an ETag; GitHub's have 70
	urlBytesMax = 2048
)

// holdsMore reports whether a text in JSON, which must be valid, has more values
// than so many. An empty list counts as one with an item.
func holdsMore(text []byte, most int) bool {
	if len(text) < 2*most { // each has two bytes with what parts it from the next
		return false
	}
	values := 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case ',', '[', '{':
			values++
		}
	}
	return values > most
}

// tagOf is the tag under which an answer may be kept, or "": tags stay in memory
// with their answers, and are sent back with each request.
func tagOf(h http.Header, next string) string {
	tag := h.Get("ETag")
	if len(tag) > tagBytesMax || len(next) > urlBytesMax {
		return ""
	}
	return tag
}
