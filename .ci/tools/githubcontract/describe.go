package main

import (
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

// description is what GitHub publishes.
type description struct {
	graph   *ast.Schema
	schemas openapi3.Schemas
	routes  map[string][]route // by method and number of segments
}

// route is one path of the description with one method.
type route struct {
	template string
	segments []string
	item     *openapi3.PathItem
	op       *openapi3.Operation
}

func describe(cache string) (*description, error) {
	text, err := openapi.read(cache)
	if err != nil {
		return nil, err
	}
	api, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("read GitHub's OpenAPI description: %w", err)
	}
	schema, err := graphql.read(cache)
	if err != nil {
		return nil, err
	}
	graph, err := loadGraph(string(schema))
	if err != nil {
		return nil, fmt.Errorf("read GitHub's GraphQL schema: %w", err)
	}
	d := index(api)
	d.graph = graph
	return d, nil
}

// index sorts the operations by method and path.
func index(api *openapi3.T) *description {
	d := &description{schemas: api.Components.Schemas, routes: map[string][]route{}}
	for template, item := range api.Paths.Map() {
		segments := strings.Split(strings.Trim(template, "/"), "/")
		for method, op := range item.Operations() {
			k := routeKey(method, len(segments))
			d.routes[k] = append(d.routes[k], route{template: template, segments: segments, item: item, op: op})
		}
	}
	return d
}

// loadGraph reads the GraphQL schema. What GitHub publishes defines some fields
// twice in the same type with the same words, which the specification of GraphQL
// excludes: the second is passed over, if it has the same type.
func loadGraph(text string) (*ast.Schema, error) {
	document, err := parser.ParseSchemas(validator.Prelude, &ast.Source{Name: graphql.file, Input: text})
	if err != nil {
		return nil, err
	}
	for _, definition := range document.Definitions {
		var once ast.FieldList
		for _, field := range definition.Fields {
			if known := once.ForName(field.Name); known == nil || known.Type.String() != field.Type.String() {
				once = append(once, field)
			}
		}
		definition.Fields = once
	}
	return validator.ValidateSchemaDocument(document)
}

func routeKey(method string, segments int) string { return fmt.Sprint(method, " ", segments) }

// find returns the operation for a path as it was sent, still escaped, and what
// stands in the path's places. Of several that fit, the one with the fewest places
// is meant.
func (d *description) find(method, path string) (*route, map[string]string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var best *route
	var places map[string]string
	for i := range d.routes[routeKey(method, len(parts))] {
		r := &d.routes[routeKey(method, len(parts))][i]
		if got, ok := r.match(parts); ok && (best == nil || len(got) < len(places)) {
			best, places = r, got
		}
	}
	return best, places
}

func (r *route) match(parts []string) (map[string]string, bool) {
	places := map[string]string{}
	for i, s := range r.segments {
		switch {
		case strings.HasPrefix(s, "{") && strings.HasSuffix(s, "}") && parts[i] != "":
			places[strings.Trim(s, "{}")] = parts[i]
		case s != parts[i]:
			return nil, false
		}
	}
	return places, true
}

// parameters are those of the path and of the operation, by place and name.
func (r *route) parameters(in string) map[string]*openapi3.Parameter {
	named := map[string]*openapi3.Parameter{}
	for _, list := range []openapi3.Parameters{r.item.Parameters, r.op.Parameters} {
		for _, p := range list {
			if p.Value.In == in {
				named[p.Value.Name] = p.Value
			}
		}
	}
	return named
}
