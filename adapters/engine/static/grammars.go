package static

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v4"
)

// lineAt is the line, from 1, of an offset.
func lineAt(body []byte, offset int) int {
	return 1 + bytes.Count(body[:min(max(offset, 0), len(body))], []byte("\n"))
}

// parseGo takes the offset, because a //line comment may say any line.
func parseGo(body []byte) *fault {
	_, err := parser.ParseFile(token.NewFileSet(), "", body, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return nil
	}
	return &fault{line: lineAt(body, list[0].Pos.Offset), message: list[0].Msg}
}

func parseJSON(body []byte) *fault {
	var raw json.RawMessage
	err := json.Unmarshal(body, &raw)
	var wrong *json.SyntaxError
	if !errors.As(err, &wrong) {
		return nil
	}
	return &fault{line: lineAt(body, int(wrong.Offset)-1), message: wrong.Error()}
}

// parseYAML reads the documents of a file as nodes, without writing out aliases.
// It is actionlint's library: goccy/go-yaml needs a time that grows with the
// square of a mapping's keys (1.3 s for 12,000), and a change may have many.
func parseYAML(body []byte) *fault {
	d := yaml.NewDecoder(bytes.NewReader(body))
	for {
		var node yaml.Node
		err := d.Decode(&node)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			f := &fault{message: err.Error()}
			var wrong *yaml.ParserError
			if errors.As(err, &wrong) {
				f.line, f.message = wrong.Line, wrong.Message
			}
			return f
		}
	}
}

func parseTOML(body []byte) *fault {
	var all any
	err := toml.Unmarshal(body, &all)
	var wrong *toml.DecodeError
	if !errors.As(err, &wrong) {
		return nil
	}
	line, _ := wrong.Position()
	return &fault{line: line, message: wrong.Error()}
}

// parseXML leaves out what it cannot judge: other encodings, and documents that
// define entities of their own.
func parseXML(body []byte) *fault {
	if bytes.Contains(body, []byte("<!ENTITY")) {
		return nil
	}
	d := xml.NewDecoder(bytes.NewReader(body))
	d.Entity = xml.HTMLEntity
	otherCharset := false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) {
		otherCharset = true
		return in, nil
	}
	for {
		_, err := d.Token()
		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) {
			break
		}
		return xmlFault(err, otherCharset)
	}
	return nil
}

func xmlFault(err error, otherCharset bool) *fault {
	var wrong *xml.SyntaxError
	if otherCharset || !errors.As(err, &wrong) {
		return nil
	}
	return &fault{line: wrong.Line, message: strings.TrimSpace(wrong.Msg)}
}
