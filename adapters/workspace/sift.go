package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/reviewctl/reviewctl/actors"
	"github.com/reviewctl/reviewctl/adapters/git"
	"github.com/reviewctl/reviewctl/events"
)

// sifter notes of each changed file who leaves it out of the review, and what
// nobody can look at. It decides nothing: that is the run's. (actors/run/size.go)
type sifter struct {
	files []git.FileChange
	rules []*pattern     // that decide by name, by file; nil = none
	marks map[int][]byte // of files at the head that a program made
}

// read reads the change between two commits, whose head lies in the folder.
func (w *Workspace) read(ctx context.Context, from source, change *actors.Change, skipped []git.SkippedFile, files []git.FileChange) error {
	s, err := newSifter(files, from.exclude, change.Dir)
	if err != nil {
		return err
	}
	patch, err := from.repo.ReadPatch(ctx, change.MergeBase, change.Head, files, git.PatchLimits{Bytes: w.bounds.PatchBytes}, s.part)
	if err != nil {
		return err
	}
	unwritten := map[string]string{}
	for _, f := range skipped {
		unwritten[f.Path] = f.Reason
	}
	change.Patch, change.Aside = patch.Text, patch.Aside
	change.Files = make([]events.ChangedFile, len(files))
	for i := range files {
		f := files[i].ChangedFile
		f.TooLarge = cmp.Or(f.TooLarge, patch.TooLarge[i])
		if f.Status != "D" {
			f.Unwritten = unwritten[files[i].NewPath]
		}
		fitNames(&f)
		change.Files[i] = f
		change.Lines += f.Added + f.Deleted
	}
	change.Print = printOf(change)
	return nil
}

func newSifter(files []git.FileChange, configured []string, dir string) (*sifter, error) {
	x, err := newExclusions(configured)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("read changed files: %w", err)
	}
	defer func() { _ = root.Close() }()
	s := &sifter{files: files, rules: make([]*pattern, len(files)), marks: map[int][]byte{}}
	for i := range files {
		f := &files[i]
		s.rules[i] = x.of(f.NewPath)
		if s.rules[i] != nil || f.Status == "D" || f.Binary {
			continue
		}
		if mark := markOf(headOf(root, f.NewPath)); mark != nil {
			s.marks[i] = mark
		}
	}
	return s, nil
}

// headOf reads the beginning of a file of the checkout. One that is not there, or
// cannot be read, says nothing.
func headOf(root *os.Root, name string) []byte {
	if st, err := root.Lstat(name); err != nil || !st.Mode().IsRegular() {
		return nil
	}
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, markBytesMax)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return head[:n]
}

// part notes who excludes the file, and says where its section goes.
func (s *sifter) part(i int, section []byte) git.Part {
	f := &s.files[i]
	if rule := s.rules[i]; rule != nil {
		if rule.include {
			return git.PartKept
		}
		f.Excluded, f.Rule = rule.by, rule.text
		if rule.by == events.ExcludedConfigured {
			return git.PartLeft
		}
		return git.PartAside
	}
	mark := s.marks[i]
	if f.Status == "D" {
		mark = markOf(removedHead(section))
	}
	if mark == nil || f.Status != "A" && addsMark(section, mark) {
		return git.PartKept
	}
	f.Excluded, f.Rule = events.ExcludedGenerated, shownMark(mark)
	return git.PartAside
}

// printOf identifies what is reviewed: the patch and, where something is left out
// of it, what and by which rule.
func printOf(change *actors.Change) events.Digest {
	var out []byte
	for i := range change.Files {
		if f := &change.Files[i]; f.Excluded != "" {
			out = append(out, string(f.Excluded)+"\x00"+f.Path+"\x00"+f.PathBase64+"\x00"...)
		}
	}
	if len(out) == 0 {
		return git.DiffPrint(change.Patch)
	}
	return events.DigestOf(slicesOf(string(git.DiffPrint(change.Patch))+string(git.DiffPrint(change.Aside)), out, ""))
}

// nameMax bounds a path on record, in bytes. Every file system has a lower bound.
const nameMax = 8 << 10

// fitNames shortens paths that no file system takes, and that would not fit into
// an event. The digest keeps them apart.
func fitNames(f *events.ChangedFile) {
	for _, name := range []*string{&f.Path, &f.Old} {
		if len(*name) > nameMax {
			digest := string(events.DigestOf([]byte(*name)))
			*name = (*name)[:runeStart(*name, nameMax/8)] + "…" + digest[:12]
			f.PathBase64 = ""
		}
	}
}

// runeStart is the last place at or before n at which a rune begins.
func runeStart(s string, n int) int {
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return n
}
