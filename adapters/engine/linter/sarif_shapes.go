package linter

import (
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// sarifLocation names a file. (SARIF 3.4)
type sarifLocation struct {
	URI   string `json:"uri"`
	Base  string `json:"uriBaseId"`
	Index *int   `json:"index"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifMessage struct {
	Text      string   `json:"text"`
	Markdown  string   `json:"markdown"`
	ID        string   `json:"id"`
	Arguments []string `json:"arguments"`
}

type sarifNotification struct {
	Level   string       `json:"level"`
	Message sarifMessage `json:"message"`
}

// sarifComponent is a tool's driver or one of its extensions. (SARIF 3.19)
type sarifComponent struct {
	Name     string      `json:"name"`
	Version  string      `json:"version"`
	Semantic string      `json:"semanticVersion"`
	Rules    []sarifRule `json:"rules"`
	byID     map[string]*sarifRule
}

type sarifRule struct {
	ID            string                  `json:"id"`
	Short         sarifMessage            `json:"shortDescription"`
	Full          sarifMessage            `json:"fullDescription"`
	Help          string                  `json:"helpUri"`
	Messages      map[string]sarifMessage `json:"messageStrings"`
	Configuration struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
	Properties struct {
		Tags     []string `json:"tags"`
		Security any      `json:"security-severity"`
	} `json:"properties"`
}

type sarifFix struct {
	Changes []struct {
		Artifact     sarifLocation `json:"artifactLocation"`
		Replacements []struct {
			Deleted  sarifRegion  `json:"deletedRegion"`
			Inserted sarifMessage `json:"insertedContent"`
		} `json:"replacements"`
	} `json:"artifactChanges"`
}

type sarifResult struct {
	RuleID    string `json:"ruleId"`
	RuleIndex *int   `json:"ruleIndex"`
	Rule      struct {
		ID        string `json:"id"`
		Index     *int   `json:"index"`
		Component struct {
			Index *int `json:"index"`
		} `json:"toolComponent"`
	} `json:"rule"`
	Kind      string       `json:"kind"`
	Level     string       `json:"level"`
	Message   sarifMessage `json:"message"`
	Locations []struct {
		Physical struct {
			Artifact sarifLocation `json:"artifactLocation"`
			Region   sarifRegion   `json:"region"`
		} `json:"physicalLocation"`
	} `json:"locations"`
	Suppressions []struct {
		Status        string `json:"status"`
		Justification string `json:"justification"`
	} `json:"suppressions"`
	Baseline string     `json:"baselineState"`
	Fixes    []sarifFix `json:"fixes"`
}

func (c *sarifComponent) version() string {
	if c.Version != "" {
		return c.Version
	}
	return c.Semantic
}

// bounded cuts a component to what is held of it, and finds its rules.
func (c sarifComponent) bounded() sarifComponent {
	c.Rules = c.Rules[:min(len(c.Rules), rulesMax)]
	c.byID = make(map[string]*sarifRule, len(c.Rules))
	for i := range c.Rules {
		r := &c.Rules[i]
		r.Short.Text, r.Full.Text = cut(r.Short.Text, aboutMax), cut(r.Full.Text, aboutMax)
		if _, known := c.byID[r.ID]; !known {
			c.byID[r.ID] = r
		}
	}
	return c
}

// noRule is the rule of a result that names none.
var noRule = &sarifRule{}

// rule finds a result's rule and its id. An id may be hierarchical: the rule's
// own and parts behind it. (SARIF 3.27.5 to 3.27.7)
func (run *sarifRun) rule(result *sarifResult) (string, *sarifRule) {
	id := result.RuleID
	if id == "" {
		id = result.Rule.ID
	}
	in := &run.tool
	if i := result.Rule.Component.Index; i != nil && *i >= 0 && *i < len(run.extensions) {
		in = &run.extensions[*i]
	}
	index := result.RuleIndex
	if index == nil {
		index = result.Rule.Index
	}
	if index != nil && *index >= 0 && *index < len(in.Rules) {
		rule := &in.Rules[*index]
		if id == "" {
			id = rule.ID
		}
		return id, rule
	}
	for name := id; name != "" && name != "."; name = path.Dir(name) {
		if rule, ok := in.byID[name]; ok {
			return id, rule
		}
		if !strings.Contains(name, "/") {
			break
		}
	}
	return id, noRule
}

// about is the rule's description and address.
func (r *sarifRule) about() string {
	text := r.Full.Text
	if text == "" {
		text = r.Short.Text
	}
	if r.Help != "" {
		text += "\n\n" + cut(r.Help, aboutMax)
	}
	return strings.TrimSpace(text)
}

func (r *sarifRule) isSecurity() bool {
	for _, tag := range r.Properties.Tags {
		if strings.EqualFold(tag, "security") || strings.HasPrefix(tag, "external/cwe/") {
			return true
		}
	}
	return r.Properties.Security != nil
}

var (
	placeholder = regexp.MustCompile(`\{\{|\}\}|\{\d{1,4}\}`)
	embedded    = regexp.MustCompile(`\[([^\[\]]{1,500})\]\(\d{1,6}\)`)
)

// text is the message, with its arguments, and without links to places of the
// report. (SARIF 3.11)
func (m *sarifMessage) text(rule *sarifRule) string {
	text := m.Text
	if text == "" && m.ID != "" {
		text = rule.Messages[m.ID].Text
	}
	if text == "" {
		text = m.Markdown
	}
	text = cutWord(text, messageMax)
	if len(m.Arguments) > 0 {
		text = placeholder.ReplaceAllStringFunc(text, func(p string) string {
			if p == "{{" || p == "}}" {
				return p[:1]
			}
			n, err := strconv.Atoi(p[1 : len(p)-1])
			if err != nil || n >= len(m.Arguments) {
				return p
			}
			return cut(m.Arguments[n], aboutMax)
		})
	}
	return embedded.ReplaceAllString(text, "$1")
}

// lines are the region's first and last line. A last line of which nothing
// belongs to the region is not one of them. (SARIF 3.30.8)
func (g *sarifRegion) lines() (start, end int) {
	start, end = g.StartLine, g.EndLine
	if end > start && g.EndColumn == 1 {
		end--
	}
	return start, max(start, end)
}

// basesMax bounds a chain of bases.
const basesMax = 8

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:`)

// files are the spellings of a location's name: as a URI says it, and as it
// stands for tools that do not escape. A base without an address of its own is
// the checkout.
func (run *sarifRun) files(at sarifLocation) []string {
	if i := at.Index; at.URI == "" && i != nil && *i >= 0 && *i < len(run.artifacts) {
		at = run.artifacts[*i]
	}
	if at.URI == "" {
		return nil
	}
	uri, base := cut(at.URI, nameMax), at.Base
	alone := uri
	for range basesMax {
		location, ok := run.bases[base]
		if !ok || isRooted(uri) {
			break
		}
		uri, base = strings.TrimSuffix(location.URI, "/")+"/"+uri, location.Base
		if location.URI == "" {
			uri = strings.TrimPrefix(uri, "/")
		}
	}
	uri = cut(uri, 2*nameMax)
	names := []string{unescaped(uri), filePath(uri)}
	if alone != uri { // a base that is another machine's
		names = append(names, unescaped(alone), filePath(alone))
	}
	return names
}

func isRooted(uri string) bool { return strings.HasPrefix(uri, "/") || scheme.MatchString(uri) }

// filePath takes the scheme and host off a file's URI.
func filePath(uri string) string {
	rest, ok := cutPrefixFold(uri, "file:")
	if !ok {
		return uri
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		if i := strings.IndexByte(after, '/'); i >= 0 {
			return after[i:]
		}
		return after
	}
	return rest
}

func cutPrefixFold(text, prefix string) (string, bool) {
	if len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
		return text[len(prefix):], true
	}
	return text, false
}

func unescaped(uri string) string {
	name := filePath(uri)
	if plain, err := url.PathUnescape(name); err == nil {
		return plain
	}
	return name
}
