package static

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// git's modes.
const (
	modeFile    = "100644"
	modeProgram = "100755"
	modeSymlink = "120000"
)

var executableRule = Rule{
	ID: "executable-bit", title: "Executable bit", version: 1,
	Severity: events.SeverityNitpick, Category: categoryHygiene,
	Doc: "A flip of the bit is often an accident of a file system. Undo it unless it is meant.",
}

var symlinkRule = Rule{
	ID: "symlink-escape", title: "Symlink that leaves the tree", version: 1,
	Severity: events.SeverityBlocking, Category: categorySecurity,
	Doc: "Whatever follows it reads or writes a file of the machine it runs on. Point it at a file of the repository.",
}

var submoduleRule = Rule{
	ID: "submodule-pointer", title: "Submodule", version: 1,
	Severity: events.SeverityNitpick, Category: categoryHygiene,
	Doc: "The code behind it is not part of this review. Look at the commits of the other repository.",
}

var submoduleURLRule = Rule{
	ID: "submodule-url", title: "Address of a submodule", version: 1,
	Severity: events.SeveritySuggestion, Category: categorySecurity,
	Doc: "Every clone with submodules fetches and builds what this address serves. Make sure whose it is.",
}

// mode finds a bit that flips on a file that was there before.
func (l *look) mode() {
	switch f := l.file; {
	case f.Old == "" || f.New == "":
	case f.OldMode == modeFile && f.NewMode == modeProgram:
		l.whole(&executableRule, "set", "The change makes the file executable.")
	case f.OldMode == modeProgram && f.NewMode == modeFile:
		l.whole(&executableRule, "cleared", "The change makes the file not executable.")
	}
}

// link finds a symlink that points out of the tree, over other symlinks of the
// change too, or into git's own folder. (case W20)
func (l *look) link() {
	if l.file.NewMode != modeSymlink {
		return
	}
	for line := range l.file.AddedLines() {
		if why := escape(l.file.New, line.Text, l.survey.linkTargets()); why != "" {
			l.at(&symlinkRule, line.Number, "", "The target of the symlink "+why+".")
		}
		return
	}
}

// linkHops bounds the symlinks that are followed, as file systems do.
const linkHops = 40

var drive = regexp.MustCompile(`^(?:[A-Za-z]:|\\)`)

// escape says how a symlink's target leaves the tree; "" = it does not.
func escape(name, target string, links map[string]string) string {
	at := strings.Split(path.Dir(name), "/")
	if path.Dir(name) == "." {
		at = nil
	}
	rest := strings.Split(target, "/")
	if strings.HasPrefix(target, "/") || drive.MatchString(target) {
		return "is an absolute path"
	}
	for hops := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch {
		case part == "" || part == ".":
			continue
		case part == "..":
			if len(at) == 0 {
				return "lies above the tree"
			}
			at = at[:len(at)-1]
			continue
		case strings.EqualFold(part, ".git"):
			return "lies in git's own folder"
		}
		next := append(slices.Clone(at), part)
		to, isLink := links[strings.Join(next, "/")]
		if !isLink {
			at = next
			continue
		}
		if hops++; hops > linkHops {
			return "" // a loop, which leads nowhere
		}
		if strings.HasPrefix(to, "/") || drive.MatchString(to) {
			return "is an absolute path, by way of another symlink"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return ""
}

// linksOf are the symlinks that the change sets, by name.
func linksOf(change *diff.Change) map[string]string {
	links := map[string]string{}
	for i := range change.Files {
		f := &change.Files[i]
		if f.NewMode != modeSymlink {
			continue
		}
		for line := range f.AddedLines() {
			links[f.New] = line.Text
			break
		}
	}
	return links
}

// commitShown is how many digits of a commit are shown.
const commitShown = 12

// submodule finds a commit of another repository that comes or moves. (case D14)
func (l *look) submodule() {
	for line := range l.file.AddedLines() {
		if commit, ok := strings.CutPrefix(line.Text, "Subproject commit "); ok {
			commit = commit[:min(len(commit), commitShown)]
			said := fmt.Sprintf("The change adds a submodule at commit %s.", commit)
			if l.file.Old != "" {
				said = fmt.Sprintf("The change moves the submodule to commit %s.", commit)
			}
			l.at(&submoduleRule, line.Number, "", said)
		}
	}
}

var submoduleURL = regexp.MustCompile(`^\s*url\s*=`)

// submoduleAddress finds an address in .gitmodules that is new.
func (l *look) submoduleAddress(line int, row string) {
	if l.file.New == ".gitmodules" && submoduleURL.MatchString(row) {
		l.at(&submoduleURLRule, line, "", "The change sets the address that a submodule is fetched from.")
	}
}
