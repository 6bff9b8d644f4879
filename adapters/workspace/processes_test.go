//go:build unix

package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/actors/run"
)

// processesMax is how many git processes one preparation may take.
const processesMax = 8

// A preparation starts few processes, however the base is given and however many
// files there are. Not parallel: it sets the PATH.
func TestProcesses(t *testing.T) {
	d := setup(t, nil)
	for _, name := range []string{"a", "b/c", "b/d", "e"} {
		d.s.Write(name, "one\n")
	}
	one := d.s.Commit("one")
	d.s.Write("a", "two\n")
	two := d.s.Commit("two")
	d.s.Git("checkout", "-q", "-b", "feature")
	d.s.Write("e", "three\n")
	three := d.s.Commit("three")

	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	count := filepath.Join(bin, "count")
	script := "#!/bin/sh\necho \"$1\" >> " + count + "\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	branch := d.job(three, "")
	branch.BaseRef = "main"
	cases := []struct {
		name string
		job  actors.WorkspaceJob
	}{
		{"branch by name", branch},
		{"first commit", d.job(one, "")},
		{"first parent given", d.job(two, one)},
		{"grandparent given", d.job(three, one)},
		{"none given", d.job(three, "")},
		{"on main", d.job(two, "")},
	}
	for _, c := range cases {
		if err := os.WriteFile(count, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if cmd, ok := d.answered(c.job).(run.NoteWorkspace); !ok {
			t.Errorf("%s: answer %T", c.name, cmd)
		}
		text, err := os.ReadFile(count)
		if err != nil {
			t.Fatal(err)
		}
		started := strings.Fields(string(text))
		if len(started) == 0 || len(started) > processesMax {
			t.Errorf("%s: %d processes: %s", c.name, len(started), strings.Join(started, " "))
		}
		t.Logf("%s: %d processes: %s", c.name, len(started), strings.Join(started, " "))
	}
}
