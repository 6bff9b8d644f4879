package git

import (
	"fmt"
	"path"
	"strings"
)

// CheckGlob reports what is wrong with a pattern for branches.
func CheckGlob(glob string) error {
	if glob == "" {
		return fmt.Errorf("branch pattern is empty")
	}
	for part := range strings.SplitSeq(glob, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return fmt.Errorf("branch pattern %q: %w", glob, err)
		}
	}
	return nil
}

// MatchGlob reports whether a branch's name matches: part by part between
// slashes, with "*", "?" and "[…]" as in a shell, and "**" for any number of
// parts.
func MatchGlob(glob, name string) bool {
	return matchParts(strings.Split(glob, "/"), strings.Split(name, "/"))
}

func matchParts(glob, name []string) bool {
	for len(glob) > 0 {
		if glob[0] == "**" {
			// One "**" is as good as several in a row, which would take for ever.
			for len(glob) > 1 && glob[1] == "**" {
				glob = glob[1:]
			}
			for skip := range len(name) + 1 {
				if matchParts(glob[1:], name[skip:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(glob[0], name[0]); err != nil || !ok {
			return false
		}
		glob, name = glob[1:], name[1:]
	}
	return len(name) == 0
}

func matchesAny(globs []string, name string) bool {
	for _, glob := range globs {
		if MatchGlob(glob, name) {
			return true
		}
	}
	return len(globs) == 0
}
