package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// configTree is the effective configuration as a document: mappings are
// yaml.MapSlice in the order of Config's fields, lists are []any, the rest is
// text, numbers and booleans. What is a secret is hidden.
func configTree(c *Config) (yaml.MapSlice, error) {
	effective := *c
	effective.Engines = map[string]EngineConfig{}
	for name, e := range c.Engines {
		e.Timeout = Duration(e.LaneTimeout())
		e.Command = hideWords(e.Command)
		effective.Engines[name] = e
	}
	effective.Static = c.Static.effective()
	effective.Repositories = slices.Clone(c.Repositories)
	for i := range effective.Repositories {
		r := &effective.Repositories[i]
		enabled, debounce := r.IsEnabled(), Duration(r.DebounceTime(c.Scheduling))
		r.Enabled, r.Debounce = &enabled, &debounce
	}
	tree, err := treeOf(reflect.ValueOf(effective))
	if err != nil {
		return nil, err
	}
	return tree.(yaml.MapSlice), nil // a struct becomes one
}

func treeOf(v reflect.Value) (any, error) {
	switch value := v.Interface().(type) {
	case Duration:
		return durationText(time.Duration(value)), nil
	case PoolSizeConfig:
		if value.Auto {
			return "auto", nil
		}
		return value.Slots, nil
	case PolicySource:
		return value.tree()
	case *bool:
		return *value, nil
	case *Duration:
		return durationText(time.Duration(*value)), nil
	}
	switch v.Kind() {
	case reflect.Struct:
		return structTree(v)
	case reflect.Map:
		out := yaml.MapSlice{}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			value, err := treeOf(v.MapIndex(key))
			if err != nil {
				return nil, err
			}
			out = append(out, yaml.MapItem{Key: key.String(), Value: value})
		}
		return out, nil
	case reflect.Slice:
		out := []any{}
		for i := range v.Len() {
			value, err := treeOf(v.Index(i))
			if err != nil {
				return nil, err
			}
			out = append(out, value)
		}
		return out, nil
	case reflect.String:
		return hideText(v.String()), nil
	case reflect.Int, reflect.Int64:
		return v.Int(), nil
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return treeOf(v.Elem())
	}
	return v.Interface(), nil
}

func structTree(v reflect.Value) (any, error) {
	out := yaml.MapSlice{}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if name == "" || name == "-" {
			continue
		}
		value, err := treeOf(v.Field(i))
		if err != nil {
			return nil, err
		}
		out = append(out, yaml.MapItem{Key: name, Value: value})
	}
	return out, nil
}

// tree is the policy's path, or the policy that stands in place.
func (p PolicySource) tree() (any, error) {
	if p.inline == nil {
		return hideText(p.Path), nil
	}
	var value any
	if err := yaml.NodeToValue(p.inline, &value, yaml.UseOrderedMap()); err != nil {
		return nil, err
	}
	return value, nil
}

// durationText is Go's without the parts that are zero: 30m, not 30m0s.
func durationText(d time.Duration) string {
	text := d.String()
	if cut, ok := strings.CutSuffix(text, "m0s"); ok {
		text = cut + "m"
	}
	if cut, ok := strings.CutSuffix(text, "h0m"); ok {
		text = cut + "h"
	}
	return text
}

// hidden stands for a secret.
const hidden = "***"

var (
	// userInAddress is NAME:PASSWORD@ or TOKEN@ in an address.
	userInAddress = regexp.MustCompile(`(://)[^/@\s]+@`)
	// secretName is what people call options and variables that hold a secret.
	secretName = regexp.MustCompile(`(?i)(token|secret|passw(or)?d|api[-_]?key|credential|bearer|private[-_]?key|authorization)`)
	// secretWord is what tokens of well-known makers begin with.
	secretWord = regexp.MustCompile(`\b(gh[pousr]_|github_pat_|glpat-|sk-|xox[abprs]-|AKIA|AIza)[A-Za-z0-9_-]{8,}`)
)

// hideText hides who and with what in addresses, and tokens that look like one.
func hideText(s string) string {
	return secretWord.ReplaceAllString(userInAddress.ReplaceAllString(s, "${1}"+hidden+"@"), hidden)
}

// hideWords hides the values of options that sound like a secret:
// --token=VALUE, --token VALUE, TOKEN=VALUE, "Authorization: VALUE". A secret
// belongs into a file or a variable; who put one here shall not see it spread.
func hideWords(words []string) []string {
	out := slices.Clone(words)
	next := false
	for i, word := range out {
		at := strings.IndexAny(word, "=:")
		switch {
		case next && !strings.HasPrefix(word, "-"):
			out[i], next = hidden, false
		case at > 0 && secretName.MatchString(word[:at]):
			out[i], next = word[:at+1]+hidden, false
		default:
			next = at < 0 && strings.HasPrefix(word, "-") && secretName.MatchString(word)
		}
	}
	return out
}

// orderedJSON writes a tree as JSON, its keys in their order.
func orderedJSON(tree any) (json.RawMessage, error) {
	switch value := tree.(type) {
	case yaml.MapSlice:
		var b bytes.Buffer
		b.WriteByte('{')
		for i, item := range value {
			if i > 0 {
				b.WriteByte(',')
			}
			inner, err := orderedJSON(item.Value)
			if err != nil {
				return nil, err
			}
			key, _ := item.Key.(string)
			b.WriteString(strconv.Quote(key) + ":")
			b.Write(inner)
		}
		b.WriteByte('}')
		return b.Bytes(), nil
	case []any:
		parts := make([]json.RawMessage, len(value))
		for i := range value {
			inner, err := orderedJSON(value[i])
			if err != nil {
				return nil, err
			}
			parts[i] = inner
		}
		return plainJSON(parts)
	}
	return plainJSON(tree)
}

// plainJSON writes "<" as it is.
func plainJSON(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}

// lookUp finds a key such as scheduling.debounce or engines.my.engine.timeout in
// a tree: names may hold dots themselves. It returns the path, or nil.
func lookUp(tree any, key string) (value any, path []string, found bool) {
	if key == "" {
		return tree, nil, true
	}
	step := func(name string, inner any) bool {
		rest, ok := strings.CutPrefix(key, name)
		if !ok || rest != "" && rest[0] != '.' {
			return false
		}
		at, below, ok := lookUp(inner, strings.TrimPrefix(rest, "."))
		if ok {
			value, path, found = at, append([]string{name}, below...), true
		}
		return ok
	}
	switch tree := tree.(type) {
	case yaml.MapSlice:
		for _, item := range tree {
			if name, ok := item.Key.(string); ok && step(name, item.Value) {
				return value, path, true
			}
		}
	case []any:
		for i := range tree {
			if step(strconv.Itoa(i), tree[i]) {
				return value, path, true
			}
		}
	}
	return nil, nil, false
}

// keysOf lists every key of a tree, dotted.
func keysOf(tree any, prefix string) []string {
	var keys []string
	add := func(name string, inner any) {
		keys = append(keys, prefix+name)
		keys = append(keys, keysOf(inner, prefix+name+".")...)
	}
	switch tree := tree.(type) {
	case yaml.MapSlice:
		for _, item := range tree {
			if name, ok := item.Key.(string); ok {
				add(name, item.Value)
			}
		}
	case []any:
		for i := range tree {
			add(strconv.Itoa(i), tree[i])
		}
	}
	return keys
}

// isThere reports whether a key stands in a document.
func isThere(doc ast.Node, path []string) bool {
	for _, key := range path {
		if doc = child(doc, key); doc == nil {
			return false
		}
	}
	return true
}
