package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// released are modules with versions that became one commit each. (issue 3, "Real
// input") Protobuf has generated code and moves it about.
var released = []struct {
	module   string
	versions []string
	short    int // the newest of them that a short run reviews
}{
	{"github.com/google/go-cmp", []string{"v0.3.0", "v0.3.1", "v0.4.0", "v0.4.1", "v0.5.0", "v0.5.5", "v0.5.9", "v0.6.0", "v0.7.0"}, 3},
	{"github.com/BurntSushi/toml", []string{"v0.3.1", "v0.4.1", "v1.0.0", "v1.1.0", "v1.2.0", "v1.3.0", "v1.4.0", "v1.5.0", "v1.6.0"}, 0},
	{"github.com/golang/protobuf", []string{"v1.0.0", "v1.1.0", "v1.2.0", "v1.3.0", "v1.3.5", "v1.4.0", "v1.4.3", "v1.5.0", "v1.5.4"}, 0},
}

// downloadMax bounds the wait for one version of a module.
const downloadMax = time.Minute

// TestReviewOfReleasedVersions reviews repositories that are made of modules'
// releases, and finds what is planted into the last.
func TestReviewOfReleasedVersions(t *testing.T) {
	t.Parallel()
	for _, c := range released {
		t.Run(filepath.Base(c.module), func(t *testing.T) {
			t.Parallel()
			versions := c.versions
			if testing.Short() {
				versions = versions[len(versions)-c.short:]
			}
			if len(versions) == 0 {
				t.Skip("a part of the full sample: make test-long")
			}
			r := newReviewer(t)
			dir := t.TempDir()
			r.run(dir, "git", "init", "-q", "-b", "main")
			for _, version := range versions {
				from, err := moduleDir(c.module + "@" + version)
				if err != nil {
					t.Skipf("%s is neither in the module cache nor to be had from the module proxy: %v", version, err)
				}
				r.release(dir, from, version)
				r.review(dir)
			}
			r.sum(c.module)
			r.plant(dir)
		})
	}
}

// release makes the files of a version the repository's next commit.
func (r *reviewer) release(dir, from, version string) {
	r.t.Helper()
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != ".git" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	if err := errors.Join(err, copyTree(from, dir)); err != nil {
		r.t.Fatal(err)
	}
	r.commit(dir, version)
}

func (r *reviewer) commit(dir, message string) {
	r.t.Helper()
	r.run(dir, "git", "add", "-A", "-f")
	r.run(dir, "git", "commit", "-q", "-m", message)
}

// moduleDir returns the folder of a module's version, from the cache or the proxy.
func moduleDir(module string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), downloadMax)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	if err != nil {
		return "", errors.Join(err, errors.New(strings.TrimSpace(string(out))))
	}
	var answer struct{ Dir string }
	return answer.Dir, errors.Join(json.Unmarshal(out, &answer), err)
}

// copyTree copies files that the module cache keeps read-only.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		}
		source, err := os.Open(path)
		if err != nil {
			return err
		}
		defer source.Close()
		target, err := os.Create(filepath.Join(to, rel))
		if err != nil {
			return err
		}
		_, err = io.Copy(target, source)
		return errors.Join(err, target.Close())
	})
}

// planted is a fault and the lines of it that are to be found, counted from its own.
type planted struct {
	text       string
	start, end int
}

// Secrets are put together here, so that no scanner takes this file for a leak.
func faults() map[string]planted {
	one := func(text string) planted { return planted{text: text} }
	key := "-----BEGIN RSA PRIVATE" + " KEY-----\n" + strings.Repeat("MIIEpAIBAAKCAQEA7Xq2VbN9sLw4TzRj1Hc8GmYp5DfXe3UaQoBx7Kq2VbN9sLw4\n", 4) + "-----END RSA PRIVATE" + " KEY-----"
	return map[string]planted{
		"aws":      one(`const aws = "` + "AKIA" + `Q3EGRMZVK7WSBNTY"`),
		"github":   one(`const github = "` + "ghp_" + `x7Kq2VbN9sLw4TzRj1Hc8GmYp5DfXe3UaQoB"`),
		"slack":    one(`const slack = "` + "xoxb-" + `2840193756-2840193757-hT7vKqLw9Zr3XcBn5MdYpS8f"`),
		"google":   one(`const google = "` + "AIza" + `SyD7x9Kq2VbN4sLw8TzRj1Hc5GmYp3DfXeU"`),
		"stripe":   one(`const stripe = "` + "sk_live_" + `51HxKq2VbN9sLw4TzRj1Hc8GmYp5DfXe3UaQ"`),
		"key":      {text: "const key = `" + key + "`", end: 5},
		"conflict": {text: "<<<<<<< ours\nconst A = 1\n=======\nconst A = 2\n>>>>>>> theirs", end: 4},
		"bidi":     one("// access \u202e if admin"),
	}
}

// plant adds what must be found to real files, beside what was there before: just
// the new is found, at its lines.
func (r *reviewer) plant(dir string) {
	r.t.Helper()
	files := strings.Split(strings.TrimSuffix(r.run(dir, "git", "ls-files", "-z", "*.go"), "\x00"), "\x00")
	all := faults()
	names := slices.Sorted(maps.Keys(all))
	before := "package x\n\n" + all["aws"].text + "\n" + all["conflict"].text + "\n// end\n"
	r.write(filepath.Join(dir, "old.go"), before)
	r.write(filepath.Join(dir, "whole.go"), "package x\n\nfunc f() {\n}\n")
	r.commit(dir, "what was there")
	r.write(filepath.Join(dir, "old.go"), strings.Replace(before, "// end", "// the end", 1))
	var want []string
	for i, name := range files[:min(len(files), len(names))] {
		fault := all[names[i]]
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			r.t.Fatal(err)
		}
		lines := strings.SplitAfter(string(raw), "\n")
		at := len(lines) * (i + 1) / (len(names) + 1) // the new line's place: anywhere in the file
		r.write(filepath.Join(dir, name), strings.Join(lines[:at], "")+fault.text+"\n"+strings.Join(lines[at:], ""))
		want = append(want, fmt.Sprintf("%s:%d-%d", name, at+1+fault.start, at+1+fault.end))
	}
	want = append(want, r.plantFiles(dir)...)
	r.commit(dir, "planted")
	var got []string
	for _, f := range r.review(dir).Findings {
		if f.Title == "A first line" || strings.HasPrefix(f.Title, "Syntax error") && f.File != "whole.go" {
			continue // what was planted in the middle of a statement is one as well
		}
		got = append(got, fmt.Sprintf("%s:%d-%d", f.File, f.LineStart, f.LineEnd))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		r.t.Errorf("found %q, planted %q", got, want)
	}
}

// plantFiles adds the faults that are files: a workflow that runs what a title says,
// a file that parses no more, and a symlink out of the tree.
func (r *reviewer) plantFiles(dir string) (want []string) {
	r.t.Helper()
	flow := filepath.Join(dir, ".github", "workflows")
	if err := os.MkdirAll(flow, 0o700); err != nil {
		r.t.Fatal(err)
	}
	r.write(filepath.Join(flow, "planted.yml"), `name: planted
on: pull_request
permissions: {}
jobs:
  one:
    runs-on: ubuntu-latest
    steps:
      - run: echo "${{ github.event.pull_request.title }}"
`)
	r.write(filepath.Join(dir, "whole.go"), "package x\n\nfunc f() {\n\tif {\n}\n")
	if err := os.Symlink("../../outside", filepath.Join(dir, "planted-link")); err != nil {
		r.t.Fatal(err)
	}
	return []string{".github/workflows/planted.yml:8-8", "whole.go:4-4", "planted-link:1-1"}
}
