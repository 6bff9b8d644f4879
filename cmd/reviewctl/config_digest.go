package main

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// configRead is a configuration as a file says it, with its policy.
type configRead struct {
	*Config
	policy Policy
	keys   configKeys
}

// configKeys are the keys of a configuration with their values as JSON. Mappings
// and lists of things with a name have a key for each of them: "engines.mine",
// "repositories.local/r", "scheduling.max_runs", "policy.approve".
type configKeys map[string]string

// readConfig reads a file and the policy that it names, before environment and
// flags say anything.
func readConfig(file string, env func(string) string) (*configRead, error) {
	config, err := DefaultConfig(env)
	if err != nil {
		return nil, err
	}
	byDefault := config.Store
	if file != "" {
		text, err := readBounded(file)
		if err != nil {
			return nil, err
		}
		if err := ParseConfig(config, file, text); err != nil {
			return nil, err
		}
	}
	config.File = file
	policy, err := config.ReadPolicy("")
	if err != nil {
		return nil, err
	}
	same := *config
	if same.Store == byDefault { // it is of the user who reads, not of the file
		same.Store = ""
	}
	keys, err := keysAndValues(&same, policy)
	return &configRead{Config: config, policy: policy, keys: keys}, err
}

func keysAndValues(c *Config, p Policy) (configKeys, error) {
	keys := configKeys{}
	source := reflect.TypeFor[PolicySource]()
	for name, field := range fieldsByKey(reflect.ValueOf(*c)) {
		if field.Type() == source {
			continue // what it says is below, wherever it stands
		}
		if err := keys.add(name, field); err != nil {
			return nil, err
		}
	}
	return keys, keys.add("policy", reflect.ValueOf(p))
}

// fieldsByKey are a struct's fields by their keys in YAML.
func fieldsByKey(v reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for i := range v.NumField() {
		if name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ","); name != "" && name != "-" {
			fields[name] = v.Field(i)
		}
	}
	return fields
}

// add adds a key, or those below it.
func (k configKeys) add(name string, v reflect.Value) error {
	put := func(name string, value any) error {
		text, err := json.Marshal(value)
		k[name] = string(text)
		return err
	}
	if repositories, ok := v.Interface().([]RepositoryConfig); ok {
		for i := range repositories {
			if err := put(name+"."+repositories[i].Name, repositories[i]); err != nil {
				return err
			}
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if err := put(name+"."+key.String(), v.MapIndex(key).Interface()); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		for inner, field := range fieldsByKey(v) {
			if err := put(name+"."+inner, field.Interface()); err != nil {
				return err
			}
		}
		return nil
	}
	return put(name, v.Interface())
}

// digest names what the keys say. A comment or an order does not change it.
func (k configKeys) digest() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(k)) {
		b.WriteString(key + "\x00" + k[key] + "\n")
	}
	return string(events.DigestOf([]byte(b.String())))
}

// changed lists the keys that two configurations have differently, sorted.
func (k configKeys) changed(now configKeys) []string {
	all := maps.Clone(k)
	maps.Copy(all, now)
	var changed []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		before, was := k[key]
		after, is := now[key]
		if was != is || before != after {
			changed = append(changed, key)
		}
	}
	return changed
}
