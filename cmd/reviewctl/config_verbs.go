package main

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/reviewctl/reviewctl/adapters/engine"
)

// ConfigCheckAnswer is what `config check` prints.
type ConfigCheckAnswer struct {
	File     string          `json:"file"` // "" = there is none: the built-in defaults hold
	OK       bool            `json:"ok"`
	Problems []ConfigProblem `json:"problems"`
}

// ConfigProblem is one thing that is wrong.
type ConfigProblem struct {
	At      string `json:"at"` // FILE:LINE:COLUMN, or FILE where no line is to blame
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

// Run checks the configuration, and the policy that it names.
func (c *ConfigCheckCmd) Run(app *App) error {
	file, err := findConfig(app.Config, app.Env)
	if err != nil {
		return err
	}
	answer := ConfigCheckAnswer{File: file, Problems: []ConfigProblem{}}
	config, err := DefaultConfig(app.Env)
	if err != nil {
		return err
	}
	if file != "" {
		text, err := readBounded(file)
		if err != nil {
			return err
		}
		found := findProblems(config, file, text)
		for _, problem := range found {
			answer.Problems = append(answer.Problems, ConfigProblem{At: problem.Subject, Message: problem.What, Remedy: problem.Remedy})
		}
	}
	answer.OK = len(answer.Problems) == 0
	if err := app.Print.Answer(&answer); err != nil {
		return err
	}
	if !answer.OK {
		return ErrAnswerNo
	}
	return nil
}

// findProblems returns everything that is wrong with a file: what cannot be
// read hides what would be wrong behind it, else all is named at once.
func findProblems(config *Config, file string, text []byte) []*CLIError {
	problems := cliErrors(ParseConfig(config, file, text))
	if doc, err := parseYAML(file, text); err == nil && doc != nil {
		problems = append(problems, unknownKeys(file, doc, reflect.TypeFor[Config]())...)
	}
	if len(problems) == 0 {
		_, err := config.ReadPolicy("")
		problems = cliErrors(err)
	}
	slices.SortStableFunc(problems, byPlace)
	seen := map[string]bool{}
	return slices.DeleteFunc(problems, func(p *CLIError) bool {
		key := p.Subject + "\x00" + p.What
		again := seen[key]
		seen[key] = true
		return again
	})
}

// byPlace orders problems by line and column; those without a place come first.
func byPlace(a, b *CLIError) int {
	var at [2][2]int
	for i, p := range []*CLIError{a, b} {
		parts := strings.Split(p.Subject, ":")
		if len(parts) < 3 {
			continue
		}
		at[i][0], _ = strconv.Atoi(parts[len(parts)-2]) // 0 where it is no place
		at[i][1], _ = strconv.Atoi(parts[len(parts)-1])
	}
	return cmp.Or(cmp.Compare(at[0][0], at[1][0]), cmp.Compare(at[0][1], at[1][1]))
}

// cliErrors takes joined errors apart.
func cliErrors(err error) []*CLIError {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok { // it is errors.Join's own
		var out []*CLIError
		for _, inner := range joined.Unwrap() {
			out = append(out, cliErrors(inner)...)
		}
		return out
	}
	var known *CLIError
	if errors.As(err, &known) {
		return []*CLIError{known}
	}
	return []*CLIError{Explain(err)}
}

func (a *ConfigCheckAnswer) text(p *Printer) string {
	file := Plain(a.File)
	if file == "" {
		file = "no file: the built-in defaults"
	}
	if a.OK {
		return file + ": good\n"
	}
	var b strings.Builder
	for _, problem := range a.Problems {
		fmt.Fprintf(&b, "%s: %s\n  → %s\n", p.bold(Plain(problem.At)), Plain(problem.Message), Plain(problem.Remedy))
	}
	return b.String()
}

// Run prints the effective configuration: YAML that `config check` takes, or the
// same as JSON.
func (c *ConfigShowCmd) Run(app *App) error {
	config, err := LoadConfig(app.Globals, app.Env)
	if err != nil {
		return err
	}
	tree, err := configTree(config)
	if err != nil {
		return err
	}
	if app.JSON {
		text, err := orderedJSON(tree)
		if err != nil {
			return err
		}
		return app.Print.Text(string(text) + "\n")
	}
	text, err := yaml.MarshalWithOptions(tree, yaml.IndentSequence(true))
	if err != nil {
		return err
	}
	from := "the built-in defaults"
	if config.File != "" {
		from = config.File
	}
	return app.Print.Text("# from " + strings.ReplaceAll(Plain(from), "\n", " ") + "\n" + Plain(string(text)))
}

// ConfigExplainAnswer is what `config explain` prints.
type ConfigExplainAnswer struct {
	Key     string `json:"key"`
	Value   any    `json:"value"`
	Source  string `json:"source"` // "default", "file", "environment" or "flag"
	Where   string `json:"where"`  // FILE:LINE:COLUMN, the variable, or the flag; "" = built in
	Meaning string `json:"meaning"`
	Default any    `json:"default"` // nil = it has none of its own

	Keys []ConfigKey `json:"keys,omitempty"` // what stands below it, of a mapping with keys that are known
}

// ConfigKey is one key below another.
type ConfigKey struct {
	Key     string `json:"key"`
	Value   any    `json:"value"`
	Meaning string `json:"meaning"`
}

// The sources of a value.
const (
	SourceDefault     = "default"
	SourceFile        = "file"
	SourceEnvironment = "environment"
	SourceFlag        = "flag"
)

// Run says what a key is, where it came from, and what it means.
func (c *ConfigExplainCmd) Run(app *App) error {
	config, err := LoadConfig(app.Globals, app.Env)
	if err != nil {
		return err
	}
	tree, err := configTree(config)
	if err != nil {
		return err
	}
	value, path, found := lookUp(tree, c.Key)
	if !found || len(path) == 0 {
		return unknownConfigKey(c.Key, tree)
	}
	answer := ConfigExplainAnswer{Key: c.Key, Source: SourceDefault}
	text, err := orderedJSON(value)
	if err != nil {
		return err
	}
	answer.Value = text
	answer.Meaning, answer.Default = meaningOf(path)
	if answer.Keys, err = keysBelow(value, path); err != nil {
		return err
	}
	if err := answer.find(app, config, path); err != nil {
		return err
	}
	return app.Print.Answer(&answer)
}

// keysBelow lists the keys of a mapping, with what each means.
func keysBelow(value any, path []string) ([]ConfigKey, error) {
	below, ok := value.(yaml.MapSlice)
	if !ok {
		return nil, nil
	}
	var keys []ConfigKey
	for _, item := range below {
		name, ok := item.Key.(string)
		if !ok {
			continue
		}
		text, err := orderedJSON(item.Value)
		if err != nil {
			return nil, err
		}
		meaning, _ := meaningOf(append(slices.Clone(path), name))
		keys = append(keys, ConfigKey{Key: name, Value: text, Meaning: meaning})
	}
	return keys, nil
}

// find says where the value came from: the last that spoke. (LoadConfig's order)
func (a *ConfigExplainAnswer) find(app *App, config *Config, path []string) error {
	if a.Key == "store" {
		switch {
		case app.Store != "":
			a.Source, a.Where = SourceFlag, "--store"
			return nil
		case app.Env(EnvStore) != "":
			a.Source, a.Where = SourceEnvironment, EnvStore
			return nil
		}
	}
	if config.File == "" {
		return nil
	}
	text, err := readBounded(config.File)
	if err != nil {
		return err
	}
	doc, err := parseYAML(config.File, text)
	if err != nil || doc == nil || !isThere(doc, path) {
		return err
	}
	a.Source = SourceFile
	a.Where = placeOf(config.File, doc, path)
	return nil
}

func placeOf(file string, doc ast.Node, path []string) string {
	at := (&located{file: file, root: doc}).at(path...)
	return configError(file, at, "", "").Subject
}

// nearKeysMax bounds the keys that are proposed for a mistyped one.
const nearKeysMax = 3

func unknownConfigKey(key string, tree yaml.MapSlice) error {
	keys := keysOf(tree, "")
	slices.SortStableFunc(keys, func(a, b string) int { return nearness(key, a) - nearness(key, b) })
	remedy := "reviewctl config show lists the keys"
	if near := keys[:min(len(keys), nearKeysMax)]; nearness(key, near[0]) <= max(2, len(key)/3) {
		remedy = "did you mean " + strings.Join(slices.DeleteFunc(near, func(k string) bool {
			return nearness(key, k) > max(2, len(key)/3)
		}), ", ") + "?"
	}
	return &CLIError{Code: CodeNotFound, What: "no such key", Subject: key, Remedy: remedy}
}

// nearness is how far a key is from what was typed: its whole, or its last word.
func nearness(typed, key string) int {
	last := key[strings.LastIndexByte(key, '.')+1:]
	return min(engine.EditDistance(typed, key), engine.EditDistance(typed, last)+1)
}

func (a *ConfigExplainAnswer) text(p *Printer) string {
	var b strings.Builder
	value, _ := orderedJSON(a.Value) // it was JSON already
	fmt.Fprintf(&b, "%s: %s\n", p.bold(Plain(a.Key)), Plain(string(value)))
	from := a.Source
	if a.Where != "" {
		from += " (" + Plain(a.Where) + ")"
	}
	fmt.Fprintf(&b, "from: %s\n%s\n", from, a.Meaning)
	if a.Default != nil && a.Source != SourceDefault {
		fmt.Fprintf(&b, "default: %s\n", jsonText(a.Default))
	}
	for _, k := range a.Keys {
		value, _ := orderedJSON(k.Value) // it was JSON already
		fmt.Fprintf(&b, "\n%s: %s\n  %s\n", p.bold(Plain(k.Key)), Plain(string(value)), k.Meaning)
	}
	return b.String()
}
