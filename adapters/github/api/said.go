package api

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// messageBytesMax bounds what we keep of what GitHub said.
const messageBytesMax = 600

// title is where an HTML body says what it is.
var title = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// said is the message of a body that is no success, in one line. GitHub's errors
// are objects, strings or one text, and what stands before GitHub answers in HTML.
// go-github loses the second and the third. (github.md §0)
func said(body []byte) string {
	var answer struct {
		Message string          `json:"message"`
		Errors  json.RawMessage `json:"errors"`
	}
	if json.Unmarshal(body, &answer) == nil {
		parts := append([]string{answer.Message}, detailsIn(answer.Errors)...)
		return oneLine(strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; "))
	}
	if match := title.FindSubmatch(body); match != nil {
		return oneLine(string(match[1]))
	}
	if strings.HasPrefix(strings.TrimSpace(string(body)), "<") {
		return "an HTML page"
	}
	return oneLine(string(body))
}

func detailsIn(raw json.RawMessage) []string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []string{text}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var details []string
	for _, item := range list {
		var object struct {
			Resource string `json:"resource"`
			Field    string `json:"field"`
			Code     string `json:"code"`
			Message  string `json:"message"`
		}
		if json.Unmarshal(item, &text) == nil {
			details = append(details, text)
		} else if json.Unmarshal(item, &object) == nil {
			details = append(details, strings.TrimSpace(strings.Join([]string{object.Resource, object.Field, object.Code, object.Message}, " ")))
		}
	}
	return details
}

// oneLine makes a text of others harmless for a terminal and a log, and bounds it.
func oneLine(s string) string {
	if len(s) > 4*messageBytesMax {
		s = s[:4*messageBytesMax]
	}
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
		if b.Len() >= messageBytesMax {
			b.WriteString("…")
			break
		}
	}
	return b.String()
}
