package workspace_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/reviewctl/reviewctl/adapters/workspace"
	"github.com/reviewctl/reviewctl/events"
)

// Only the checkouts of dead boots go: read-only ones too, and nothing that a
// link leads to. (cases W02, W20, W30)
func TestSweep(t *testing.T) {
	t.Parallel()
	d := setup(t, nil)
	head := d.s.Commit("one")
	own, err := d.Open(context.Background(), d.job(head, ""))
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(filepath.Dir(d.root), "outside")
	precious := filepath.Join(outside, "precious")
	make1 := func(path string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(d.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	make1(precious)
	make1(filepath.Join(d.root, "dead.aa.1", "deep", "er", "f"))
	make1(filepath.Join(d.root, "alive.aa.1", "f"))
	make1(filepath.Join(d.root, "dead", "f"))
	make1(filepath.Join(d.root, "dead.aa.1.more", "f"))
	make1(filepath.Join(d.root, "dead.aa.2"))
	link(outside, "dead.aa.3")
	link(outside, filepath.Join("dead.aa.1", "way-out"))
	for _, dir := range []string{"dead.aa.1/deep/er", "dead.aa.1/deep", "dead.aa.1"} {
		if err := os.Chmod(filepath.Join(d.root, dir), 0o555); err != nil {
			t.Fatal(err)
		}
	}
	removed, err := d.Sweep(func(boot events.BootID) bool { return boot != "alive" })
	if err != nil || removed != 1 {
		t.Errorf("removed %d, %v; want 1", removed, err)
	}
	want := []string{"alive.aa.1", filepath.Base(own.Dir), "dead", "dead.aa.1.more", "dead.aa.2", "dead.aa.3"}
	slices.Sort(want)
	if names := d.folders(t); !slices.Equal(names, want) {
		t.Errorf("left %q, want %q", names, want)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Errorf("something outside was removed: %v", err)
	}
}

func TestNewRefusesAStrangeBoot(t *testing.T) {
	t.Parallel()
	for _, boot := range []events.BootID{"", "..", "a/b", "a.b", "a\n"} {
		if _, err := workspace.New(workspace.Params{Root: t.TempDir(), Boot: boot}); err == nil {
			t.Errorf("boot %q is accepted", boot)
		}
	}
}
