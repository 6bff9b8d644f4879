package githubtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// answer is what a request is answered with, before faults.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func newAnswer(status int, body any) *answer {
	a := &answer{status: status, header: http.Header{}}
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			panic(fmt.Sprintf("githubtest: an answer cannot be written as JSON: %v", err)) // our own maps: a bug
		}
		a.body = text
		a.header.Set("Content-Type", "application/json; charset=utf-8")
	}
	return a
}

// problem is an answer in GitHub's shape of an error. A 422 has a status in its body
// too, which the published description does not name: it is left out.
func (c *call) problem(status int, message string, more ...any) *answer {
	body := map[string]any{"message": message, "documentation_url": c.documentation()}
	if status != http.StatusUnprocessableEntity {
		body["status"] = strconv.Itoa(status)
	}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return newAnswer(status, body)
}

const docs = "https://docs.github.com/rest"

func (c *call) documentation() string {
	if c.route == nil || c.route.docs == "" {
		return docs
	}
	return docs + "/" + c.route.docs
}

func (c *call) notFound() *answer { return c.problem(http.StatusNotFound, "Not Found") }

// unprocessable is a 422 of a review: GitHub lists texts, or objects in the mode.
func (c *call) unprocessable(texts ...string) *answer {
	modes := c.s.params.Modes
	switch {
	case modes.TextErrors && len(texts) > 0:
		c.odd = "errors as text"
		return c.problem(http.StatusUnprocessableEntity, "Unprocessable Entity", "errors", texts[0])
	case modes.ObjectErrors:
		c.odd = "errors as objects"
		list := make([]map[string]any, len(texts))
		for i, text := range texts {
			list[i] = map[string]any{"resource": "PullRequestReview", "code": "custom", "message": text}
		}
		return c.problem(http.StatusUnprocessableEntity, "Validation Failed", "errors", list)
	}
	return c.problem(http.StatusUnprocessableEntity, "Unprocessable Entity", "errors", texts)
}

// invalid is a 422 of one field, which is always an object.
func (c *call) invalid(resource, field, code, message string) *answer {
	e := map[string]any{"resource": resource, "field": field, "code": code}
	if message != "" {
		e["message"] = message
	}
	return c.problem(http.StatusUnprocessableEntity, "Validation Failed", "errors", []any{e})
}
