package main

import (
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// mutant is an exchange with one thing spoiled, which must be seen.
type mutant struct {
	kind string
	what string
	exchange
}

// The kinds of mutants. A check that could make none of a kind has shown nothing
// about that kind.
const (
	lacksField   = "response without a required field"
	wrongType    = "response with a field of another type"
	wrongStatus  = "response with a status that is not described"
	wrongEnum    = "request with an unknown value of an enumeration"
	unknownField = "request with a field that is not described"
)

var mutantKinds = []string{lacksField, wrongType, wrongStatus, wrongEnum, unknownField}

// mutants are made of an exchange that was found right.
func (d *description) mutants(x *exchange) []mutant {
	r, _ := d.find(x.Method, x.path())
	if r == nil {
		return nil
	}
	made := slices.Concat(r.spoiltQueries(x), r.spoiltBodies(x))
	if x.Fault != "" {
		return made
	}
	odd := *x
	odd.Status = 299
	made = append(made, mutant{kind: wrongStatus, what: "299", exchange: odd})
	if described := r.op.Responses.Status(x.Status); described != nil && x.Status < http.StatusMultipleChoices {
		made = append(made, spoiltAnswers(x, described.Value.Content.Get("application/json"))...)
	}
	return made
}

func (r *route) spoiltQueries(x *exchange) (made []mutant) {
	query, _ := x.query()
	described := r.parameters("query")
	for name := range query {
		if p := described[name]; p == nil || len(p.Schema.Value.Enum) == 0 {
			continue
		}
		spoilt := url.Values(maps.Clone(query))
		spoilt.Set(name, "no-such-value")
		m := mutant{kind: wrongEnum, what: "query " + name, exchange: *x}
		m.Query = spoilt.Encode()
		made = append(made, m)
	}
	return made
}

func (r *route) spoiltBodies(x *exchange) (made []mutant) {
	value, err := decode(x.Body)
	body, ok := value.(map[string]any)
	if err != nil || !ok || r.op.RequestBody == nil {
		return nil
	}
	with := func(kind, name string, value any) {
		spoilt := maps.Clone(body)
		spoilt[name] = value
		m := mutant{kind: kind, what: "body " + name, exchange: *x}
		m.Body = encode(spoilt)
		made = append(made, m)
	}
	with(unknownField, "no_such_field", true)
	content := r.op.RequestBody.Value.Content.Get("application/json")
	if content == nil {
		return made
	}
	for name, field := range content.Schema.Value.Properties {
		if _, sent := body[name]; sent && len(field.Value.Enum) > 0 {
			with(wrongEnum, name, "no-such-value")
		}
	}
	return made
}

// spoiltAnswers spoils the object that was answered, or the first of a list.
func spoiltAnswers(x *exchange, content *openapi3.MediaType) (made []mutant) {
	value, err := decode(x.Answer)
	if err != nil || content == nil || content.Schema == nil {
		return nil
	}
	schema := content.Schema.Value
	object, ok := value.(map[string]any)
	wrap := func(o map[string]any) any { return o }
	if list, isList := value.([]any); isList && len(list) > 0 && schema.Items != nil {
		schema = schema.Items.Value
		object, ok = list[0].(map[string]any)
		wrap = func(o map[string]any) any { return append([]any{o}, list[1:]...) }
	}
	if !ok {
		return nil
	}
	spoil := func(kind, name string, change func(map[string]any)) {
		spoilt := maps.Clone(object)
		change(spoilt)
		m := mutant{kind: kind, what: name, exchange: *x}
		m.Answer = encode(wrap(spoilt))
		made = append(made, m)
	}
	for _, name := range schema.Required {
		spoil(lacksField, name, func(o map[string]any) { delete(o, name) })
	}
	for name, field := range schema.Properties {
		if _, given := object[name]; given && field.Value.Type.Is("string") {
			spoil(wrongType, name, func(o map[string]any) { o[name] = map[string]any{"no": "string"} })
		}
	}
	return made
}
