// Package artifact keeps evidence that is too big for an event: an artifact is a
// file named by the SHA-256 of its bytes. An event that names one is written
// after it. (ARCHITECTURE, rule 6) It is part of adapters/engine.
package artifact

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/reviewctl/reviewctl/events"
)

// Folder holds artifacts. Any number of processes may use one.
type Folder struct{ root string }

// Open makes the folder where it is not there.
func Open(root string) (*Folder, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, fmt.Errorf("open artifact folder: %w", err)
	}
	return &Folder{root: root}, nil
}

// Path says where an artifact lies.
func (f *Folder) Path(d events.Digest) string {
	return filepath.Join(f.root, string(d[:2]), string(d))
}

// Put writes the bytes and returns once they are on the disk.
func (f *Folder) Put(content []byte) (events.Digest, error) {
	digest := events.DigestOf(content)
	path := f.Path(digest)
	if _, err := os.Stat(path); err == nil {
		return digest, nil // complete: it got its name after its bytes
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("put artifact: %w", err)
	}
	if err := f.write(path, content); err != nil {
		return "", fmt.Errorf("put artifact: %w", err)
	}
	return digest, nil
}

func (f *Folder) write(path string, content []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(f.root, "new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(content)
	if syncErr := tmp.Sync(); err == nil {
		err = syncErr
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return err
	}
	// The names must survive too, that of the sub-folder included.
	for _, dir := range []string{filepath.Dir(path), f.root} {
		if err := syncDir(dir); err != nil {
			return err
		}
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if closeErr := d.Close(); err == nil {
		err = closeErr
	}
	return err
}
