package gocheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/reviewctl/reviewctl/adapters/diff"
	"github.com/reviewctl/reviewctl/adapters/engine/static"
)

// Bounds of the copy that becomes the old side. One that does not fit is not made,
// and the tools do not look at it.
const (
	copiedFilesMax = 30_000
	copiedBytesMax = 256 << 20
)

var errTooLarge = errors.New("the checkout is too large to be copied")

// oldTree makes the old side: a copy of the checkout in which the patch is taken
// back. The checkout itself is shared with others and stays as it is. ok = false
// says that there is no such tree.
func (k *check) oldTree(ctx context.Context) (ok bool, err error) {
	if _, err := os.Lstat(k.base()); err == nil {
		return true, nil
	}
	err = k.copyTree(ctx)
	if errors.Is(err, errTooLarge) {
		return false, os.RemoveAll(k.base())
	}
	if err != nil {
		return false, fmt.Errorf("put the old side together: %w", err)
	}
	to, err := os.OpenRoot(k.base())
	if err != nil {
		return false, fmt.Errorf("put the old side together: %w", err)
	}
	defer to.Close()
	for i := range k.in.Diff.Files { // all before any is written: files may have changed places
		if f := &k.in.Diff.Files[i]; f.New != "" && !untouched(f) {
			err = to.Remove(f.New)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("put the old side together: %w", err)
		}
	}
	for i := range k.in.Diff.Files {
		if err := k.takeBack(to, &k.in.Diff.Files[i]); err != nil {
			return false, fmt.Errorf("put the old side together: %w", err)
		}
	}
	return true, nil
}

// untouched are files whose old side nobody can know, so they stay as they are.
func untouched(f *diff.File) bool { return f.Submodule || f.Binary && f.Status != diff.Added }

func (k *check) copyTree(ctx context.Context) error {
	if err := os.Mkdir(k.base(), 0o700); err != nil {
		return err
	}
	files, left := 0, int64(copiedBytesMax)
	return filepath.WalkDir(k.in.Change.Dir, func(from string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		name, err := filepath.Rel(k.in.Change.Dir, from)
		if err != nil {
			return err
		}
		to := filepath.Join(k.base(), name)
		switch {
		case name == ".":
			return nil
		case entry.IsDir():
			return os.Mkdir(to, 0o700)
		case !entry.Type().IsRegular():
			return nil
		}
		if files++; files > copiedFilesMax {
			return errTooLarge
		}
		n, err := k.copyFile(name, to, left)
		left -= n
		return err
	})
}

func (k *check) copyFile(name, to string, left int64) (int64, error) {
	in, err := k.checkout.Open(name)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(out, io.LimitReader(in, left+1))
	err = errors.Join(err, out.Close())
	if err == nil && n > left {
		err = errTooLarge
	}
	return n, err
}

// takeBack puts the old side of one file where it was.
func (k *check) takeBack(to *os.Root, f *diff.File) error {
	if f.Old == "" || untouched(f) || f.Status == diff.Added || f.Status == diff.Copied {
		return nil
	}
	if err := to.MkdirAll(filepath.Dir(f.Old), 0o700); err != nil {
		return err
	}
	return to.WriteFile(f.Old, static.OldText(k.checkout, f), 0o600)
}
