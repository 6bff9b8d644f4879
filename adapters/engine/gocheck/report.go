package gocheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/engine/static"
)

// said is one thing that a tool says.
type said struct {
	file string // in the tree, with slashes; "" = outside of it
	static.Fault
}

// report is what a run of a tool says.
type report struct {
	faults  []said
	broken  map[string]string // a folder whose package could not be looked at → why
	failure string            // why nothing, or not everything, could be looked at; "" = all was
}

// vetReport reads `go vet -json`: JSON on standard output, a package a document,
// and what does not compile on standard error.
func vetReport(tree, dir string, out *output) (*report, error) {
	r := &report{broken: map[string]string{}}
	d := json.NewDecoder(bytes.NewReader(out.stdout))
	for {
		var packages map[string]map[string]json.RawMessage
		err := d.Decode(&packages)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read go vet's report: %w", err)
		}
		for _, analyzers := range packages {
			for name, raw := range analyzers {
				var list []struct {
					Posn    string `json:"posn"`
					End     string `json:"end"`
					Message string `json:"message"`
				}
				if json.Unmarshal(raw, &list) != nil {
					continue // {"error": …} of an analyzer that could not run
				}
				for _, v := range list {
					file, line := position(v.Posn)
					_, end := position(v.End)
					r.faults = append(r.faults, said{inTree(tree, dir, file), static.Fault{
						Line: line, End: max(line, end), Rule: "go-vet:" + name, Message: v.Message,
					}})
				}
			}
		}
	}
	if out.exit != 0 {
		r.errors(tree, dir, string(out.stderr))
	}
	return r, nil
}

// compileLine is what the go command says of a line that does not compile.
var compileLine = regexp.MustCompile(`^(?:vet: )?(\S[^:]*\.go):(\d+)(?::\d+)?: (.+)$`)

// errors reads what the go command says on standard error. Only its first error of
// a package counts: the others follow from it.
func (r *report) errors(tree, dir, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		m := compileLine.FindStringSubmatch(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case m == nil:
			if r.failure == "" && !strings.HasPrefix(line, "exit status") {
				r.failure = line
			}
		default:
			file := inTree(tree, dir, m[1])
			if file == "" {
				if r.failure == "" {
					r.failure = m[3]
				}
				continue
			}
			folder := path.Dir(file)
			if r.broken[folder] != "" {
				continue
			}
			r.broken[folder] = m[3]
			number, _ := strconv.Atoi(m[2]) // digits alone; 0 is no line that was added
			rule := "go-compile"
			if isMissing(m[3]) {
				continue
			}
			r.faults = append(r.faults, said{file, static.Fault{Line: number, End: number, Rule: rule, Message: m[3]}})
		}
	}
	if r.failure == "" && len(r.broken) == 0 {
		r.failure = "it gives no reason"
	}
}

// isMissing tells what this machine lacks from what is wrong with the code.
func isMissing(message string) bool {
	for _, words := range []string{
		"no required module provides", "cannot find module", "module lookup disabled", "missing go.sum entry", "is not in std",
		"cannot find package", "could not import", "no Go files", "updates to go.mod needed", "build constraints exclude all",
		"not found: module", "permission denied", "replacement directory", "is explicitly required in go.mod, but not marked",
	} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// staticcheckReport reads `staticcheck -f json`, a finding a line.
func staticcheckReport(tree, dir string, out *output) (*report, error) {
	r := &report{broken: map[string]string{}}
	type place struct {
		File string `json:"file"`
		Line int    `json:"line"`
	}
	for line := range bytes.Lines(out.stdout) {
		var v struct {
			Code     string `json:"code"`
			Severity string `json:"severity"`
			Message  string `json:"message"`
			Location place  `json:"location"`
			End      place  `json:"end"`
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, fmt.Errorf("read staticcheck's report: %w", err)
		}
		switch {
		case v.Code == "compile" && v.Location.Line == 0:
			r.errors(tree, dir, v.Message)
			continue
		case v.Code == "compile":
			r.errors(tree, dir, fmt.Sprintf("%s:%d: %s", v.Location.File, v.Location.Line, v.Message))
			continue
		}
		f := static.Fault{Line: v.Location.Line, End: max(v.Location.Line, v.End.Line), Rule: "staticcheck:" + v.Code, Message: v.Message}
		if v.Severity == "ignored" {
			f.Withheld = "the code says to ignore it (lint:ignore)"
		}
		r.faults = append(r.faults, said{inTree(tree, dir, v.Location.File), f})
	}
	if out.exit != 0 && len(r.faults) == 0 && len(r.broken) == 0 && r.failure == "" {
		r.errors(tree, dir, string(out.stderr))
	}
	return r, nil
}

// position takes FILE:LINE:COLUMN apart; the file may hold colons.
func position(at string) (file string, line int) {
	file, _, _ = cutLast(at)
	file, number, ok := cutLast(file)
	if !ok {
		return at, 0
	}
	line, _ = strconv.Atoi(number) // 0 is no line that was added
	return file, line
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// inTree is the file's name in the tree, or "" where it lies outside of it.
func inTree(tree, dir, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	name, err := filepath.Rel(tree, file)
	if err != nil || !filepath.IsLocal(name) {
		return ""
	}
	return filepath.ToSlash(name)
}
