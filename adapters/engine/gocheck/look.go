package gocheck

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/static"
)

// checks are staticcheck's own default. They are named, so that no staticcheck.conf
// of the tree says others.
const checks = "all,-SA9003,-ST1000,-ST1003,-ST1016,-ST1020,-ST1021,-ST1022,-ST1023"

// runner runs one tool over packages of a module, below a tree.
type runner struct {
	name string
	run  func(ctx context.Context, tree string, m *module, packages []string) (*report, error)
}

func (k *check) runners() []runner {
	all := []runner{{"go vet", k.vet}}
	if k.tools.staticcheck != "" {
		all = append(all, runner{"staticcheck", k.lint})
	}
	return all
}

func (k *check) vet(ctx context.Context, tree string, m *module, packages []string) (*report, error) {
	dir := filepath.Join(tree, filepath.FromSlash(m.dir))
	command := append([]string{filepath.Join(k.tools.goRoot, "bin", "go"), "vet", "-json"}, packages...)
	out, err := k.tool(ctx, dir, m, command...)
	if err != nil || out.cut {
		return cutReport(out, err)
	}
	return vetReport(tree, dir, out)
}

func (k *check) lint(ctx context.Context, tree string, m *module, packages []string) (*report, error) {
	dir := filepath.Join(tree, filepath.FromSlash(m.dir))
	command := append([]string{k.tools.staticcheck, "-f", "json", "-show-ignored", "-checks", checks}, packages...)
	out, err := k.tool(ctx, dir, m, command...)
	if err != nil || out.cut {
		return cutReport(out, err)
	}
	return staticcheckReport(tree, dir, out)
}

func cutReport(out *output, err error) (*report, error) {
	if err != nil {
		return nil, err
	}
	return &report{failure: out.why}, nil
}

// module lets the tools look at the changed packages of a module.
func (k *check) module(ctx context.Context, m *module) error {
	for _, tool := range k.runners() {
		got, err := tool.run(ctx, k.in.Change.Dir, m, m.folders())
		if err != nil {
			return err
		}
		k.notLooked(tool.name, m, got)
		found, stay := k.onAdded(got.faults)
		if len(found) == 0 {
			continue
		}
		had, err := k.before(ctx, tool, m, found)
		if err != nil {
			return err
		}
		for key, n := range stay { // those are accounted for
			had[key] -= n
		}
		for _, f := range found {
			if had[f.key()] > 0 {
				had[f.key()]--
				continue
			}
			k.checked.Faults[f.file] = append(k.checked.Faults[f.file], f.Fault)
		}
	}
	for _, all := range k.checked.Faults {
		slices.SortFunc(all, func(a, b static.Fault) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
		})
	}
	return nil
}

// notLooked says of each changed file that a tool did not look at why not.
func (k *check) notLooked(tool string, m *module, r *report) {
	for _, name := range m.files() {
		why := r.broken[path.Dir(name)]
		if why == "" && r.failure != "" {
			why = r.failure
		}
		if why != "" {
			k.note(name, fmt.Sprintf("%s did not look at all of it: %s", tool, trees(why, k.in.Change.Dir, k.base())))
		}
	}
}

// trees takes the folders of this machine out of a message.
func trees(message string, dirs ...string) string {
	for _, dir := range dirs {
		message = strings.ReplaceAll(message, dir+"/", "")
		message = strings.ReplaceAll(message, dir, "the checkout")
	}
	return message
}

// onAdded keeps what is said of lines that the change added, once, in order, and
// counts what is said of the others. A package and its tests are looked at apart,
// and say the same.
func (k *check) onAdded(all []said) (found []said, stay map[string]int) {
	slices.SortFunc(all, func(a, b said) int {
		return cmp.Or(
			cmp.Compare(a.file, b.file), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message), cmp.Compare(a.End, b.End), cmp.Compare(a.Withheld, b.Withheld),
		)
	})
	all = slices.CompactFunc(all, func(a, b said) bool {
		return a.file == b.file && a.Line == b.Line && a.Rule == b.Rule && a.Message == b.Message
	})
	stay = map[string]int{}
	added := map[string]map[int]bool{}
	for _, f := range all {
		entry := k.in.Diff.File(f.file)
		if f.file == "" || entry == nil || entry.New != f.file {
			continue
		}
		lines := added[f.file]
		if lines == nil {
			lines = map[int]bool{}
			for line := range entry.AddedLines() {
				lines[line.Number] = true
			}
			added[f.file] = lines
		}
		f.Message = trees(f.Message, k.in.Change.Dir)
		if lines[f.Line] {
			found = append(found, f)
		} else {
			stay[f.key()]++
		}
	}
	return found, stay
}

var digits = regexp.MustCompile(`\d+`)

// key tells whether two sides say the same: of one file, by one rule, but for
// numbers, which are lines as often as not.
func (f *said) key() string {
	return f.file + "\x00" + f.Rule + "\x00" + digits.ReplaceAllString(f.Message, "0")
}

// before counts what the tool says of the old side of the files. Of one that had
// other errors, or cannot be put together, it says nothing: then what is found on
// added lines is the change's.
func (k *check) before(ctx context.Context, tool runner, m *module, found []said) (map[string]int, error) {
	names := map[string]string{} // in the old side → in the head
	folders := map[string]bool{}
	for _, f := range found {
		entry := k.in.Diff.File(f.file)
		if entry.Status == diff.Added {
			continue
		}
		names[entry.Old] = f.file
		if folder := path.Dir(entry.Old); m.dir == "." || folder == m.dir || strings.HasPrefix(folder, m.dir+"/") {
			folders[m.pattern(folder)] = true
		}
	}
	if len(folders) == 0 {
		return map[string]int{}, nil
	}
	ok, err := k.oldTree(ctx)
	if err != nil || !ok {
		return map[string]int{}, err
	}
	packages := make([]string, 0, len(folders))
	for folder := range folders {
		packages = append(packages, folder)
	}
	slices.Sort(packages)
	old := *m
	if old.work != "off" {
		old.work = filepath.Join(k.base(), strings.TrimPrefix(old.work, k.in.Change.Dir))
	}
	got, err := tool.run(ctx, k.base(), &old, packages)
	if err != nil {
		return nil, err
	}
	had := map[string]int{}
	seen := map[said]bool{}
	for _, f := range got.faults {
		name, ok := names[f.file]
		f.End, f.Withheld = 0, ""
		if ok && !seen[f] {
			seen[f] = true
			f.file, f.Message = name, trees(f.Message, k.base())
			had[f.key()]++
		}
	}
	return had, nil
}
