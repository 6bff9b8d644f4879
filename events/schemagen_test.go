package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The schemas of the payloads are written by `go test ./events -update` from the
// Go structs and their comments, and committed. A field without a comment of its
// own is described by what its name means everywhere (fieldWords), else by its
// type's comment.

// schemaNode is the part of JSON Schema that payloads need, in a fixed order.
type schemaNode struct {
	Schema      string     `json:"$schema,omitempty"`
	ID          string     `json:"$id,omitempty"`
	Comment     string     `json:"$comment,omitempty"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Ref         string     `json:"$ref,omitempty"`
	Type        any        `json:"type,omitempty"` // a name, or a list of them
	Enum        []any      `json:"enum,omitempty"`
	Format      string     `json:"format,omitempty"`
	Pattern     string     `json:"pattern,omitempty"`
	Items       any        `json:"items,omitempty"`
	Properties  schemaList `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
	Defs        schemaList `json:"$defs,omitempty"`
}

// schemaList is an object whose members keep their order.
type schemaList []namedSchema

type namedSchema struct {
	name string
	node *schemaNode
}

func (l schemaList) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, member := range l {
		if i > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(member.node)
		if err != nil {
			return nil, err
		}
		b.WriteString(strconv.Quote(member.name) + ":")
		b.Write(text)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// fieldWords describe fields by their stored names, which mean one thing
// everywhere.
var fieldWords = map[string]string{
	"accepted": "Whether the actor took the command.", "account": "The account that pays.", "added": "Lines added.",
	"approve": "Whether an APPROVE stays one; false makes it a COMMENT.", "artifact": "Digest of what is kept of the engine's answer.",
	"attempt": "Serial of the lane's requests, or number of the try, from 1 (of a head: tries used before).",
	"author":  "Who opened the pull request.", "base": "The commit that the head is judged against.", "base_note": "Why the base is not the usual one; absent where it is.",
	"base_ref": "The base's branch.", "binary": "Whether git calls the file binary.", "blocking": "Findings that must be resolved.",
	"body": "The remark in full.", "boot": "The start of a process.", "breaker": "The account's breaker.", "category": "The remark's category.",
	"cause": "What was reported, in words.", "children": "The reasons below.", "confidence": "How sure the figure is.",
	"cost_usd": "The cost in US dollars.", "counts": "Findings by severity.", "deadline": "When its time is up.", "debounce_ms": "Quiet time after a push, in milliseconds.",
	"dedupe": "The dedupe_key of semantics 13.1: 16 hex digits.", "deleted": "Lines deleted.", "diff_print": "SHA-256 of git's diff of merge base and head.",
	"enabled": "Whether the repository is reviewed.", "engine": "The engine's name in the configuration.", "engine_version": "What answered, with its version.",
	"engines": "The engines that review, by name.", "epoch": "Number of the breaker's openings.", "estimate_tokens": "Tokens that are reserved before it starts.",
	"events": "The events behind it.", "existing": "Whether it was found there.", "file": "The file.", "files": "The changed files.",
	"finding": "The remark.", "from": "What it was before.", "to": "What it is now.", "findings": "Number of remarks that count.", "fingerprint": "The finding_hash of semantics 13.1: 12 hex digits.",
	"fingerprints": "The findings, by fingerprint.", "first_push": "The first of the pushes that this one answers.", "generation": "The lease's fencing number: a result with another one is refused.",
	"hash": "The event's hash.", "head": "The commit that is judged.", "heads": "The streams that changed, with their last events.", "host": "The forge's host.",
	"input_tokens": "Tokens that went in.", "key": "Sort key: the line's order.", "kind": "Of what kind it is.", "lane": "The lane within its run.", "lanes": "The lanes, side by side.",
	"lease": "Until when the slot is its own.", "line_end": "Last line; 1-based in the head.", "lines": "Lines of the change.", "max_run_tokens": "Most tokens that a run may hold and use; absent = no limit.", "max_runs": "Most runs at once.",
	"merge_base": "Where head and base parted.", "message": "What went wrong, in words.", "model": "The model; absent where the engine has none.", "new": "Whether the pull request saw it for the first time.",
	"next": "When it is tried again.", "next_at": "When it is due again.", "nitpick": "Remarks of taste.", "not_before": "It is not taken up earlier.", "number": "The number on the repository or pull request, from 1.",
	"numbers": "The findings' numbers.", "outcome": "How it ended.", "output_tokens": "Tokens that came out.", "owner": "The boot whose business it is, or any.", "path": "The file's name.",
	"path_base64": "The name's bytes, where it is not UTF-8.", "phase": "preliminary or final.", "placement": "Whether it stands inline at its lines or in the body.", "placement_reason": "Why it cannot stand inline.", "status": "What it is like.", "pool": "The pool of slots: a model family.", "pr": "The pull request's stream.", "priority": "A smaller number is served earlier.",
	"queued_at": "Since when it waits.", "rank": "Sort key in the lines of account and pool.", "reason": "Why, in words.", "receipt": "The forge's id of the review.", "ref": "The branch, or the range, that is judged.",
	"repo": "The repository's name for people.", "repo_id": "The forge's id of the repository, which a new name does not change.", "request_changes_at": "Severity from which on changes are requested.", "reserved": "Tokens that were held.",
	"reset": "When the limit is over; absent = unknown.", "role": "What the session is for.", "rule": "The rule.", "rules": "The Rules value, by actor.", "run": "The run.", "sandbox": "What held the engine.", "scope": "What it is about: empty = everything.",
	"session_tokens": "Most tokens in any 5 hours; 0 = no limit.", "settings": "What the head is judged under.", "severity": "How heavy it is.", "size": "Number of slots.", "skipped": "Files that were not fully reviewed.", "slot": "The slot, from 0.",
	"spent_at": "The time that the spend is dated at.", "step": "The stage of the run.", "steps": "The stages, one after the other.", "stream": "The stream.", "suggestion": "Text to put in its place, or the number of suggestions.",
	"summary": "The engine's summary.", "target": "Where it goes.", "text": "What the rule said.", "ticket": "What the fleet knows of the run.", "timeout_ms": "Most milliseconds of one attempt.", "title": "The title.", "tokens": "Number of tokens.",
	"tries": "Number of tries.", "trigger": "Why it is to be judged.", "try": "Number of the try, from 1.", "until": "Until when.", "url": "Its address.", "usage": "What it used.", "used": "Tokens that were used.", "verdict": "The judgement.", "version": "The event's place in its stream.",
	"weekly_tokens": "Most tokens in any 7 days; 0 = no limit.", "why": "Why, in words or as a tree of reasons.", "withheld": "Number of remarks that are not part of the review.", "by": "What took its place.",
}

// closedTypes have no values but their constants.
var closedTypes = []string{"AbandonCause", "Confidence", "FailureKind", "Outcome", "Placement", "Priority", "Severity", "HoldCause", "Target", "Trigger", "Verdict"}

// goSource is what the package's own source says about its types.
type goSource struct {
	docs   map[string]string // "Type" and "Type.Field" -> comment
	values map[string][]any  // "Type" -> its constants
}

func readSource(t *testing.T) *goSource {
	t.Helper()
	src := &goSource{docs: map[string]string{}, values: map[string][]any{}}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			if general, ok := decl.(*ast.GenDecl); ok {
				src.read(general)
			}
		}
	}
	return src
}

func (src *goSource) read(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			doc := sentence(spec.Name.Name, spec.Doc, spec.Comment)
			if doc == "" {
				doc = sentence(spec.Name.Name, decl.Doc)
			}
			src.docs[spec.Name.Name] = doc
			if body, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range body.Fields.List {
					for _, name := range field.Names {
						src.docs[spec.Name.Name+"."+name.Name] = sentence("", field.Doc, field.Comment)
					}
				}
			}
		case *ast.ValueSpec:
			typ, ok := spec.Type.(*ast.Ident)
			if !ok || decl.Tok != token.CONST || !slices.Contains(closedTypes, typ.Name) {
				continue
			}
			for _, value := range spec.Values {
				if literal, ok := value.(*ast.BasicLit); ok {
					src.values[typ.Name] = append(src.values[typ.Name], constant(literal))
				}
			}
		}
	}
}

func constant(literal *ast.BasicLit) any {
	if literal.Kind == token.INT {
		n, _ := strconv.Atoi(literal.Value) // the parser has read it as a number
		return n
	}
	s, _ := strconv.Unquote(literal.Value)
	return s
}

// sentence makes one of a comment: without the name it begins with.
func sentence(name string, comments ...*ast.CommentGroup) string {
	for _, group := range comments {
		text := strings.Join(strings.Fields(group.Text()), " ")
		for _, lead := range []string{name + ": ", name + " is ", name + " says ", name + " "} {
			if rest, found := strings.CutPrefix(text, lead); found && name != "" {
				text = rest
				break
			}
		}
		if text != "" {
			text = strings.ToUpper(text[:1]) + text[1:]
			return strings.TrimSuffix(text, ".") + "."
		}
	}
	return ""
}

// schemaOf describes a payload.
func (src *goSource) schemaOf(p Payload) (*schemaNode, error) {
	typ := reflect.TypeOf(p)
	defs := &schemaList{}
	node, err := src.object(typ, defs)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Type(), err)
	}
	node.Schema = "https://json-schema.org/draft/2020-12/schema"
	node.ID = "urn:reviewctl:event:" + string(p.Type()) + ":" + strconv.Itoa(Revision)
	node.Comment = "Generated by: go test ./events -update. DO NOT EDIT. A reader passes over properties that it does not know."
	node.Title = string(p.Type())
	node.Description = src.docs[typ.Name()]
	node.Defs = *defs
	return node, nil
}

func (src *goSource) object(typ reflect.Type, defs *schemaList) (*schemaNode, error) {
	node := &schemaNode{Type: "object"}
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		value, err := src.value(f.Type, defs)
		if err != nil {
			return nil, err
		}
		if options == "" {
			node.Required = append(node.Required, name)
			if f.Type.Kind() == reflect.Slice {
				value.Type = []string{"array", "null"}
			}
		}
		if value.Description = src.docs[typ.Name()+"."+f.Name]; value.Description == "" {
			value.Description = fieldWords[name]
		}
		if value.Description == "" {
			return nil, fmt.Errorf("nobody says what %s.%s (%s) is: give the field a comment", typ.Name(), f.Name, name)
		}
		node.Properties = append(node.Properties, namedSchema{name, value})
	}
	return node, nil
}

func (src *goSource) value(typ reflect.Type, defs *schemaList) (*schemaNode, error) {
	switch typ {
	case timeType:
		return &schemaNode{Type: "string", Format: "date-time"}, nil
	case jsonType:
		return &schemaNode{}, nil
	case refType:
		return &schemaNode{Type: "string", Pattern: `^([^@]+@[0-9]+)?$`}, nil
	case hashType:
		return &schemaNode{Type: "string", Pattern: `^[0-9a-f]{64}$`}, nil
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return src.value(typ.Elem(), defs)
	case reflect.String:
		return &schemaNode{Type: "string", Enum: src.values[typ.Name()]}, nil
	case reflect.Int, reflect.Int64:
		return &schemaNode{Type: "integer", Enum: src.values[typ.Name()]}, nil
	case reflect.Float64:
		return &schemaNode{Type: "number"}, nil
	case reflect.Bool:
		return &schemaNode{Type: "boolean"}, nil
	case reflect.Slice:
		items, err := src.value(typ.Elem(), defs)
		return &schemaNode{Type: "array", Items: items}, err
	case reflect.Struct:
		return src.named(typ, defs)
	default:
		return nil, fmt.Errorf("a payload must not hold a %s", typ)
	}
}

// named puts a struct among the definitions, once.
func (src *goSource) named(typ reflect.Type, defs *schemaList) (*schemaNode, error) {
	ref := &schemaNode{Ref: "#/$defs/" + typ.Name()}
	for _, known := range *defs {
		if known.name == typ.Name() {
			return ref, nil
		}
	}
	place := &schemaNode{} // there before its fields: a Reason holds Reasons
	*defs = append(*defs, namedSchema{typ.Name(), place})
	node, err := src.object(typ, defs)
	if err != nil {
		return nil, err
	}
	*place = *node
	place.Description = src.docs[typ.Name()]
	return ref, nil
}

// text is the file's content.
func (n *schemaNode) text() ([]byte, error) {
	compact, err := json.Marshal(n)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, unescapeHTML(compact), "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

func unescapeHTML(b []byte) []byte {
	return []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b)))
}

func writeFile(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
