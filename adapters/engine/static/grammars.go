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

	"github.com/goccy/go-yaml"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/pelletier/go-toml/v2"
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

func parseYAML(body []byte) *fault {
	_, err := yamlparser.ParseBytes(body, 0)
	var wrong yaml.Error
	if !errors.As(err, &wrong) {
		return nil
	}
	f := &fault{line: 1, message: wrong.GetMessage()}
	if t := wrong.GetToken(); t != nil && t.Position != nil {
		f.line = t.Position.Line
	}
	return f
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
