package static

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

var lockAloneRule = Rule{
	ID: "lock-without-manifest", title: "Lock file without its manifest", version: 1,
	Severity: events.SeverityNitpick, Category: categoryHygiene,
	Doc: "A lock that changes by itself may bring in what nobody asked for. Say why it changes.",
}

var manifestAloneRule = Rule{
	ID: "manifest-without-lock", title: "Manifest without its lock file", version: 1,
	Severity: events.SeveritySuggestion, Category: categoryHygiene,
	Doc: "The lock no longer says what the manifest asks for. Let the package manager bring it up to date.",
}

// manifests maps a manifest to the lock files that may stand beside or above it.
var manifests = map[string][]string{
	"package.json":   {"package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"},
	"go.mod":         {"go.sum"},
	"Cargo.toml":     {"Cargo.lock"},
	"pyproject.toml": {"poetry.lock", "uv.lock", "pdm.lock"},
	"Pipfile":        {"Pipfile.lock"},
	"Gemfile":        {"Gemfile.lock"},
	"composer.json":  {"composer.lock"},
	"mix.exs":        {"mix.lock"},
	"pubspec.yaml":   {"pubspec.lock"},
}

// manifestOf maps a lock file to its manifest.
var manifestOf = func() map[string]string {
	all := map[string]string{}
	for manifest, locks := range manifests {
		for _, lock := range locks {
			all[lock] = manifest
		}
	}
	return all
}()

// lockPairs is the changed manifests and locks of one change.
type lockPairs struct {
	locks   map[string]bool // by path
	folders map[string]bool // "folder/manifest" of every folder at or above a changed manifest
}

func newLockPairs(listed []events.ChangedFile, change *diff.Change) *lockPairs {
	p := &lockPairs{locks: map[string]bool{}, folders: map[string]bool{}}
	var names []string
	for i := range change.Files {
		names = append(names, change.Files[i].Old, change.Files[i].New)
	}
	for i := range listed { // a lock may be excluded from the review
		names = append(names, listed[i].Old, listed[i].Path)
	}
	for _, name := range names {
		last := path.Base(name)
		switch {
		case manifestOf[last] != "":
			p.locks[name] = true
		case manifests[last] != nil:
			for _, folder := range upwards(name) {
				p.folders[path.Join(folder, last)] = true
			}
		}
	}
	return p
}

// upwardsMax bounds the folders above a file that are looked at.
const upwardsMax = 32

// upwards lists the folder of a file and those above it.
func upwards(name string) []string {
	var all []string
	for folder := path.Dir(name); len(all) < upwardsMax; folder = path.Dir(folder) {
		all = append(all, folder)
		if folder == "." || folder == "/" {
			break
		}
	}
	return all
}

// locked finds a lock that changes alone, and a manifest whose lock does not
// change with it.
func (l *look) locked() {
	pairs := l.survey.pairs
	name := l.file.New
	last := path.Base(name)
	if l.file.Status != diff.Modified {
		return
	}
	if manifest := manifestOf[last]; manifest != "" {
		if !pairs.folders[path.Join(path.Dir(name), manifest)] {
			l.whole(&lockAloneRule, "", fmt.Sprintf("The lock file changes, and no %s that it locks does.", manifest))
		}
		return
	}
	line := l.dependencyLine(last)
	if manifests[last] == nil || line == 0 {
		return
	}
	there := ""
	for _, folder := range upwards(name) {
		for _, lock := range manifests[last] {
			lock = path.Join(folder, lock)
			if pairs.locks[lock] {
				return
			}
			if there == "" && l.regular(lock) {
				there = path.Base(lock)
			}
		}
	}
	if there != "" {
		l.at(&manifestAloneRule, line, "", fmt.Sprintf("The change touches a dependency, and %s stays as it is.", there))
	}
}

// dependency is a line that asks for a version of something; ownVersion is one
// that says the manifest's own.
var (
	dependency = regexp.MustCompile(`(?:["'=]\s*(?:[\^~<>=!v* ]{0,4}\d+(?:\.\d+)+|\^\d|~\d|workspace:|git\+|file:)|\bv\d+\.\d+\.\d+|^\s*gem\s)`)
	ownVersion = regexp.MustCompile(`^\s*["']?(?:version|rust-version|edition|requires-python|packageManager|go|toolchain|engines|node|npm)\b`)
)

// dependencyLine is the first added line that looks like a dependency and is not
// one that the change removes, but for the comma behind it.
func (l *look) dependencyLine(last string) int {
	if manifests[last] == nil {
		return 0
	}
	bare := func(row string) string { return strings.TrimRight(strings.TrimSpace(row), ",") }
	removed := map[string]bool{}
	for i := range l.file.Hunks {
		for line := range l.file.Hunks[i].Removed() {
			removed[bare(line.Text)] = true
		}
	}
	for line := range l.file.AddedLines() {
		if len(line.Text) < rowMax && !removed[bare(line.Text)] && dependency.MatchString(line.Text) && !ownVersion.MatchString(line.Text) &&
			!strings.HasPrefix(strings.TrimSpace(line.Text), "//") {
			return line.Number
		}
	}
	return 0
}

// regular reports whether the checkout has the file.
func (l *look) regular(name string) bool {
	if l.survey.root == nil {
		return false
	}
	st, err := l.survey.root.Lstat(name)
	return err == nil && st.Mode().IsRegular()
}
