package main

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/actors/pool"
	"github.com/reviewctl/reviewctl/adapters/engine"
	"github.com/reviewctl/reviewctl/events"
)

// Bounds of the keys.
const (
	PoolSlotsMin        = 1
	PoolSlotsMax        = pool.SizeMax
	MaxRunsMin          = 1
	MaxRunsMax          = fleet.MaxRunsMax
	PhaseParallelismMax = 64
	KeysMax             = 10_000
	LanesPerKeyMax      = 1_000
	CommandWordsMax     = 1_000
	DurationMax         = 24 * time.Hour // of debounce, poll interval and timeout
	PollIntervalMin     = 10 * time.Second
	TimeoutMin          = time.Second
)

// The kinds of engines.
const (
	KindStatic      = engine.KindStatic
	KindExec        = engine.KindExec
	KindErrorformat = engine.KindErrorformat
)

// kindsLater are known and come with a later version.
var kindsLater = []string{"claude", "codex", "gemini", "opencode"}

// EngineStatic is the name of the embedded engine, which needs no entry.
const EngineStatic = "static"

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// located finds the place of a key for a message.
type located struct {
	file string
	root ast.Node
}

// at returns the token of the deepest key on the way that is there.
func (l *located) at(keys ...string) *token.Token {
	node, found := l.root, l.root.GetToken()
	for _, key := range keys {
		next := child(node, key)
		if next == nil {
			break
		}
		node, found = next, next.GetToken()
	}
	return found
}

func child(node ast.Node, key string) ast.Node {
	switch node := node.(type) {
	case *ast.MappingNode:
		for _, value := range node.Values {
			if value.Key.GetToken().Value == key {
				return value.Value
			}
		}
	case *ast.MappingValueNode:
		if node.Key.GetToken().Value == key {
			return node.Value
		}
	case *ast.SequenceNode:
		if i, err := strconv.Atoi(key); err == nil && i < len(node.Values) {
			return node.Values[i]
		}
	case *ast.AnchorNode:
		return child(node.Value, key)
	}
	return nil
}

func (l *located) wrong(what, remedy string, keys ...string) error {
	return configError(l.file, l.at(keys...), strings.Join(keys, ".")+": "+what, remedy)
}

func between[T int | Size](l *located, v, low, high T, keys ...string) error {
	if v < low || v > high {
		return l.wrong(fmt.Sprintf("%v is out of bounds", v), fmt.Sprintf("give %v to %v", low, high), keys...)
	}
	return nil
}

func durationFrom(l *located, v Duration, low time.Duration, keys ...string) error {
	if d := time.Duration(v); d < low || d > DurationMax {
		return l.wrong(d.String()+" is out of bounds", fmt.Sprintf("give %s to %s", low, DurationMax), keys...)
	}
	return nil
}

// validate checks what YAML cannot say. Messages name key, value and bound. It
// returns all problems, joined: `config check` names each, other verbs the first.
func (c *Config) validate(l *located) error {
	return errors.Join(
		c.validateEngines(l), c.Static.validate(l), c.validateAccounts(l), c.validateRepositories(l), c.validateScheduling(l), c.validateAddresses(l), c.validateLimits(l), c.validateSpace(l),
	)
}

func (c *Config) validateEngines(l *located) error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(c.Engines)) {
		engine := c.Engines[name]
		if !namePattern.MatchString(name) {
			problems = append(problems, l.wrong("this is not an engine's name", "use letters, digits, . _ and -, at most 64", "engines", name))
			continue
		}
		problems = append(problems, engine.validate(l, name, c.Accounts), c.checkEnv(l, name, engine.Env))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Pools)) {
		if !namePattern.MatchString(name) {
			problems = append(problems, l.wrong("this is not a model family's name", "use letters, digits, . _ and -, at most 64", "pools", name))
		}
	}
	return errors.Join(problems...)
}

// checkEnv wants names, and never that of the forge's token: an engine reads what a
// stranger wrote. (case E24)
func (c *Config) checkEnv(l *located, name string, env []string) error {
	for _, variable := range env {
		switch {
		case !variablePattern.MatchString(variable):
			return l.wrong(fmt.Sprintf("%q is not the name of a variable", variable), "give names alone, for example env: [MY_KEY]", "engines", name, "env")
		case variable == c.GitHub.TokenEnv || strings.HasPrefix(variable, "REVIEWCTL_"):
			return l.wrong("no engine is given "+variable, "remove it", "engines", name, "env")
		}
	}
	return nil
}

// variablePattern is what names a variable of the environment.
var variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (e *EngineConfig) validate(l *located, name string, accounts map[string]AccountConfig) error {
	key := func(k string) []string { return []string{"engines", name, k} }
	_, paid := accounts[e.Account]
	switch {
	case slices.Contains(kindsLater, e.Kind):
		return l.wrong(fmt.Sprintf("kind %q is not supported yet by this version", e.Kind), "use kind exec, static, sarif, rdjsonl, checkstyle or errorformat", key("kind")...)
	case !engine.IsProgram(e.Kind) && e.Kind != KindStatic:
		return l.wrong(fmt.Sprintf("%q is not a kind of engine", e.Kind), "use kind exec, static, sarif, rdjsonl, checkstyle or errorformat", key("kind")...)
	case (name == EngineStatic) != (e.Kind == KindStatic):
		return l.wrong("the name static and the kind static belong together", "leave the entry out: the embedded engine needs none", key("kind")...)
	case e.Kind != KindStatic && (len(e.Command) == 0 || e.Command[0] == ""):
		return l.wrong("an engine of kind "+e.Kind+" needs a command", "give command: [program, argument…]", key("command")...)
	case e.Kind == KindStatic && len(e.Command) > 0:
		return l.wrong("the embedded engine takes no command", "remove the key", key("command")...)
	case e.Kind != KindErrorformat && len(e.Formats) > 0:
		return l.wrong("formats belong to kind errorformat", "remove the key", key("formats")...)
	case len(e.Command) > CommandWordsMax:
		return l.wrong(fmt.Sprintf("%d words are too many", len(e.Command)), fmt.Sprintf("give at most %d", CommandWordsMax), key("command")...)
	case e.Sandbox != "" && e.Sandbox != "strict":
		return l.wrong(fmt.Sprintf("%q is not a sandbox", e.Sandbox), "use strict, or remove the key", key("sandbox")...)
	case e.Model != "" && !namePattern.MatchString(string(e.PoolName(name))):
		return l.wrong(fmt.Sprintf("%q has no family before its first \"-\"", e.Model), "use the model's name", key("model")...)
	case e.Account != "" && e.Account != string(events.AccountUnmetered) && !paid:
		return l.wrong(fmt.Sprintf("there is no account %q", e.Account), "add it under accounts, or remove the key", key("account")...)
	}
	if e.Kind == KindErrorformat {
		if err := engine.CheckFormats(e.Formats); err != nil {
			return l.wrong(strings.TrimPrefix(err.Error(), "formats: "), `give vim's, for example formats: ["%f:%l:%c: %m"]`, key("formats")...)
		}
	}
	if e.Timeout == 0 {
		return nil
	}
	return durationFrom(l, e.Timeout, TimeoutMin, key("timeout")...)
}

func (c *Config) validateAccounts(l *located) error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(c.Accounts)) {
		a := c.Accounts[name]
		key := func(k string) []string { return []string{"accounts", name, k} }
		if !namePattern.MatchString(name) || name == string(events.AccountUnmetered) {
			problems = append(problems, l.wrong("this is not an account's name", "use letters, digits, . _ and -, at most 64; unmetered is taken", "accounts", name))
		}
		problems = append(problems,
			between(l, a.ReviewerSharePct, 0, 100, key("reviewer_share_pct")...),
			between(l, a.PerContributorPct, 0, 100, key("per_contributor_pct")...),
			between(l, a.Keys, 0, KeysMax, key("keys")...),
			between(l, a.LanesPerKey, 0, LanesPerKeyMax, key("lanes_per_key")...),
		)
	}
	return errors.Join(problems...)
}

func (c *Config) validateRepositories(l *located) error {
	seen := map[string]bool{}
	var problems []error
	for i := range c.Repositories {
		r := &c.Repositories[i]
		if seen[r.Name] {
			problems = append(problems, l.wrong(fmt.Sprintf("%q is there twice", r.Name), "keep one entry", "repositories", strconv.Itoa(i), "name"))
		}
		seen[r.Name] = true
		problems = append(problems, r.validate(l, i, c.Engines))
	}
	return errors.Join(problems...)
}

func (r *RepositoryConfig) validate(l *located, i int, engines map[string]EngineConfig) error {
	var problems []error
	wrong := func(what, remedy, key string) {
		problems = append(problems, l.wrong(what, remedy, "repositories", strconv.Itoa(i), key))
	}
	local := r.Path != ""
	if !isRepoName(r.Name) && (!local || !namePattern.MatchString(r.Name)) {
		wrong(fmt.Sprintf("%q is not a repository's name", r.Name), "give OWNER/REPO", "name")
	}
	if !local && len(r.Branches) > 0 {
		wrong("branches belong to a repository on this disk", "give its path, or remove the key", "branches")
	}
	for _, pattern := range r.Branches {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			wrong(fmt.Sprintf("%q is not a pattern", pattern), `give a pattern such as "feature/*"`, "branches")
		}
	}
	for _, engine := range r.Engines {
		if _, ok := engines[engine]; !ok && engine != EngineStatic {
			wrong(fmt.Sprintf("there is no engine %q", engine), "add it under engines", "engines")
		}
	}
	if r.Debounce != nil {
		problems = append(problems, durationFrom(l, *r.Debounce, 0, "repositories", strconv.Itoa(i), "debounce"))
	}
	problems = append(problems, validateExcluded(l, r.ExcludedPaths, "repositories", strconv.Itoa(i), "excluded_paths"))
	return errors.Join(problems...)
}

func (c *Config) validateScheduling(l *located) error {
	s := &c.Scheduling
	key := func(k string) []string { return []string{"scheduling", k} }
	return errors.Join(
		durationFrom(l, s.Debounce, 0, key("debounce")...),
		durationFrom(l, s.PollInterval, PollIntervalMin, key("poll_interval")...),
		between(l, s.MaxRuns, MaxRunsMin, MaxRunsMax, key("max_runs")...),
		between(l, s.PhaseParallelism, 0, PhaseParallelismMax, key("phase_parallelism")...),
		validateWords(l, s.SkipLabels, "skip_labels"), validateWords(l, s.IgnoredAuthors, "ignored_authors"),
	)
}

func (c *Config) validateAddresses(l *located) error {
	var problems []error
	wrong := func(what, remedy string, key ...string) { problems = append(problems, l.wrong(what, remedy, key...)) }
	_, port, err := net.SplitHostPort(c.Listen)
	if n, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || (n == 0 && port != "0") {
		wrong(fmt.Sprintf("%q is not an address to listen at", c.Listen), "give HOST:PORT, for example "+ListenDefault, "listen")
	}
	problems = append(problems, c.GitHub.validate(l))
	if _, err := SQLitePath(c.Store); err != nil {
		wrong(err.Error(), "use sqlite:PATH", "store")
	}
	return errors.Join(problems...)
}

// nearestKey returns the known key that a mistyped one is closest to, or "".
func nearestKey(key string) string {
	const farthest = 2
	best, distance := "", farthest+1
	for _, known := range knownKeys() {
		if d := engine.EditDistance(key, known); d < distance && 2*d < len(key) { // half of it is a slip at most
			best, distance = known, d
		}
	}
	return best
}

func knownKeys() []string {
	found := map[string]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		for t.Kind() == reflect.Map || t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct {
			return
		}
		for i := range t.NumField() {
			if name := t.Field(i).Tag.Get("yaml"); name != "" && name != "-" {
				found[name] = true
				walk(t.Field(i).Type)
			}
		}
	}
	walk(reflect.TypeFor[Config]())
	walk(reflect.TypeFor[Policy]())
	return slices.Sorted(maps.Keys(found))
}
