package static

import (
	"fmt"
	"io/fs"
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
		l.movedLink()
		return
	}
	target, line := l.survey.targetOf(l.file)
	if why := escape(l.file.New, target, l.survey.linkTargets()); why != "" && line > 0 {
		l.at(&symlinkRule, line, "", "The target of the symlink "+why+".")
	}
}

// movedLink judges a symlink that is moved with its target at its new place. git's
// patch does not say what kind of file it moved, and a checkout without symlinks
// has text in their place; so text that is nothing but such a target is only
// suggested to be one.
func (l *look) movedLink() {
	f := l.file
	if f.Status != diff.Renamed || len(f.Hunks) > 0 || l.survey.root == nil {
		return
	}
	st, err := l.survey.root.Lstat(f.New)
	if err != nil {
		return
	}
	target, _ := l.survey.targetOf(f)
	isLink := st.Mode()&fs.ModeSymlink != 0
	if !isLink && (!strings.HasPrefix(target, "../") || strings.ContainsAny(target, "\n\x00")) {
		return
	}
	why := escape(f.New, target, l.survey.linkTargets())
	if why == "" || escape(f.Old, target, nil) != "" {
		return
	}
	s := spot{rule: &symlinkRule, said: "The symlink was moved, and from its new place its target " + why + "."}
	if !isLink {
		s.severity = events.SeveritySuggestion
		s.said = "If the file that was moved is a symlink, its target " + why + " from the new place."
	}
	l.keep(s)
}

// targetOf is where a symlink of the change points, and the added line that says
// so: of one that is only moved, the checkout has it.
func (s *survey) targetOf(f *diff.File) (target string, line int) {
	for added := range f.AddedLines() {
		return added.Text, added.Number
	}
	if s.root == nil || f.Status == diff.Deleted {
		return "", 0
	}
	if to, err := s.root.Readlink(f.New); err == nil {
		return to, 0
	}
	st, err := s.root.Lstat(f.New)
	if err != nil || !st.Mode().IsRegular() || st.Size() > linkBytesMax {
		return "", 0
	}
	body, err := s.root.ReadFile(f.New) // a checkout without symlinks has files instead
	if err != nil {
		return "", 0
	}
	return string(body), 0
}

// linkBytesMax bounds the target of a symlink, as file systems do.
const linkBytesMax = 4096

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
	if len(target) > linkBytesMax {
		return "" // no file system takes it
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
		if len(to) > linkBytesMax {
			return ""
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return ""
}

// linksOf are the symlinks that the change sets or moves, by name.
func (s *survey) linksOf() map[string]string {
	links := map[string]string{}
	for i := range s.change.Files {
		if f := &s.change.Files[i]; f.NewMode == modeSymlink && f.New != "" {
			links[f.New], _ = s.targetOf(f)
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

// submoduleURL is a key of git's configuration: in any case, and behind the head of
// its section, too.
var submoduleURL = regexp.MustCompile(`(?i)^\s*(?:\[[^\]]*\]\s*)?url\s*=`)

// submoduleAddress finds an address in .gitmodules that is new.
func (l *look) submoduleAddress(line int, row string) {
	if l.file.New == ".gitmodules" && submoduleURL.MatchString(row) {
		l.at(&submoduleURLRule, line, "", "The change sets the address that a submodule is fetched from.")
	}
}
