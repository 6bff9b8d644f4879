package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sample is CLI.md's example, as far as this version takes it.
const sample = `store: sqlite:/var/lib/reviewctl/events.db
engines:
  mine: { kind: exec, command: [review.sh, --json], model: gpt-6, account: main, timeout: 30m }
accounts:
  main: { session_tokens: 2m, weekly_tokens: 20m, max_run_tokens: 400k, reviewer_share_pct: 40, per_contributor_pct: 25, keys: 7, lanes_per_key: 10 }
pools:
  gpt: 3
  other: auto
repositories:
  - { name: OWNER/REPO, engines: [mine], base: main, approve: false, enabled: true, legacy_markers: false }
  - { name: OWNER/LOCAL, path: /srv/git/x.git, branches: ["feature/*"] }
github: { api_url: https://api.github.com/, token_env: GITHUB_TOKEN }
scheduling: { debounce: 30m, poll_interval: 180s, max_runs: 30, phase_parallelism: 0 }
listen: 127.0.0.1:8420
policy:
  verdict: { request_changes_at: suggestion }
  approve: true
  phase1: { engine: [mine, static] }
`

// fakeEnv is an environment of its own.
func fakeEnv(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func defaults(t *testing.T) *Config {
	t.Helper()
	config, err := DefaultConfig(fakeEnv("HOME", "/home/someone"))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func TestConfigTakesTheExampleOfTheDocumentation(t *testing.T) {
	t.Parallel()
	config := defaults(t)
	if err := ParseConfig(config, "reviewctl.yaml", []byte(sample)); err != nil {
		t.Fatal(err)
	}
	mine := config.Engines["mine"]
	if mine.PoolName("mine") != "gpt" || mine.LaneTimeout() != 30*time.Minute || mine.AccountName() != "main" {
		t.Errorf("engine mine: %+v", mine)
	}
	if got := config.Accounts["main"]; got.SessionTokens != 2_000_000 || got.MaxRunTokens != 400_000 {
		t.Errorf("account main: %+v", got)
	}
	if config.Pools["gpt"].Slots != 3 || !config.Pools["other"].Auto {
		t.Errorf("pools: %+v", config.Pools)
	}
	remote, local := &config.Repositories[0], &config.Repositories[1]
	if remote.DebounceTime(config.Scheduling) != 30*time.Minute || local.DebounceTime(config.Scheduling) != 0 || !local.IsEnabled() {
		t.Errorf("repositories: %+v", config.Repositories)
	}
	policy, err := config.ReadPolicy("")
	if err != nil {
		t.Fatal(err)
	}
	if policy.Verdict.RequestChangesAt != "suggestion" || !policy.Approve || len(policy.Phase1.Engine) != 2 {
		t.Errorf("policy: %+v", policy)
	}
}

func TestConfigNamesWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, where, what string }{
		{"account unknown", "engines:\n  e: { kind: exec, command: [x], account: no }", ":2:43", `engines.e.account: there is no account "no"`},
		{"bad address", "listen: nowhere", ":1:9", `"nowhere" is not an address to listen at`},
		{"command missing", "engines:\n  e: { kind: exec }", ":2:6", "an engine of kind exec needs a command"},
		{"command of a linter missing", "engines:\n  e: { kind: sarif }", ":2:6", "an engine of kind sarif needs a command"},
		{"formats missing", "engines:\n  e: { kind: errorformat, command: [x] }", ":2:6", "an errorformat engine needs at least one"},
		{"formats that are none", "engines:\n  e: { kind: errorformat, command: [x], formats: ['%f:%'] }", ":2:50", `"%f:%" is not an errorformat`},
		{"formats of another kind", "engines:\n  e: { kind: sarif, command: [x], formats: ['%m'] }", ":2:44", "formats belong to kind errorformat"},
		{"debounce without unit", "scheduling: { debounce: 30 }", ":1:25", `"30" is not a duration`},
		{"duplicate key", "listen: a:1\nlisten: b:2", ":2:1", "listen"},
		{"kind of a later version", "engines:\n  e: { kind: claude }", ":2:14", `kind "claude" is not supported yet by this version`},
		{"kind unknown", "engines:\n  e: { kind: magic }", ":2:14", `"magic" is not a kind`},
		{"mistyped list", "repositories: 5", ":1:15", "a sequence is wanted here"},
		{"not YAML", "a: [", "reviewctl.yaml", ""},
		{"out of bounds", "scheduling: { max_runs: 0 }", ":1:25", "scheduling.max_runs: 0 is out of bounds"},
		{"policy of a later version", "policy: { gate: { block_above: 3 } }", ":1:", "policy key gate is not supported yet by this version"},
		{"pool too small", "pools: { gpt: 0 }", ":1:15", `"0" is not a number of slots`},
		{"repository twice", "repositories:\n  - { name: a/b }\n  - { name: a/b }", ":3:", "is there twice"},
		{"scalar document", "hello", "reviewctl.yaml", ""},
		{"share over 100", "accounts: { a: { reviewer_share_pct: 101 } }", ":1:38", "101 is out of bounds"},
		{"size with a point", "accounts: { a: { session_tokens: 1.2345k } }", ":1:34", "is not a size"},
		{"static is ours", "engines: { static: { kind: exec, command: [x] } }", ":1:", "belong together"},
		{"store of a later version", "store: esdb://admin:secret@host:2113", ":1:8", "not supported yet by this version"},
		{"token for its name", "github: { token_env: ghp-123 }", ":1:22", "never a token"},
		{"two documents", "listen: a:1\n---\nlisten: b:1", ":3:", "a second document"},
		{"unknown key", "scheduling:\n  max_run: 3", ":2:3", `unknown key "max_run"`},
		{"the first of many unknown keys", "zz: 1\nyy: 1\nxx: 1\nww: 1\nvv: 1\nuu: 1\ntt: 1\nss: 1", ":1:1", `unknown key "zz"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := ParseConfig(defaults(t), "reviewctl.yaml", []byte(c.text))
			var cliError *CLIError
			if !errors.As(err, &cliError) {
				t.Fatalf("got %v, want a configuration error", err)
			}
			text := cliError.What + cliError.Remedy
			if exits[cliError.Code] != ExitUsage || !strings.Contains(cliError.Subject, c.where) || !strings.Contains(text, c.what) || cliError.Remedy == "" {
				t.Errorf("got %q at %q, remedy %q", cliError.What, cliError.Subject, cliError.Remedy)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Error("the message shows a password")
			}
		})
	}
}

func TestConfigSuggestsTheKeyThatWasMeant(t *testing.T) {
	t.Parallel()
	err := ParseConfig(defaults(t), "f.yaml", []byte("schedulin: {}"))
	var cliError *CLIError
	if !errors.As(err, &cliError) || cliError.Remedy != `remove it, or write "scheduling"` {
		t.Errorf("got %+v", cliError)
	}
}

func TestConfigIsFoundInItsOrder(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write := func(name, store string) string {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("store: sqlite:"+store), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write(filepath.Join(".config", "reviewctl", ConfigFile), "user")
	named, other := write("named.yaml", "named"), write("env.yaml", "env")
	for _, c := range []struct {
		name  string
		flags Globals
		env   func(string) string
		want  string
	}{
		{"environment before the user's", Globals{}, fakeEnv("HOME", home, EnvConfig, other), "sqlite:env"},
		{"flag before the environment", Globals{Config: named}, fakeEnv("HOME", home, EnvConfig, other), "sqlite:named"},
		{"no file", Globals{}, fakeEnv("XDG_STATE_HOME", "/state", "XDG_CONFIG_HOME", "/nowhere"), "sqlite:/state/reviewctl/events.db"},
		{"store from the environment", Globals{Config: named}, fakeEnv("HOME", home, EnvStore, "sqlite:e"), "sqlite:e"},
		{"store from the flag", Globals{Config: named, Store: "sqlite:f"}, fakeEnv("HOME", home, EnvStore, "sqlite:e"), "sqlite:f"},
		{"the user's", Globals{}, fakeEnv("HOME", home), "sqlite:user"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			config, err := LoadConfig(c.flags, c.env)
			if err != nil {
				t.Fatal(err)
			}
			if config.Store != c.want {
				t.Errorf("store %q, want %q", config.Store, c.want)
			}
		})
	}
	if _, err := LoadConfig(Globals{Config: filepath.Join(home, "none.yaml")}, fakeEnv("HOME", home)); err == nil {
		t.Error("a file that is not there was accepted")
	}
	if _, err := LoadConfig(Globals{}, fakeEnv()); err == nil {
		t.Error("without HOME there is no folder for the log")
	}
}

func TestConfigFileIsBounded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "big.yaml")
	if err := os.WriteFile(file, []byte("#"+strings.Repeat(" ", ConfigMaxBytes)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadConfig(Globals{Config: file}, fakeEnv("HOME", t.TempDir())); err == nil {
		t.Error("a file over the bound was read")
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("a: &a [*a]"))
	f.Add([]byte("engines: {e: {kind: exec, <<: *x}}"))
	f.Add([]byte("policy: [1, {a: b}]\n---\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		config, err := DefaultConfig(fakeEnv("HOME", "/home/someone"))
		if err != nil {
			t.Fatal(err)
		}
		if err := ParseConfig(config, "f.yaml", text); err != nil {
			var cliError *CLIError
			if !errors.As(err, &cliError) || exits[cliError.Code] != ExitUsage || cliError.Remedy == "" {
				t.Fatalf("an error without its three parts: %v", err)
			}
		}
	})
}

func TestNearestKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"pool": "pools", "foo": "", "x": "", "schedulling": "scheduling"} {
		if got := nearestKey(key); got != want {
			t.Errorf("nearestKey(%q) = %q, want %q", key, got, want)
		}
	}
}
