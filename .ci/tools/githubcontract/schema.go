package main

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
)

// against holds a value against a schema, with all that is wrong.
func against(schema *openapi3.SchemaRef, value any, as openapi3.SchemaValidationOption) []placed {
	if schema == nil || schema.Value == nil {
		return nil
	}
	return flatten(schema.Value.VisitJSON(value, as, openapi3.MultiErrors(), openapi3.WithStringFormatValidator("date-time", moment{})))
}

// moment is a time as GitHub writes it.
type moment struct{}

func (moment) Validate(text string) error {
	_, err := time.Parse(time.RFC3339, text)
	return err
}

func flatten(err error) []placed {
	if err == nil {
		return nil
	}
	if several, ok := err.(openapi3.MultiError); ok { // not one that an alternative wraps
		var wrong []placed
		for _, e := range several {
			wrong = append(wrong, flatten(e)...)
		}
		return wrong
	}
	var one *openapi3.SchemaError
	if !errors.As(err, &one) {
		return []placed{{place: "/", words: err.Error()}}
	}
	words := one.Reason
	if one.Origin != nil { // of an alternative: say what was wrong with each
		words += ": " + strings.ReplaceAll(one.Origin.Error(), "\n", " ")
	}
	return []placed{{place: "/" + strings.Join(one.JSONPointer(), "/"), words: shorten(words)}}
}

// wordsMax keeps a violation to a few lines.
const wordsMax = 400

func shorten(words string) string {
	if len(words) > wordsMax {
		return words[:wordsMax] + "…"
	}
	return words
}

// undescribed finds the fields that no alternative of the schema names. Schemas
// leave them open, but what the fake gives and GitHub does not must not be relied
// on, and what we send and GitHub does not know is a mistake.
func undescribed(schemas []*openapi3.Schema, value any, place string) []placed {
	var wrong []placed
	switch value := value.(type) {
	case []any:
		var items []*openapi3.Schema
		for _, s := range alternatives(schemas) {
			if s.Items != nil {
				items = append(items, s.Items.Value)
			}
		}
		for i, item := range value {
			wrong = append(wrong, undescribed(items, item, place+"/"+strconv.Itoa(i))...)
		}
	case map[string]any:
		fields, open := fieldsOf(schemas)
		if open {
			return nil
		}
		for name, field := range value {
			if len(fields[name]) == 0 {
				wrong = append(wrong, placed{place: place + "/" + name, words: "the description does not name this field"})
				continue
			}
			wrong = append(wrong, undescribed(fields[name], field, place+"/"+name)...)
		}
	}
	return wrong
}

// fieldsOf are the fields that the alternatives name. It is open where an object
// is described as any object.
func fieldsOf(schemas []*openapi3.Schema) (fields map[string][]*openapi3.Schema, open bool) {
	fields = map[string][]*openapi3.Schema{}
	for _, s := range alternatives(schemas) {
		extra := s.AdditionalProperties
		if extra.Schema != nil || extra.Has != nil && *extra.Has {
			return nil, true
		}
		for name, field := range s.Properties {
			fields[name] = append(fields[name], field.Value)
		}
	}
	return fields, len(fields) == 0
}

// alternatives are the schemas themselves and what they are composed of.
func alternatives(schemas []*openapi3.Schema) []*openapi3.Schema {
	var all []*openapi3.Schema
	for _, s := range schemas {
		all = append(all, s)
		for _, parts := range []openapi3.SchemaRefs{s.AllOf, s.AnyOf, s.OneOf} {
			for _, part := range parts {
				all = append(all, alternatives([]*openapi3.Schema{part.Value})...)
			}
		}
	}
	return all
}
