package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// ErrUnsuited: a folder that was filled before cannot be brought to the commit; an
// empty one can be.
var ErrUnsuited = errors.New("the folder is not suited for the commit")

// Manifest says what an export left on disk.
type Manifest struct {
	Commit events.Commit
	Bytes  int64              // of all files
	Files  map[string]Written // by git's path
}

// Written is a file as it was written. Whoever changes the file changes one of
// these, whatever they set back: the time of the last change to the file's entry
// is not theirs to set.
type Written struct {
	ID       string
	Mode     fs.FileMode
	Size     int64
	Modified int64 // nanoseconds
	Changed  int64 // the same, of the entry; 0 where the system has none
	Inode    uint64
}

// written reads what the disk says of a file.
func written(id string, st fs.FileInfo) Written {
	changed, inode := entryTime(st)
	return Written{ID: id, Mode: st.Mode(), Size: st.Size(), Modified: st.ModTime().UnixNano(), Changed: changed, Inode: inode}
}

// note adds a file that was written in full.
func (m *Manifest) note(e TreeEntry, f *os.File) error {
	st, err := f.Stat()
	if err != nil {
		return err
	}
	m.add(e.Path, written(e.ID, st))
	return nil
}

func (m *Manifest) add(path string, w Written) {
	m.Files[path] = w
	m.Bytes += w.Size
}

// manifestFormat is the first word of a manifest's text. Another format is none.
const manifestFormat = "reviewctl-tree-1"

// Bounds of a manifest's text.
const (
	manifestHeadMax   = 1 << 10
	manifestRecordMax = 64 << 10
)

// WriteTo writes the manifest's text: a line with the format, the commit, the sum
// of bytes and the number of files, then a record for each file, ended by NUL.
func (m *Manifest) WriteTo(w io.Writer) (int64, error) {
	out := bufio.NewWriterSize(w, 64<<10)
	n, err := fmt.Fprintf(out, "%s %s %d %d\n", manifestFormat, m.Commit, m.Bytes, len(m.Files))
	sum := int64(n)
	paths := make([]string, 0, len(m.Files))
	for path := range m.Files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		if err != nil {
			break
		}
		f := m.Files[path]
		n, err = fmt.Fprintf(out, "%s %o %d %d %d %d %s\x00", f.ID, uint32(f.Mode), f.Size, f.Modified, f.Changed, f.Inode, path)
		sum += int64(n)
	}
	return sum, errors.Join(err, out.Flush())
}

// ReadManifest reads a manifest's text. A text that is cut off or odd is an error.
func ReadManifest(r io.Reader) (*Manifest, error) {
	in := bufio.NewReaderSize(r, manifestRecordMax)
	m, count, err := manifestHead(in)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	for range count {
		record, err := in.ReadSlice(0)
		if err != nil {
			return nil, fmt.Errorf("read manifest: %w", noEOF(err))
		}
		path, w, err := manifestRecord(string(record[:len(record)-1]))
		if err != nil {
			return nil, fmt.Errorf("read manifest: %w", err)
		}
		m.Files[path] = w
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read manifest: %w", errManifest)
	}
	return m, nil
}

var errManifest = errors.New("not the manifest of a tree")

// ReadManifestHead reads the commit and the size of what a manifest is about, and
// no more.
func ReadManifestHead(r io.Reader) (events.Commit, int64, error) {
	m, _, err := manifestHead(bufio.NewReaderSize(r, manifestHeadMax))
	if err != nil {
		return "", 0, fmt.Errorf("read manifest: %w", err)
	}
	return m.Commit, m.Bytes, nil
}

func manifestHead(in *bufio.Reader) (*Manifest, int, error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return nil, 0, errManifest
	}
	fields := strings.Fields(string(line))
	if len(fields) != 4 || fields[0] != manifestFormat || !IsCommit(fields[1]) {
		return nil, 0, errManifest
	}
	bytes, err1 := strconv.ParseInt(fields[2], 10, 64)
	count, err2 := strconv.Atoi(fields[3])
	if err1 != nil || err2 != nil || count < 0 || count > ExportFilesMax || bytes < 0 {
		return nil, 0, errManifest
	}
	return &Manifest{Commit: events.Commit(fields[1]), Bytes: bytes, Files: map[string]Written{}}, count, nil
}

func manifestRecord(record string) (path string, w Written, err error) {
	fields := strings.SplitN(record, " ", 7)
	if len(fields) != 7 || !IsCommit(fields[0]) || unsafeName(fields[6]) != "" {
		return "", w, errManifest
	}
	mode, err := strconv.ParseUint(fields[1], 8, 32)
	numbers := make([]int64, 3)
	for i := range numbers {
		var bad error
		numbers[i], bad = strconv.ParseInt(fields[2+i], 10, 64)
		err = errors.Join(err, bad)
	}
	inode, bad := strconv.ParseUint(fields[5], 10, 64)
	if err = errors.Join(err, bad); err != nil {
		return "", w, errManifest
	}
	return fields[6], Written{ID: fields[0], Mode: fs.FileMode(mode), Size: numbers[0],
		Modified: numbers[1], Changed: numbers[2], Inode: inode}, nil
}
