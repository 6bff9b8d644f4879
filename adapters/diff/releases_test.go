package diff_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// releases are versions of real modules, each with those before it: with code that
// is generated, files that move, and lines that are long. (issue 3, "Real input")
var releases = []struct {
	module   string
	versions []string
}{
	{"github.com/alecthomas/kong", []string{"v0.2.4", "v0.5.0", "v0.6.1", "v1.6.0", "v1.11.0", "v1.12.1", "v1.14.0", "v1.16.0", "v1.17.0"}},
	{"github.com/google/go-cmp", []string{"v0.3.0", "v0.3.1", "v0.4.0", "v0.4.1", "v0.5.0", "v0.5.9", "v0.6.0", "v0.7.0"}},
	{"github.com/goccy/go-yaml", []string{"v1.8.0", "v1.9.2", "v1.11.0", "v1.12.0", "v1.15.13", "v1.17.1", "v1.18.0", "v1.19.1", "v1.19.2"}},
	{"google.golang.org/protobuf", []string{"v1.25.0", "v1.26.0", "v1.28.0", "v1.30.0", "v1.32.0", "v1.34.0", "v1.36.0", "v1.36.1"}},
}

// download returns the folders of the modules, in their order. Without the proxy
// only those that are here already: at least what this module uses itself.
func download(t *testing.T, offline bool) (dirs, names []string) {
	t.Helper()
	args := []string{"mod", "download", "-json"}
	want := 0
	few := releases
	if offline {
		few = few[:3]
	}
	for _, r := range few {
		for _, version := range r.versions {
			args = append(args, r.module+"@"+version)
			want++
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), "GOFLAGS=-mod=mod", "GO111MODULE=on")
	if offline {
		cmd.Env = append(cmd.Env, "GOPROXY=off", "GOSUMDB=off")
	}
	out, err := cmd.Output() // with the answers that there are, whatever the error
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skip("no go command: ", err)
	}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var got struct{ Path, Version, Dir, Error string }
		if err := decoder.Decode(&got); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if got.Dir != "" {
			dirs, names = append(dirs, got.Dir), append(names, got.Path+"@"+got.Version)
		}
	}
	if !offline && len(dirs) < want {
		t.Logf("%d of %d versions can be had", len(dirs), want)
	}
	return dirs, names
}

// Each release against the one before it, and each module against another one. With
// -short the releases that are here already.
func TestAgreesWithGitOnReleases(t *testing.T) {
	t.Parallel()
	dirs, names := download(t, testing.Short())
	if len(dirs) < 2 {
		t.Skipf("%d releases can be had: %q", len(dirs), names)
	}
	s := &scratch{t: t, dir: filepath.Join(t.TempDir(), "git")}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s.git("", "init", "-q", "--bare", ".")
	before, files := "", 0
	for i, dir := range dirs {
		s.tree = dir
		s.git("", "add", "--all", "--force", ".")
		tree := strings.TrimSpace(s.git("", "write-tree"))
		s.tree = ""
		if before != "" {
			n := s.agree(before, tree)
			t.Logf("%s: %d files", names[i], n)
			files += n
		}
		before = tree
	}
	t.Logf("%d files, %d of them renamed", files, s.renamed)
	if s.renamed == 0 && !testing.Short() {
		t.Error("no file was renamed")
	}
}
