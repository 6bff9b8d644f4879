package main

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// TestShownConfigurationIsTheContract: what `config show` prints is what the
// schema describes, and reads back as the same.
func TestShownConfigurationIsTheContract(t *testing.T) {
	t.Parallel()
	schema := compile(t, "config.schema.json")
	for _, text := range []string{"{}", sample} {
		config, err := DefaultConfig(fakeEnv("HOME", "/home/someone"))
		if err != nil {
			t.Fatal(err)
		}
		if err := ParseConfig(config, "f.yaml", []byte(text)); err != nil {
			t.Fatal(err)
		}
		tree, err := configTree(config)
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := orderedJSON(tree)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, schema, asJSON); err != nil {
			t.Errorf("%s: %v", asJSON, err)
		}
		asYAML, err := yaml.MarshalWithOptions(tree, yaml.IndentSequence(true))
		if err != nil {
			t.Fatal(err)
		}
		again, err := DefaultConfig(fakeEnv("HOME", "/home/someone"))
		if err == nil {
			err = ParseConfig(again, "g.yaml", asYAML)
		}
		if err != nil {
			t.Fatalf("%v: %s", err, asYAML)
		}
		second, err := configTree(again)
		if err != nil || !reflect.DeepEqual(tree, second) {
			t.Errorf("read again it is %v, not %v: %v", second, tree, err)
		}
	}
}

// TestEveryKeyHasAMeaning: `config explain` has words for each key there is.
func TestEveryKeyHasAMeaning(t *testing.T) {
	t.Parallel()
	config, err := DefaultConfig(fakeEnv("HOME", "/home/someone"))
	if err == nil {
		err = ParseConfig(config, "f.yaml", []byte(sample))
	}
	if err != nil {
		t.Fatal(err)
	}
	tree, err := configTree(config)
	if err != nil {
		t.Fatal(err)
	}
	keys := keysOf(tree, "")
	if len(keys) < 40 {
		t.Errorf("only %d keys", len(keys))
	}
	for _, key := range keys {
		_, path, found := lookUp(tree, key)
		if meaning, _ := meaningOf(path); !found || strings.Join(path, ".") != key || meaning == "" {
			t.Errorf("%s: found %v at %q, meaning %q", key, found, path, meaning)
		}
	}
}

func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, want string }{
		{"tool --token abc --verbose", "tool --token *** --verbose"},
		{"tool --api-key=abc x", "tool --api-key=*** x"},
		{"env API_TOKEN=abc tool", "env API_TOKEN=*** tool"},
		{"tool --token --verbose x", "tool --token --verbose x"},
		{"tool Authorization:abc", "tool Authorization:***"},
		{"tool --model gpt-6 --max-turns 3", "tool --model gpt-6 --max-turns 3"},
	} {
		if got := strings.Join(hideWords(strings.Fields(c.words)), " "); got != c.want {
			t.Errorf("%s: got %s", c.words, got)
		}
	}
	for text, want := range map[string]string{
		"esdb://admin:changeit@host:2113": "esdb://***@host:2113", "https://ghp_0123456789abcdef@github.com/a/b": "https://***@github.com/a/b",
		"ghp_0123456789abcdef": hidden, "sqlite:/var/lib/x@y.db": "sqlite:/var/lib/x@y.db", "a@b": "a@b",
	} {
		if got := hideText(text); got != want {
			t.Errorf("%s: got %s", text, got)
		}
	}
}

func TestDurationsAreShort(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"30m": 30 * time.Minute, "24h": 24 * time.Hour, "0s": 0, "1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond, "10s": 10 * time.Second,
		"1h0m5s": time.Hour + 5*time.Second,
	} {
		if got := durationText(d); got != want {
			t.Errorf("%s: got %s", want, got)
		}
	}
}
