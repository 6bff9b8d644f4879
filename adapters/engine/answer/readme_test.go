package answer_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/engine/answer"
	"github.com/reviewctl/reviewctl/events"
)

// TestTheReadmesEngine runs the engine that README shows: its answer must meet the
// contract, with nothing to be put right.
func TestTheReadmesEngine(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3 here")
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, program, found := strings.Cut(string(readme), "```python\n")
	program, _, closed := strings.Cut(program, "```")
	if !found || !closed {
		t.Fatal("README.md shows no engine")
	}
	head := strings.Repeat("1", 40)
	request, err := json.Marshal(map[string]any{
		"phase": "preliminary", "head_sha": head,
		"files": []map[string]any{{"path": "small.txt", "added": 5}, {"path": "large.txt", "added": 501}},
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", program)
	cmd.Stdin = bytes.NewReader(request)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	got, err := answer.Parse(string(out), answer.Expected{Phase: "preliminary", Head: events.Commit(head)})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Findings) != 1 || got.Findings[0].File != "large.txt" || len(got.Notes) != 0 {
		t.Errorf("it answers %+v, put right: %q", got.Findings, got.Notes)
	}
}
