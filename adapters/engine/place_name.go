package engine

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/events"
)

// foldersOf are the ways to name the checkout's folder.
func foldersOf(dir string) []string {
	dirs := []string{strings.TrimSuffix(dir, "/")}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dirs[0] {
		dirs = append(dirs, real)
	}
	return dirs
}

// learn notes how people may spell the file's name.
func (p *placer) learn(f *diff.File) {
	name := f.Path()
	if shown, exact := diff.ShowPath(name); exact != "" {
		p.shown[shown] = name
	}
	// A former name stands for the new one unless the change reuses it.
	// (semantics 14.1)
	if f.Status == diff.Renamed && p.diff.File(f.Old) == nil {
		p.renamed[f.Old] = f.New
	}
	low := strings.ToLower(name)
	if other, taken := p.folded[low]; taken && other != name {
		name = ""
	}
	p.folded[low] = name
}

// name is the bytes of the file that the finding means: its own spelling where
// that is a file, else what people write for one. "" is no file. (case D35)
func (p *placer) name(f *events.Finding) string {
	said := diff.ExactPath(f.File, f.FileBase64)
	if exact, ok := p.shown[said]; ok {
		return exact
	}
	readings := p.readings(said)
	for _, name := range readings {
		if p.known(name) {
			return name
		}
		if now, ok := p.renamed[name]; ok {
			return now
		}
	}
	for _, name := range readings {
		if spelled := p.folded[strings.ToLower(name)]; spelled != "" {
			return spelled
		}
	}
	if len(readings) == 0 {
		return ""
	}
	return readings[min(1, len(readings)-1)] // without what leads to the checkout
}

// readings are what a spelling may mean, the likeliest first: itself; without what
// leads to the checkout; without the letter that a patch puts before it; and with
// slashes for backslashes. Nothing is read into a name that leads upwards.
func (p *placer) readings(said string) []string {
	if strings.TrimSpace(said) == "" {
		return nil
	}
	names := []string{said}
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, s := range []string{said, strings.ReplaceAll(said, `\`, "/")} {
		for _, dir := range p.dirs {
			if rest, ok := strings.CutPrefix(s, dir+"/"); ok {
				s = rest
			}
		}
		if upwards(s) {
			return names[:1]
		}
		s = strings.TrimPrefix(path.Clean(s), "/")
		if s == "." || s == "" {
			return nil
		}
		add(s)
		for _, prefix := range []string{"a/", "b/"} { // as a patch spells it
			if rest, ok := strings.CutPrefix(s, prefix); ok && rest != "" {
				add(rest)
			}
		}
	}
	return names
}

func upwards(name string) bool { return slices.Contains(strings.Split(name, "/"), "..") }

func (p *placer) known(name string) bool { return p.diff.File(name) != nil || p.exists(name) }

// exists asks the checkout, for a name as git would spell it, and never through a
// link that leads out of it.
func (p *placer) exists(name string) bool {
	if p.root == nil || name != path.Clean(name) || !filepath.IsLocal(name) {
		return false
	}
	_, err := p.root.Lstat(name)
	return err == nil
}

// regular reports whether the checkout has a file of that name.
func (p *placer) regular(name string) bool {
	if !p.exists(name) {
		return false
	}
	st, err := p.root.Lstat(name)
	return err == nil && st.Mode().IsRegular()
}

// submodule reports whether the head has a commit of another repository there. Its
// one line is that commit's id. (case D14)
func (p *placer) submodule(name string, entry *diff.File) bool {
	return entry.Submodule && !p.regular(name)
}
