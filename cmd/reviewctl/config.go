package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/reviewctl/reviewctl/actors/fleet"
	"github.com/reviewctl/reviewctl/adapters/engine"
	"github.com/reviewctl/reviewctl/adapters/github/poll"
	"github.com/reviewctl/reviewctl/adapters/localgit"
	"github.com/reviewctl/reviewctl/events"
)

// Where the configuration is.
const (
	ConfigFile  = "reviewctl.yaml"
	EnvConfig   = "REVIEWCTL_CONFIG"
	EnvStore    = "REVIEWCTL_STORE"
	stateFolder = "reviewctl"
)

// Defaults of the keys. Every key has one.
const (
	DebounceDefault     = 30 * time.Minute // on GitHub; 0 for local repositories
	PollIntervalDefault = 180 * time.Second
	MaxRunsDefault      = fleet.MaxRunsDefault
	TimeoutDefault      = engine.TimeoutDefault
	ListenDefault       = "127.0.0.1:8420"
	GitHubAPIDefault    = "https://api.github.com/"
	GitHubTokenDefault  = "GITHUB_TOKEN" //nolint:gosec // the variable's name, never a token

)

// Config is reviewctl.yaml. Its keys are a contract: CLI.md lists them, and
// schemas/config.schema.json describes them.
type Config struct {
	Store        string                    `yaml:"store"`
	Engines      map[string]EngineConfig   `yaml:"engines"`
	Static       StaticConfig              `yaml:"static"` // the embedded engine
	Accounts     map[string]AccountConfig  `yaml:"accounts"`
	Pools        map[string]PoolSizeConfig `yaml:"pools"`
	Repositories []RepositoryConfig        `yaml:"repositories"`
	GitHub       GitHubConfig              `yaml:"github"`
	Scheduling   SchedulingConfig          `yaml:"scheduling"`
	Listen       string                    `yaml:"listen"`
	Policy       PolicySource              `yaml:"policy"`
	// WorktreeBudgetGB bounds the checkouts, pooled trees and mirrors beside the log.
	WorktreeBudgetGB int          `yaml:"worktree_budget_gb"`
	Limits           LimitsConfig `yaml:"limits"`
	// ExcludedPaths are patterns of files that nobody reviews, in all repositories.
	ExcludedPaths []string `yaml:"excluded_paths"`

	// File is where it was read from; "" = the built-in defaults.
	File string `yaml:"-"`
	// named: somebody named the file, and it was not merely found.
	named bool
}

// EngineConfig is one engine by name.
type EngineConfig struct {
	Kind    string   `yaml:"kind"`    // "static", "exec", or that of a linter's report
	Command []string `yaml:"command"` // of all but static: program and arguments
	Formats []string `yaml:"formats"` // of kind errorformat, in order of preference
	Model   string   `yaml:"model"`   // names the pool by its part before the first "-"; "" = the engine's name does
	Account string   `yaml:"account"` // who pays; "" = unmetered
	Timeout Duration `yaml:"timeout"` // of one lane, its corrections included; 0 = TimeoutDefault
	Sandbox string   `yaml:"sandbox"` // "" or "strict": may write in its TMPDIR alone
	Env     []string `yaml:"env"`     // names of variables that the program gets beside the usual ones
}

// AccountConfig is who pays. 0 = no limit.
type AccountConfig struct {
	SessionTokens     Size `yaml:"session_tokens"` // in any 5 hours
	WeeklyTokens      Size `yaml:"weekly_tokens"`  // in any 7 days
	MaxRunTokens      Size `yaml:"max_run_tokens"`
	ReviewerSharePct  int  `yaml:"reviewer_share_pct"`
	PerContributorPct int  `yaml:"per_contributor_pct"`
	Keys              int  `yaml:"keys"`
	LanesPerKey       int  `yaml:"lanes_per_key"`
}

// RepositoryConfig is one repository, on GitHub or, with a path, on this disk.
type RepositoryConfig struct {
	Name          string    `yaml:"name"`
	Path          string    `yaml:"path"`
	Branches      []string  `yaml:"branches"` // of a local one: each matching branch is a pull request
	Engines       []string  `yaml:"engines"`
	Base          string    `yaml:"base"`
	Approve       bool      `yaml:"approve"`
	Enabled       *bool     `yaml:"enabled"` // nil = true
	Debounce      *Duration `yaml:"debounce"`
	LegacyMarkers bool      `yaml:"legacy_markers"`
	ExcludedPaths []string  `yaml:"excluded_paths"` // beside those of all repositories
}

// GitHubConfig is how to reach GitHub.
type GitHubConfig struct {
	APIURL   string `yaml:"api_url"`
	TokenEnv string `yaml:"token_env"` // the name of the variable that holds the token
	// TokenFile holds the token and nothing else. It wins over the variable, and is
	// read anew for each request.
	TokenFile string       `yaml:"token_file"`
	Labels    LabelsConfig `yaml:"labels"`
}

// LabelsConfig are the labels that say a verdict, in repositories that have them.
type LabelsConfig struct {
	Approved         string `yaml:"approved"`
	ChangesRequested string `yaml:"changes_requested"`
	Commented        string `yaml:"commented"`
}

// SchedulingConfig is what holds for all.
type SchedulingConfig struct {
	Debounce         Duration `yaml:"debounce"` // on GitHub
	PollInterval     Duration `yaml:"poll_interval"`
	MaxRuns          int      `yaml:"max_runs"`
	PhaseParallelism int      `yaml:"phase_parallelism"` // 0 = the bound of 8
	SkipLabels       []string `yaml:"skip_labels"`       // on GitHub: a pull request with one waits
	IgnoredAuthors   []string `yaml:"ignored_authors"`   // on GitHub: reviewed only when asked for
}

// PolicySource is where the policy is: in a file of its own, or in place.
type PolicySource struct {
	Path   string
	inline ast.Node
}

// IsEnabled reports whether the repository is to be reviewed.
func (r *RepositoryConfig) IsEnabled() bool { return r.Enabled == nil || *r.Enabled }

// RepoName is what people call the repository: a local one without an owner
// belongs to "local". (ARCHITECTURE, streams)
func (r *RepositoryConfig) RepoName() events.RepoName {
	if r.Path != "" && !strings.Contains(r.Name, "/") {
		return events.RepoName(localgit.Host + "/" + r.Name)
	}
	return events.RepoName(r.Name)
}

// DebounceTime is the quiet time after a push to the repository.
func (r *RepositoryConfig) DebounceTime(all SchedulingConfig) time.Duration {
	switch {
	case r.Debounce != nil:
		return time.Duration(*r.Debounce)
	case r.Path != "":
		return 0
	}
	return time.Duration(all.Debounce)
}

// PoolName is the family whose slots the engine takes. (CLI.md, "pools")
func (e *EngineConfig) PoolName(engine string) events.PoolName { return poolOf(e.Model, engine) }

// AccountName is who pays.
func (e *EngineConfig) AccountName() events.AccountName {
	if e.Account == "" {
		return events.AccountUnmetered
	}
	return events.AccountName(e.Account)
}

// LaneTimeout bounds a lane, its corrections included.
func (e *EngineConfig) LaneTimeout() time.Duration {
	if e.Timeout == 0 {
		return TimeoutDefault
	}
	return time.Duration(e.Timeout)
}

// DefaultConfig is what holds where no file says otherwise.
func DefaultConfig(env func(string) string) (*Config, error) {
	store, err := defaultStore(env)
	if err != nil {
		return nil, err
	}
	return &Config{
		Store:  store,
		Listen: ListenDefault, WorktreeBudgetGB: WorktreeBudgetDefault, Limits: defaultLimits(),
		GitHub: defaultGitHub(),
		Scheduling: SchedulingConfig{
			Debounce: Duration(DebounceDefault), PollInterval: Duration(PollIntervalDefault), MaxRuns: MaxRunsDefault,
			SkipLabels: poll.SkipLabelsDefault(), IgnoredAuthors: poll.IgnoredDefault(),
		},
	}, nil
}

// LoadConfig finds and reads the configuration: defaults, then the file, then
// the environment, then the flags.
func LoadConfig(flags Globals, env func(string) string) (*Config, error) {
	config, err := DefaultConfig(env)
	if err != nil {
		return nil, err
	}
	if config.File, err = findConfig(flags.Config, env); err != nil {
		return nil, err
	}
	config.named = flags.Config != "" || env(EnvConfig) != ""
	if config.File != "" {
		text, err := readBounded(config.File)
		if err != nil {
			return nil, err
		}
		if err := ParseConfig(config, config.File, text); err != nil {
			return nil, err
		}
	}
	config.override(flags, env)
	return config, nil
}

// override lets the environment speak, then the flags.
func (c *Config) override(flags Globals, env func(string) string) {
	if store := env(EnvStore); store != "" {
		c.Store = store
	}
	if flags.Store != "" {
		c.Store = flags.Store
	}
}

// findConfig returns the file to read, or "" for none.
func findConfig(flag string, env func(string) string) (string, error) {
	named, by := flag, "--config"
	if named == "" {
		named, by = env(EnvConfig), EnvConfig
	}
	if named != "" {
		if _, err := os.Stat(named); err != nil {
			return "", &CLIError{Code: CodeConfig, What: "the configuration cannot be read", Subject: fmt.Sprintf("%s (from %s): %v", named, by, errnoOf(err)),
				Remedy: "name a file that is there with --config, or leave it out for the defaults", Err: err}
		}
		return named, nil
	}
	for _, file := range []string{ConfigFile, filepath.Join(userFolder(env, "XDG_CONFIG_HOME", ".config"), stateFolder, ConfigFile)} {
		if file != ConfigFile && !filepath.IsAbs(file) {
			continue // no home: there is no user's folder
		}
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
	}
	return "", nil
}

// userFolder follows the XDG base directory specification.
func userFolder(env func(string) string, variable, underHome string) string {
	if folder := env(variable); filepath.IsAbs(folder) {
		return folder
	}
	if home := env("HOME"); home != "" {
		return filepath.Join(home, underHome)
	}
	return ""
}

func defaultStore(env func(string) string) (string, error) {
	folder := userFolder(env, "XDG_STATE_HOME", filepath.Join(".local", "state"))
	if folder == "" {
		return "", &CLIError{Code: CodeConfig, What: "there is no folder for the log", Subject: "neither XDG_STATE_HOME nor HOME is set",
			Remedy: "set HOME, or name the log with --store sqlite:PATH"}
	}
	return "sqlite:" + filepath.Join(folder, stateFolder, "events.db"), nil
}

// Engine returns an engine by name. The embedded one needs no entry.
func (c *Config) Engine(name events.EngineName) (EngineConfig, error) {
	if engine, ok := c.Engines[string(name)]; ok {
		return engine, nil
	}
	if name == EngineStatic {
		return EngineConfig{Kind: KindStatic}, nil
	}
	return EngineConfig{}, &CLIError{Code: CodeConfig, What: "no such engine", Subject: string(name),
		Remedy: "add it under engines in " + ConfigFile + ", or name one that is there"}
}
