package events

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// chainPage is schemas/chain.md, the recipe for people.
type chainPage struct {
	lines  []string // of the golden vector
	hashed []byte   // for its first event
	script string
}

func readChainPage(t *testing.T) chainPage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "schemas", "chain.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		found := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1)
		if len(found) != 1 {
			t.Fatalf("chain.md has %d blocks of %s", len(found), language)
		}
		return found[0][1]
	}
	hashed, err := hex.DecodeString(strings.Join(strings.Fields(block("text")), ""))
	if err != nil {
		t.Fatal(err)
	}
	return chainPage{lines: strings.Split(strings.TrimSpace(block("jsonl")), "\n"), hashed: hashed, script: block("python")}
}

func (p chainPage) events(t *testing.T) []Event {
	t.Helper()
	list := make([]Event, len(p.lines))
	for i, line := range p.lines {
		if err := json.Unmarshal([]byte(line), &list[i]); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func TestGoldenVector(t *testing.T) {
	t.Parallel()
	page := readChainPage(t)
	list := page.events(t)
	if len(list) != 3 {
		t.Fatalf("%d events in chain.md", len(list))
	}
	var first Hash
	if got := AppendHashed(first[:], &list[0]); hex.EncodeToString(got) != hex.EncodeToString(page.hashed) {
		t.Errorf("what is hashed for the first event:\n%x\nchain.md says:\n%x", got, page.hashed)
	}
	var previous Hash
	for i := range list {
		if err := Verify(previous, &list[i]); err != nil {
			t.Error(err)
		}
		previous = list[i].Hash
		if line, err := list[i].AppendLine(nil); err != nil || string(line) != page.lines[i] {
			t.Errorf("printed again:\n%s\nchain.md has:\n%s\n%v", line, page.lines[i], err)
		}
	}
}

// TestEveryFieldIsHashed: a change of any one field, and no change of the
// position, is found.
func TestEveryFieldIsHashed(t *testing.T) {
	t.Parallel()
	list := readChainPage(t).events(t)
	for name, change := range map[string]func(e *Event){
		"by":             func(e *Event) { e.By += "x" },
		"cause's row":    func(e *Event) { e.Cause.Row += "x" },
		"cause's stream": func(e *Event) { e.Cause.Stream += "x" },
		"cause's place":  func(e *Event) { e.Cause.Version++ },
		"chain":          func(e *Event) { e.Chain++ },
		"correlation":    func(e *Event) { e.Correlation += "x" },
		"decided":        func(e *Event) { e.Decided += " " },
		"field borders":  func(e *Event) { e.By, e.Node = e.By+e.Node[:1], e.Node[1:] },
		"id":             func(e *Event) { e.ID += "x" },
		"node":           func(e *Event) { e.Node += "x" },
		"payload":        func(e *Event) { e.Payload += " " },
		"previous":       func(e *Event) { e.Previous[31]++ },
		"revision":       func(e *Event) { e.Revision++ },
		"stream":         func(e *Event) { e.Stream += "x" },
		"time":           func(e *Event) { e.Time = e.Time.Add(1) },
		"type":           func(e *Event) { e.Type += "x" },
		"version":        func(e *Event) { e.Version++ },
	} {
		e := list[2]
		change(&e)
		if Verify(list[1].Hash, &e) == nil {
			t.Errorf("a change of %s was not found", name)
		}
	}
	e := list[2]
	e.Position += 7
	if err := Verify(list[1].Hash, &e); err != nil {
		t.Errorf("the position is hashed: %v", err)
	}
	if Verify(list[0].Hash, &list[2]) == nil {
		t.Error("a missing event was not found")
	}
}

// TestScriptOfTheRecipe runs chain.md's Python over lines and over a SQLite file
// of schemas/sql/log.sql, whole and forged.
func TestScriptOfTheRecipe(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	// The program itself: a version manager's stand-in costs a second each time.
	out, err := exec.CommandContext(t.Context(), python, "-c", "import sqlite3, sys; print(sys.executable)").Output()
	if err != nil {
		t.Skip("this python3 has no sqlite3")
	}
	python = strings.TrimSpace(string(out))
	page, folder := readChainPage(t), t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		writeFile(t, path, []byte(text))
		return path
	}
	run := func(args ...string) (string, bool) {
		out, err := exec.CommandContext(t.Context(), python, append([]string{"-I"}, args...)...).CombinedOutput()
		return string(out), err == nil
	}
	schema, err := filepath.Abs(filepath.Join("..", "schemas", "sql", "log.sql"))
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Join(page.lines, "\n") + "\n"
	forged := strings.Replace(whole, `"number":1,"new":true`, `"number":2,"new":true`, 1)
	script, load := file("chain.py", page.script), file("load.py", loadScript)
	for name, text := range map[string]string{"whole": whole, "forged": forged} {
		lines := file(name+".jsonl", text)
		database := filepath.Join(folder, name+".db")
		if out, ok := run(load, schema, lines, database); !ok {
			t.Fatal(out)
		}
		for _, input := range []string{lines, database} {
			out, ok := run(script, input)
			switch {
			case name == "whole" && (!ok || out != "intact: 1 streams\n"):
				t.Errorf("%s: %s", input, out)
			case name == "forged" && (ok || !strings.HasPrefix(out, "pr-local/reviewctl/3@2: ")):
				t.Errorf("the forged event was not named in %s: %s", input, out)
			}
		}
	}
}

// loadScript puts lines into a new SQLite log.
const loadScript = `
import json, re, sqlite3, sys
db = sqlite3.connect(sys.argv[3])
db.executescript(open(sys.argv[1], encoding="utf-8").read())
for line in open(sys.argv[2], encoding="utf-8", newline="\n"):
    e = json.loads(line)
    decided, payload = re.fullmatch(r'.*?,"decided":(.*),"payload":(.*),"chain":1,.*', line.strip()).groups()
    cause = "%(stream)s@%(version)d#%(row)s" % e["cause"] if e["cause"] else ""
    db.execute("INSERT INTO streams (id, name, version, hash, position) VALUES (1, ?, 0, x'', 0) ON CONFLICT DO NOTHING", [e["stream"]])
    envelope = json.dumps([1, e["version"], e["position"] - 1, e["rev"], e["chain"], e["time"]] +
        [e[key] for key in ("id", "type", "by", "node", "correlation")] + [cause])
    columns = dict(position=e["position"], envelope=envelope, link=bytes.fromhex(e["hash"] + e["previous"]),
        decided="" if decided == "null" else decided, payload=payload)
    db.execute("INSERT INTO events (%s) VALUES (%s)" % (", ".join(columns), ", ".join("?" * len(columns))), list(columns.values()))
db.commit()
`
