package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	running "github.com/reviewctl/reviewctl/actors/run"
	"github.com/reviewctl/reviewctl/adapters/workspace"
)

// Bounds of limits: far above what anybody reviews.
const (
	MaxChangedFilesMax = 1_000_000
	MaxChangedLinesMax = 1_000_000_000
)

// LimitsConfig bounds the change that an engine which spends is asked to review.
// What is excluded does not count. 0 = no bound.
type LimitsConfig struct {
	MaxChangedFiles int `yaml:"max_changed_files"`
	MaxChangedLines int `yaml:"max_changed_lines"`
}

func defaultLimits() LimitsConfig {
	return LimitsConfig{MaxChangedFiles: running.MaxFilesDefault, MaxChangedLines: running.MaxLinesDefault}
}

// excludedPaths are the patterns for a repository: those that hold for all, then
// its own, of which the last that matches counts.
func (c *Config) excludedPaths(r *RepositoryConfig) []string {
	if r == nil {
		return c.ExcludedPaths
	}
	return slices.Concat(c.ExcludedPaths, r.ExcludedPaths)
}

// spends reports whether engines of the kind may cost something: the limits hold
// for them. The embedded engine and linters have bounds of their own.
func spends(kind string) bool { return kind == KindExec }

func (c *Config) validateLimits(l *located) error {
	return errors.Join(
		between(l, c.Limits.MaxChangedFiles, 0, MaxChangedFilesMax, "limits", "max_changed_files"),
		between(l, c.Limits.MaxChangedLines, 0, MaxChangedLinesMax, "limits", "max_changed_lines"),
		validateExcluded(l, c.ExcludedPaths, "excluded_paths"),
	)
}

func validateExcluded(l *located, patterns []string, keys ...string) error {
	var problems []error
	if len(patterns) > workspace.ExcludedPathsMax {
		problems = append(problems, l.wrong(fmt.Sprintf("%d patterns are too many", len(patterns)),
			fmt.Sprintf("give at most %d", workspace.ExcludedPathsMax), keys...))
	}
	for i, pattern := range patterns {
		if err := workspace.CheckExcludedPath(pattern); err != nil {
			problems = append(problems, l.wrong(fmt.Sprintf("%q: %v", pattern, err),
				`give a pattern such as "gen/", "*.pb.go" or "!vendor/ours/"`, append(slices.Clone(keys), strconv.Itoa(i))...))
		}
	}
	return errors.Join(problems...)
}
