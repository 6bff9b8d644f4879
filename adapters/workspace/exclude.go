package workspace

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// Bounds of the patterns that leave files out.
const (
	ExcludedPathsMax = 1_000 // patterns of one list
	ExcludedPathMax  = 1_024 // bytes of one
	doubleStarsMax   = 4     // in one: each multiplies the work
)

// builtIn are the patterns of files that nobody wrote for a reader: locks, what
// others wrote, and what a program made. (semantics 30.1)
var builtIn = []string{
	"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
	"go.sum", "go.work.sum", "Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock", "Gemfile.lock",
	"composer.lock", "mix.lock", "pubspec.lock", "Podfile.lock", "Package.resolved", "packages.lock.json",
	"gradle.lockfile", "flake.lock", ".terraform.lock.hcl",
	"vendor/", "node_modules/", "third_party/", "bower_components/",
	"*.pb.go", "*.pb.gw.go", "*.pb.cc", "*.pb.h", "*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*.generated.*",
	"*.min.js", "*.min.css", "*.map",
}

// CheckExcludedPath reports what is wrong with a pattern of excluded_paths.
func CheckExcludedPath(pattern string) error {
	_, err := newPattern(pattern, events.ExcludedConfigured)
	return err
}

// pattern is one entry of a list, as .gitignore has them: "*", "?" and "[…]" stay
// within a name, "**" is any number of folders. One with a slash before its end is
// of the path from the top, any other of a name at any depth; what it matches is
// excluded with all below it. "/" at the end: folders alone. "!" before it: not
// excluded after all.
type pattern struct {
	text    string
	by      events.Exclusion
	include bool
	folders bool
	parts   []string // of the path from the top; one alone = of a name
	rooted  bool
}

func newPattern(text string, by events.Exclusion) (pattern, error) {
	p := pattern{text: text, by: by}
	glob, include := strings.CutPrefix(text, "!")
	p.include = include
	if strings.HasPrefix(glob, ":") {
		return p, errors.New(`a pattern may not begin with ":"`)
	}
	glob, p.folders = strings.CutSuffix(glob, "/")
	glob, p.rooted = strings.CutPrefix(glob, "/")
	p.rooted = p.rooted || strings.Contains(glob, "/")
	p.parts = strings.Split(glob, "/")
	stars := 0
	for _, part := range p.parts {
		if part == "**" {
			stars++
			continue
		}
		if part == "" || part == "." || part == ".." {
			return p, errors.New("a pattern is of the path from the repository's top, without empty parts and without . or .. for one")
		}
		if _, err := path.Match(part, ""); err != nil {
			return p, fmt.Errorf("%q: %w", part, err)
		}
	}
	switch {
	case len(text) > ExcludedPathMax:
		return p, fmt.Errorf("a pattern has at most %d bytes", ExcludedPathMax)
	case stars > doubleStarsMax:
		return p, fmt.Errorf(`a pattern has "**" at most %d times`, doubleStarsMax)
	}
	return p, nil
}

// exclusions are patterns in order: the last that matches counts.
type exclusions []pattern

func newExclusions(configured []string) (exclusions, error) {
	var x exclusions
	for _, text := range builtIn {
		p, err := newPattern(text, events.ExcludedBuiltIn)
		if err != nil {
			return nil, err
		}
		x = append(x, p)
	}
	for _, text := range configured {
		p, err := newPattern(text, events.ExcludedConfigured)
		if err != nil {
			return nil, &finalError{fmt.Errorf("excluded_paths: %q: %w", text, err)}
		}
		x = append(x, p)
	}
	return x, nil
}

// of returns the pattern that decides about a path, or nil.
func (x exclusions) of(name string) *pattern {
	parts := strings.Split(name, "/")
	for i := len(x) - 1; i >= 0; i-- {
		if x[i].matches(parts) {
			return &x[i]
		}
	}
	return nil
}

// matches reports whether the pattern matches a path or a folder above it.
func (p *pattern) matches(parts []string) bool {
	most := len(parts)
	if p.folders {
		most--
	}
	if !p.rooted {
		return slices.ContainsFunc(parts[:most], func(part string) bool { return p.parts[0] == "**" || matchPart(p.parts[0], part) })
	}
	for n := 1; n <= most; n++ {
		if matchParts(p.parts, parts[:n]) {
			return true
		}
	}
	return false
}

func matchParts(glob, parts []string) bool {
	for len(glob) > 0 {
		if glob[0] == "**" {
			for skip := range len(parts) + 1 {
				if matchParts(glob[1:], parts[skip:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 || !matchPart(glob[0], parts[0]) {
			return false
		}
		glob, parts = glob[1:], parts[1:]
	}
	return len(parts) == 0
}

func matchPart(glob, part string) bool {
	if !strings.ContainsAny(glob, `*?[\`) {
		return glob == part
	}
	ok, err := path.Match(glob, part)
	return ok && err == nil
}
