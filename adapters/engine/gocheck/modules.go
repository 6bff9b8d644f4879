package gocheck

import (
	"cmp"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
)

// Bounds of one session.
const (
	ModulesMax  = 20
	PackagesMax = 200 // of one module
	upwardsMax  = 64  // folders above a file
	parsedMax   = 1 << 20
)

// module is a folder with a go.mod, and the changed packages in it.
type module struct {
	dir      string // in the checkout, with slashes; "." = its root
	work     string // GOWORK
	flag     string // of -mod; "" = as the go command decides
	packages map[string][]string
}

// goFiles are the changed files that Go's tools may look at, in order. What lies in
// a folder that the go command passes over is no package of anybody's.
func goFiles(change *diff.Change) []string {
	var names []string
	for i := range change.Files {
		f := &change.Files[i]
		if f.Status == diff.Deleted || !strings.HasSuffix(f.New, ".go") || f.Binary || f.Submodule || f.Truncated ||
			strings.ContainsAny(f.New, "\n\x00\\") || passedOver(f.New) {
			continue
		}
		names = append(names, f.New)
	}
	slices.Sort(names)
	return names
}

func passedOver(name string) bool {
	for _, part := range strings.Split(name, "/") {
		if part == "testdata" || part == "vendor" || strings.HasPrefix(part, "_") || strings.HasPrefix(part, ".") {
			return true
		}
	}
	return false
}

// modules puts the files into their modules, and says of each that cannot be put
// there why not.
func (k *check) modules(files []string) []*module {
	all := map[string]*module{}
	for _, name := range files {
		dir, ok := k.moduleOf(name)
		if !ok {
			k.note(name, "go vet did not look at it: there is no go.mod above it")
			continue
		}
		if why := k.excluded(name); why != "" {
			k.note(name, "go vet did not look at it: "+why)
			continue
		}
		m := all[dir]
		if m == nil {
			if len(all) == ModulesMax {
				k.note(name, fmt.Sprintf("go vet did not look at it: the change touches more than %d modules", ModulesMax))
				continue
			}
			m = k.newModule(dir)
			all[dir] = m
		}
		folder := path.Dir(name)
		if m.packages[folder] == nil && len(m.packages) == PackagesMax {
			k.note(name, fmt.Sprintf("go vet did not look at it: the change touches more than %d packages of its module", PackagesMax))
			continue
		}
		m.packages[folder] = append(m.packages[folder], name)
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *module) int { return cmp.Compare(a.dir, b.dir) })
}

// newModule says how the go command shall find its packages: in the vendor folder
// where there is one, else in the module cache; by the workspace of the tree where
// there is one, and by none that lies above it.
func (k *check) newModule(dir string) *module {
	m := &module{dir: dir, work: "off", flag: "readonly", packages: map[string][]string{}}
	if k.regular(path.Join(dir, "vendor/modules.txt")) {
		m.flag = "vendor"
	}
	for up := dir; ; up = path.Dir(up) {
		if k.regular(path.Join(up, "go.work")) {
			m.work, m.flag = filepath.Join(k.in.Change.Dir, filepath.FromSlash(up), "go.work"), ""
		}
		if up == "." || m.work != "off" {
			return m
		}
	}
}

func (k *check) moduleOf(name string) (dir string, ok bool) {
	dir = path.Dir(name)
	for range upwardsMax {
		if k.regular(path.Join(dir, "go.mod")) {
			return dir, true
		}
		if dir == "." {
			return "", false
		}
		dir = path.Dir(dir)
	}
	return "", false
}

func (k *check) regular(name string) bool {
	st, err := k.checkout.Lstat(filepath.FromSlash(name))
	return err == nil && st.Mode().IsRegular()
}

// excluded says why the go command leaves the file out on this machine.
func (k *check) excluded(name string) string {
	context := build.Default
	context.CgoEnabled = false
	context.OpenFile = func(string) (io.ReadCloser, error) { return k.checkout.Open(filepath.FromSlash(name)) }
	match, err := context.MatchFile(path.Dir(name), path.Base(name))
	switch {
	case err != nil:
		return "" // its syntax is wrong, which the tools will say
	case !match:
		return fmt.Sprintf("its build constraints leave it out on %s/%s", context.GOOS, context.GOARCH)
	}
	file, err := k.checkout.Open(filepath.FromSlash(name))
	if err != nil {
		return ""
	}
	defer file.Close()
	parsed, err := parser.ParseFile(token.NewFileSet(), "", io.LimitReader(file, parsedMax), parser.ImportsOnly)
	if parsed == nil || err != nil {
		return ""
	}
	for _, spec := range parsed.Imports {
		if spec.Path.Value == `"C"` {
			return "it uses cgo, which is off"
		}
	}
	return ""
}

// folders are the module's changed packages, as the go command takes them.
func (m *module) folders() []string {
	var all []string
	for _, folder := range slices.Sorted(maps.Keys(m.packages)) {
		all = append(all, m.pattern(folder))
	}
	return all
}

func (m *module) pattern(folder string) string {
	if folder == m.dir {
		return "."
	}
	if m.dir == "." {
		return "./" + folder
	}
	return "./" + strings.TrimPrefix(folder, m.dir+"/")
}

// files are the changed files of the module, in order.
func (m *module) files() []string {
	var all []string
	for _, folder := range slices.Sorted(maps.Keys(m.packages)) {
		all = append(all, m.packages[folder]...)
	}
	return all
}
