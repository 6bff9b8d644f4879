package main

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// apiVersion is the version of the REST API that the description is about, and
// that each request must name.
const apiVersion = "2022-11-28"

// general are the answers that any operation may give, although hardly one lists
// them: GitHub tells of them in prose. Each with the page that does.
var general = map[int]string{
	http.StatusMovedPermanently:  "best practices: follow redirects",
	http.StatusTemporaryRedirect: "best practices: follow redirects",
	http.StatusNotModified:       "best practices: use conditional requests",
	http.StatusUnauthorized:      "authenticating: failed login limit",
	http.StatusForbidden:         "rate limits; troubleshooting: resource not accessible",
	http.StatusNotFound:          "troubleshooting: 404 for an existing resource",
	http.StatusTooManyRequests:   "rate limits: exceeding the rate limit",
	http.StatusGone:              "troubleshooting: a resource that was removed",
}

// placed is what is wrong at one place of an exchange.
type placed struct {
	where string // request query, response 200
	place string // a JSON pointer, or the name of a parameter
	words string
}

// verdict is what came out for one exchange.
type verdict struct {
	op         string // "" = the description has no such operation
	undetailed bool   // the answer is one of the general ones
	wrong      []placed
}

func (d *description) check(x *exchange) verdict {
	if x.Method == http.MethodPost && x.path() == "/graphql" {
		return d.checkGraph(x)
	}
	r, places := d.find(x.Method, x.path())
	if r == nil {
		return verdict{wrong: []placed{{where: "request", place: x.path(), words: "no such operation: " + x.Method}}}
	}
	v := verdict{op: r.op.OperationID}
	v.wrong = append(v.wrong, r.checkParameters(x, places)...)
	v.wrong = append(v.wrong, r.checkBody(x)...)
	if x.Fault == "" {
		general, wrong := d.checkAnswer(r, x)
		v.undetailed = general
		v.wrong = append(v.wrong, wrong...)
	}
	return v
}

func (r *route) checkParameters(x *exchange, places map[string]string) (wrong []placed) {
	for name, p := range r.parameters("path") {
		value, err := url.PathUnescape(places[name])
		if err != nil {
			wrong = append(wrong, placed{"request path", name, err.Error()})
			continue
		}
		wrong = append(wrong, checkValue("request path", p, []string{value})...)
	}
	query, err := x.query()
	if err != nil {
		return append(wrong, placed{"request query", x.Query, err.Error()})
	}
	described := r.parameters("query")
	for name, values := range query {
		p := described[name]
		if p == nil {
			wrong = append(wrong, placed{"request query", name, "the operation has no such parameter"})
			continue
		}
		wrong = append(wrong, checkValue("request query", p, values)...)
	}
	for name, p := range described {
		if p.Required && !query.Has(name) {
			wrong = append(wrong, placed{"request query", name, "it is required"})
		}
	}
	if got := x.Headers["X-Github-Api-Version"]; got != apiVersion {
		wrong = append(wrong, placed{"request header", "X-GitHub-Api-Version", fmt.Sprintf("is %q, not %q", got, apiVersion)})
	}
	return wrong
}

// checkValue reads a parameter as its schema wants it and holds it against it.
func checkValue(where string, p *openapi3.Parameter, values []string) []placed {
	if len(values) != 1 {
		return []placed{{where, p.Name, "it stands there more than once"}}
	}
	var value any = values[0]
	switch t := p.Schema.Value.Type; {
	case t.Is("integer"):
		n, err := strconv.ParseInt(values[0], 10, 64)
		if err != nil {
			return []placed{{where, p.Name, fmt.Sprintf("%q is no integer", values[0])}}
		}
		value = float64(n)
	case t.Is("boolean"):
		b, err := strconv.ParseBool(values[0])
		if err != nil {
			return []placed{{where, p.Name, fmt.Sprintf("%q is neither true nor false", values[0])}}
		}
		value = b
	}
	var wrong []placed
	for _, w := range against(p.Schema, value, openapi3.VisitAsRequest()) {
		wrong = append(wrong, placed{where, p.Name, w.words})
	}
	return wrong
}

func (r *route) checkBody(x *exchange) []placed {
	const where = "request body"
	if x.Body == "" {
		if r.op.RequestBody != nil && r.op.RequestBody.Value.Required {
			return []placed{{where, "/", "it is required"}}
		}
		return nil
	}
	if r.op.RequestBody == nil {
		return []placed{{where, "/", "the operation takes none"}}
	}
	media, _, _ := mime.ParseMediaType(x.Headers["Content-Type"])
	content := r.op.RequestBody.Value.Content.Get(media)
	if content == nil {
		return []placed{{where, "Content-Type", fmt.Sprintf("%q is not taken", media)}}
	}
	return checkJSON(where, content.Schema, x.Body, openapi3.VisitAsRequest())
}

// checkAnswer says also whether the answer is one of the general ones.
func (d *description) checkAnswer(r *route, x *exchange) (bool, []placed) {
	where := "response " + strconv.Itoa(x.Status)
	described := r.op.Responses.Status(x.Status)
	_, isGeneral := general[x.Status]
	switch {
	case described == nil && !isGeneral:
		return false, []placed{{where, "status", "the operation does not answer so"}}
	case x.Status == http.StatusNotModified || x.Status == http.StatusNoContent:
		if x.Answer != "" {
			return described == nil, []placed{{where, "/", "such an answer has no body"}}
		}
		return described == nil, nil
	}
	var wrong []placed
	if x.Status >= 300 && x.Status < 400 {
		if to, err := url.Parse(x.Answered["Location"]); err != nil || to.Host == "" {
			wrong = append(wrong, placed{where, "Location", fmt.Sprintf("%q is no absolute address", x.Answered["Location"])})
		}
	}
	media, _, _ := mime.ParseMediaType(x.Answered["Content-Type"])
	schema := d.schemas["basic-error"]
	if described != nil {
		if content := described.Value.Content.Get(media); content != nil {
			schema = content.Schema
		} else if len(described.Value.Content) > 0 {
			return false, append(wrong, placed{where, "Content-Type", fmt.Sprintf("%q is not what it answers", media)})
		}
	}
	return described == nil, append(wrong, checkJSON(where, schema, x.Answer, openapi3.VisitAsResponse())...)
}

func checkJSON(where string, schema *openapi3.SchemaRef, text string, as openapi3.SchemaValidationOption) []placed {
	value, err := decode(text)
	if err != nil {
		return []placed{{where, "/", "no JSON: " + err.Error()}}
	}
	wrong := against(schema, value, as)
	if len(wrong) == 0 {
		wrong = undescribed([]*openapi3.Schema{schema.Value}, value, "")
	}
	for i := range wrong {
		wrong[i].where = where
	}
	slices.SortFunc(wrong, func(a, b placed) int { return strings.Compare(a.place+a.words, b.place+b.words) })
	return wrong
}
