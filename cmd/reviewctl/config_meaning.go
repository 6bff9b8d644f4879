package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/reviewctl/reviewctl/schemas"
)

// keySchema is what config.schema.json says of one key.
type keySchema struct {
	Description string               `json:"description"`
	Default     any                  `json:"default"`
	Properties  map[string]keySchema `json:"properties"`
	Additional  json.RawMessage      `json:"additionalProperties"`
	Items       *keySchema           `json:"items"`
	AnyOf       []keySchema          `json:"anyOf"`
	Ref         string               `json:"$ref"`
}

// schemaFiles are what a reference in config.schema.json stands for.
var schemaFiles = map[string]string{"": "config.schema.json", "urn:reviewctl:policy": "policy.schema.json"}

// meaningOf returns the words and the default that the schema has for a key.
func meaningOf(path []string) (meaning string, byDefault any) {
	at, ok := readKeySchema("")
	for _, key := range path {
		if !ok {
			return "", nil
		}
		at, ok = at.below(key)
	}
	return at.Description, at.Default
}

func readKeySchema(ref string) (keySchema, bool) {
	var s keySchema
	text, err := schemas.JSON.ReadFile(schemaFiles[ref])
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err == nil
}

func (s keySchema) below(key string) (keySchema, bool) {
	if p, ok := s.Properties[key]; ok {
		return p, true
	}
	if s.Items != nil {
		return *s.Items, true
	}
	var inner keySchema
	if json.Unmarshal(s.Additional, &inner) == nil && inner.Description != "" {
		return inner, true
	}
	for _, one := range s.AnyOf {
		if _, ok := schemaFiles[one.Ref]; ok && one.Ref != "" {
			one, _ = readKeySchema(one.Ref)
		}
		if p, ok := one.below(key); ok {
			return p, true
		}
	}
	return keySchema{}, false
}

// unknownKeys finds every key that a type does not have, in the order of the
// file; the library stops at one, and not always at the same.
func unknownKeys(file string, doc ast.Node, t reflect.Type) []*CLIError {
	var found []*CLIError
	walkKeys(doc, t, func(key *token.Token) {
		remedy := "remove it"
		if near := nearestKey(key.Value); near != "" {
			remedy = fmt.Sprintf("remove it, or write %q", near)
		}
		found = append(found, configError(file, key, fmt.Sprintf("unknown key %q", key.Value), remedy))
	})
	return found
}

// walkKeys goes through a document as a type says, and calls unknown for keys
// that the type does not have.
func walkKeys(node ast.Node, t reflect.Type, unknown func(*token.Token)) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if anchor, ok := node.(*ast.AnchorNode); ok {
		node = anchor.Value
	}
	switch t.Kind() {
	case reflect.Slice:
		if list, ok := node.(*ast.SequenceNode); ok {
			for _, value := range list.Values {
				walkKeys(value, t.Elem(), unknown)
			}
		}
	case reflect.Map:
		for _, value := range valuesOf(node) {
			walkKeys(value.Value, t.Elem(), unknown)
		}
	case reflect.Struct:
		fields := yamlFields(t)
		if len(fields) == 0 {
			return // it reads itself
		}
		for _, value := range valuesOf(node) {
			key := value.Key.GetToken()
			field, ok := fields[key.Value]
			switch {
			case ok:
				walkKeys(value.Value, field, unknown)
			case value.Key.Type() != ast.MergeKeyType:
				unknown(key)
			}
		}
	}
}

func valuesOf(node ast.Node) []*ast.MappingValueNode {
	switch node := node.(type) {
	case *ast.MappingNode:
		return node.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{node}
	}
	return nil
}

func yamlFields(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "" && name != "-" {
			fields[name] = t.Field(i).Type
		}
	}
	return fields
}
