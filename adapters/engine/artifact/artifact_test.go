package artifact

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestPut(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "a", "b")
	f, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	const sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if d, err := f.Put([]byte("hello")); err != nil || d != sum {
				t.Errorf("Put = %s, %v", d, err)
			}
		})
	}
	wg.Wait()
	if got, err := os.ReadFile(f.Path(sum)); err != nil || string(got) != "hello" {
		t.Errorf("read %q, %v", got, err)
	}
	if left, err := filepath.Glob(filepath.Join(root, "new-*")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestPutReportsADiskThatRefuses(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	f, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	// A file stands where the sub-folder would be.
	if err := os.WriteFile(filepath.Join(root, "2c"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := f.Put([]byte("hello")); err == nil {
		t.Errorf("Put = %s without an error", d)
	}
}
