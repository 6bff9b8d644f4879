package main

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// ParseConfig reads a file's text over what config already says.
func ParseConfig(config *Config, file string, text []byte) error {
	doc, err := parseYAML(file, text)
	if err != nil || doc == nil {
		return err
	}
	if err := decodeStrict(file, doc, config); err != nil {
		return err
	}
	config.File = file
	if err := config.validate(&located{file: file, root: doc}); err != nil {
		return err
	}
	if config.Policy.inline != nil {
		_, err = parsePolicyNode(file, config.Policy.inline)
	}
	return err
}

// parseYAML returns the one document of a file, or nil where it is empty.
func parseYAML(file string, text []byte) (doc ast.Node, err error) {
	defer recoverParser(file, &err)
	parsed, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, yamlError(file, err)
	}
	for _, d := range parsed.Docs {
		switch {
		case d.Body == nil, d.Body.Type() == ast.NullType, d.Body.Type() == ast.CommentType:
		case doc != nil:
			return nil, configError(file, d.Body.GetToken(), "a second document", "keep one document in the file")
		default:
			doc = d.Body
		}
	}
	return doc, nil
}

// decodeStrict fills a struct and refuses keys that it does not have.
func decodeStrict(file string, node ast.Node, into any) (err error) {
	defer recoverParser(file, &err)
	if unknown := unknownKeys(file, node, reflect.TypeOf(into)); len(unknown) > 0 {
		return unknown[0]
	}
	if err := yaml.NodeToValue(node, into, yaml.Strict()); err != nil {
		return yamlError(file, err)
	}
	return nil
}

// recoverParser makes an error of a panic in the YAML library, whose parser has
// had some on text that is not YAML.
func recoverParser(file string, err *error) {
	if r := recover(); r != nil {
		*err = configError(file, nil, "this is not YAML that can be read", "see that it is YAML")
	}
}

// yamlError turns the library's complaint into ours.
func yamlError(file string, err error) error {
	var known yaml.Error
	if !errors.As(err, &known) {
		return configError(file, nil, err.Error(), "see schemas/config.schema.json for the keys and their values")
	}
	remedy := "see schemas/config.schema.json for the keys and their values"
	what := known.GetMessage()
	var mistyped *yaml.TypeError
	var misshaped *yaml.UnexpectedNodeTypeError
	switch {
	case errors.As(err, &misshaped):
		what = fmt.Sprintf("a %s is wanted here", strings.ToLower(misshaped.Expected.String()))
	case errors.As(err, &mistyped):
		what = fmt.Sprintf("%q is not %s", mistyped.Token.Value, kindInWords(mistyped.DstType))
	}
	return configError(file, known.GetToken(), what, remedy)
}

// configError is an error at a place of a file.
func configError(file string, at *token.Token, what, remedy string) *CLIError {
	place := file
	if at != nil && at.Position != nil {
		place = fmt.Sprintf("%s:%d:%d", file, at.Position.Line, at.Position.Column)
	}
	return &CLIError{Code: CodeConfig, What: what, Subject: place, Remedy: remedy}
}

func kindInWords(t reflect.Type) string {
	if t == nil {
		return "what belongs here"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Struct, reflect.Map:
		return "a mapping"
	case reflect.Slice:
		return "a list"
	case reflect.String:
		return "a text"
	}
	return "a " + t.String()
}

// Duration is a Go duration in YAML: 30m, 250ms, 0.
type Duration time.Duration

// UnmarshalYAML reads it.
func (d *Duration) UnmarshalYAML(node ast.Node) error {
	text, err := scalar(node, "a duration such as 30m or 250ms")
	if err != nil {
		return err
	}
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return &yaml.SyntaxError{Message: fmt.Sprintf("%q is not a duration such as 30m or 250ms", text), Token: node.GetToken()}
	}
	*d = Duration(parsed)
	return nil
}

// Size is a number of tokens in YAML: 400k, 2m, 1500.
type Size int64

// SizeMax bounds a size.
const SizeMax Size = 1_000_000_000_000

// UnmarshalYAML reads it.
func (s *Size) UnmarshalYAML(node ast.Node) error {
	text, err := scalar(node, "a size such as 400k or 2m")
	if err != nil {
		return err
	}
	size, err := parseSize(text)
	if err != nil {
		return &yaml.SyntaxError{Message: err.Error(), Token: node.GetToken()}
	}
	*s = size
	return nil
}

func parseSize(text string) (Size, error) {
	digits, factor := text, 1.0
	switch {
	case strings.HasSuffix(text, "k"):
		digits, factor = strings.TrimSuffix(text, "k"), 1e3
	case strings.HasSuffix(text, "m"):
		digits, factor = strings.TrimSuffix(text, "m"), 1e6
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || strings.Trim(digits, "0123456789.") != "" || n*factor != math.Trunc(n*factor) {
		return 0, fmt.Errorf("%q is not a size such as 400k or 2m", text)
	}
	if n*factor > float64(SizeMax) {
		return 0, fmt.Errorf("%q is more than %d", text, SizeMax)
	}
	return Size(n * factor), nil
}

// PoolSizeConfig is a pool's size: a number, or auto.
type PoolSizeConfig struct {
	Auto  bool
	Slots int
}

// UnmarshalYAML reads it.
func (p *PoolSizeConfig) UnmarshalYAML(node ast.Node) error {
	const want = "a number of slots, or auto"
	text, err := scalar(node, want)
	if err != nil {
		return err
	}
	if text == "auto" {
		*p = PoolSizeConfig{Auto: true}
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < PoolSlotsMin || n > PoolSlotsMax {
		return &yaml.SyntaxError{Message: fmt.Sprintf("%q is not %s (%d to %d)", text, want, PoolSlotsMin, PoolSlotsMax), Token: node.GetToken()}
	}
	*p = PoolSizeConfig{Slots: n}
	return nil
}

// UnmarshalYAML reads a path, or keeps the policy itself for later.
func (p *PolicySource) UnmarshalYAML(node ast.Node) error { //nolint:unparam // the interface has the error
	if text, ok := node.(*ast.StringNode); ok {
		*p = PolicySource{Path: text.Value}
		return nil
	}
	*p = PolicySource{inline: node}
	return nil
}

// scalar returns a plain value's text.
func scalar(node ast.Node, want string) (string, error) {
	switch node := node.(type) {
	case *ast.StringNode:
		return node.Value, nil
	case *ast.IntegerNode, *ast.FloatNode:
		return node.GetToken().Value, nil
	}
	return "", &yaml.SyntaxError{Message: "this is not " + want, Token: node.GetToken()}
}
