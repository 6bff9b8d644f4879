package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func readSample(t *testing.T, files map[string]string) *configRead {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read, err := readConfig(filepath.Join(dir, ConfigFile), fakeEnv("HOME", "/home/someone"))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// TestConfigDigest: what a configuration says has one digest, however it is
// written, and each difference is named by its key.
func TestConfigDigest(t *testing.T) {
	t.Parallel()
	const file = `engines: { a: { kind: exec, command: [x, "--token=1"] } }
pools: { a: 2 }
repositories: [{ name: local/r, path: /r }]
policy: policy.yaml
`
	before := readSample(t, map[string]string{ConfigFile: file, "policy.yaml": "approve: true\n"})
	again := readSample(t, map[string]string{
		ConfigFile: "# a comment\npolicy: { approve: true }\n" + `pools: { "a": 2 }
repositories: [{ path: /r, name: local/r }]
engines: { a: { command: [x, "--token=1"], kind: exec } }
listen: ` + ListenDefault + "\n",
	})
	if before.keys.digest() != again.keys.digest() {
		t.Errorf("the same in other words differs in %v", before.keys.changed(again.keys))
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"a policy in a file": {map[string]string{ConfigFile: file, "policy.yaml": "{}"}, []string{"policy.approve"}},
		"much": {map[string]string{
			"policy.yaml": "approve: true",
			ConfigFile: `engines: { a: { kind: exec, command: [x, "--token=2"] }, b: { kind: exec, command: [y] } }
repositories: [{ name: local/s, path: /s }, { name: local/r, path: /r, enabled: false }]
scheduling: { max_runs: 3 }
listen: 127.0.0.1:1
store: sqlite:/x
policy: policy.yaml
`,
		}, []string{"engines.a", "engines.b", "listen", "pools.a", "repositories.local/r", "repositories.local/s", "scheduling.max_runs", "store"}},
	} {
		now := readSample(t, c.files)
		if got := before.keys.changed(now.keys); !slices.Equal(got, c.want) {
			t.Errorf("%s: changed %v, want %v", name, got, c.want)
		}
		if now.keys.digest() == before.keys.digest() {
			t.Errorf("%s: the digest is the same", name)
		}
	}
}
