package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// pets is a description in the way of GitHub's, with all that is looked at.
const pets = `{"openapi":"3.0.3","info":{"title":"pets","version":"1"},"paths":{
 "/pets/{id}":{"get":{"operationId":"pets/get",
   "parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer"}},
                 {"name":"sort","in":"query","schema":{"type":"string","enum":["age","name"]}}],
   "responses":{"200":{"description":"","content":{"application/json":{"schema":{"$ref":"#/components/schemas/pet"}}}},
                "304":{"description":""}}}},
 "/pets/mine":{"post":{"operationId":"pets/create",
   "requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"object","properties":{"kind":{"type":"string","enum":["CAT","DOG"]}},"required":["kind"]}}}},
   "responses":{"201":{"description":"","content":{"application/json":{"schema":{"$ref":"#/components/schemas/pet"}}}}}}}},
 "components":{"schemas":{
  "basic-error":{"type":"object","properties":{"message":{"type":"string"}}},
  "pet":{"type":"object","required":["id","born"],"properties":{"id":{"type":"integer"},"born":{"type":"string","format":"date-time"},
    "owner":{"nullable":true,"allOf":[{"type":"object","required":["login"],"properties":{"login":{"type":"string"}}}]}}}}}}`

func fixture(t *testing.T) *description {
	t.Helper()
	api, err := openapi3.NewLoader().LoadFromData([]byte(pets))
	if err != nil {
		t.Fatal(err)
	}
	return index(api)
}

func get(change func(*exchange)) *exchange {
	x := &exchange{
		Method: http.MethodGet, Path: "/pets/7", Query: "sort=age", Headers: map[string]string{"X-Github-Api-Version": apiVersion},
		Status: 200, Answered: map[string]string{"Content-Type": "application/json; charset=utf-8"},
		Answer: `{"id":7,"born":"2026-01-02T03:04:05Z","owner":{"login":"ann"}}`,
	}
	if change != nil {
		change(x)
	}
	return x
}

func post(body string) *exchange {
	return get(func(x *exchange) {
		x.Method, x.Path, x.Query, x.Body, x.Status = http.MethodPost, "/pets/mine", "", body, 201
		x.Headers["Content-Type"] = "application/json"
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		x    *exchange
		want string // "where place: words" begins so; "" = nothing is wrong
	}{
		"as described":           {get(nil), ""},
		"null where it may":      {get(func(x *exchange) { x.Answer = `{"id":7,"born":"2026-01-02T03:04:05Z","owner":null}` }), ""},
		"below an own root":      {get(func(x *exchange) { x.Path = "/api/v3/pets/7" }), ""},
		"not modified":           {get(func(x *exchange) { x.Status, x.Answer = 304, "" }), ""},
		"a general answer":       {get(func(x *exchange) { x.Status, x.Answer = 401, `{"message":"Bad credentials"}` }), ""},
		"spoiled on purpose":     {get(func(x *exchange) { x.Fault, x.Answer = "html", `<html>` }), ""},
		"a request, spoiled":     {get(func(x *exchange) { x.Fault, x.Query = "html", `sort=size` }), "request query sort: "},
		"no such operation":      {get(func(x *exchange) { x.Path = "/cats/7" }), "request /cats/7: no such operation"},
		"no integer":             {get(func(x *exchange) { x.Path = "/pets/x" }), `request path id: "x" is no integer`},
		"unknown parameter":      {get(func(x *exchange) { x.Query = "page=1" }), "request query page: the operation has no such"},
		"unknown in an enum":     {get(func(x *exchange) { x.Query = "sort=size" }), "request query sort: value is not one of"},
		"no version":             {get(func(x *exchange) { x.Headers = nil }), "request header X-GitHub-Api-Version: "},
		"lacks a field":          {get(func(x *exchange) { x.Answer = `{"id":7}` }), `response 200 /born: property "born" is missing`},
		"null where it must not": {get(func(x *exchange) { x.Answer = `{"id":null,"born":"2026-01-02T03:04:05Z"}` }), "response 200 /id: "},
		"lacks one below":        {get(func(x *exchange) { x.Answer = `{"id":7,"born":"2026-01-02T03:04:05Z","owner":{}}` }), "response 200 /owner"},
		"no time":                {get(func(x *exchange) { x.Answer = `{"id":7,"born":"yesterday"}` }), "response 200 /born: "},
		"a field of its own":     {get(func(x *exchange) { x.Answer = `{"id":7,"born":"2026-01-02T03:04:05Z","age":1}` }), "response 200 /age: the description does not name"},
		"a status of its own":    {get(func(x *exchange) { x.Status = 418 }), "response 418 status: "},
		"cut off":                {get(func(x *exchange) { x.Answer = `{"id":` }), "response 200 /: no JSON"},
		"a body without reason":  {get(func(x *exchange) { x.Status = 304 }), "response 304 /: such an answer has no body"},
		"another media type":     {get(func(x *exchange) { x.Answered["Content-Type"] = "text/html" }), "response 200 Content-Type: "},
		"nowhere to go":          {get(func(x *exchange) { x.Status, x.Answer = 301, `{}` }), "response 301 Location: "},
		"created":                {post(`{"kind":"CAT"}`), ""},
		"no body":                {post(``), "request body /: it is required"},
		"an unknown kind":        {post(`{"kind":"CTA"}`), "request body /kind: "},
		"a field we made up":     {post(`{"kind":"CAT","colour":"red"}`), "request body /colour: the description does not name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := fixture(t).check(c.x)
			var got []string
			for _, w := range v.wrong {
				got = append(got, w.where+" "+w.place+": "+w.words)
			}
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], c.want)) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestSelfTest: a recording that is right is spoiled in each way, and each is seen.
func TestSelfTest(t *testing.T) {
	t.Parallel()
	r := check(fixture(t), []*exchange{get(nil), get(nil), post(`{"kind":"CAT"}`)})
	if len(r.violations) > 0 || r.blind() || r.exchanges != 3 || r.distinct != 2 {
		var out strings.Builder
		r.print(&out)
		t.Error(out.String())
	}
	if r := check(fixture(t), []*exchange{get(func(x *exchange) { x.Fault = "html" })}); !r.blind() {
		t.Error("a recording of faults alone shows nothing, and passes")
	}
}
