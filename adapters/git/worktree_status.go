package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/reviewctl/reviewctl/events"
)

// difference is how a checkout differs from its index, and whether that differs
// from the commit.
type difference struct {
	head        events.Commit
	staged      bool
	add, remove []string
	left        []SkippedFile
}

// status asks git what differs. It looks into no submodule, and compares a file
// with its blob without the repository's filters. (cases W17, W19)
func (w *worktree) status(ctx context.Context) (*difference, error) {
	c := w.call(ListMax, "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind", "--no-renames",
		"--untracked-files=all", "--ignore-submodules=dirty")
	d := &difference{}
	err := c.stream(ctx, func(out io.Reader) error {
		return eachRecord(out, func(record string) error {
			if err := w.take(d, record); err != nil {
				return err
			}
			if len(d.add)+len(d.remove) > SnapshotFilesMax {
				return &LimitError{What: "uncommitted files", Limit: SnapshotFilesMax}
			}
			return nil
		})
	})
	if err == nil && d.head == "" {
		err = &RefError{Ref: "HEAD"}
	}
	return d, err
}

// take reads one record of "git status --porcelain=v2 -z".
func (w *worktree) take(d *difference, record string) error {
	kind, rest, _ := strings.Cut(record, " ")
	switch kind {
	case "#":
		if id, ok := strings.CutPrefix(rest, "branch.oid "); ok && IsCommit(id) {
			d.head = events.Commit(id)
		}
		return nil
	case "?":
		w.present(d, rest, false, false)
		return nil
	case "1", "u":
		before := 7 // XY, sub, three modes, two ids
		if kind == "u" {
			before = 9
		}
		fields := strings.SplitN(rest, " ", before+1)
		if len(fields) != before+1 || len(fields[0]) != 2 {
			return fmt.Errorf("git status: unexpected record %.200q", record)
		}
		d.tracked(w, kind == "u", fields[0], fields[1], fields[before])
		return nil
	}
	return fmt.Errorf("git status: unexpected record %.200q", record)
}

// tracked takes a file of the index or of the commit. A conflict is settled by
// what lies in the checkout, markers and all.
func (d *difference) tracked(w *worktree, conflict bool, how, sub, path string) {
	switch submodule := sub[0] == 'S'; {
	case conflict:
		left := len(d.left)
		w.present(d, path, submodule, true)
		if len(d.left) > left {
			d.remove = append(d.remove, path) // no tree holds a conflict
		}
	case how[1] == '.':
		d.staged = true
	case how[1] == 'D':
		d.remove = append(d.remove, path)
	default:
		w.present(d, path, submodule, true)
	}
}

// present takes a file that lies in the checkout, or leaves it out with a reason.
// What is gone by now is as good as removed.
func (w *worktree) present(d *difference, path string, submodule, tracked bool) {
	why, err := w.refuse(path, submodule)
	switch {
	case err == nil && why == "":
		d.add = append(d.add, path)
	case err != nil && missing(err):
		if tracked {
			d.remove = append(d.remove, path)
		}
	case err != nil:
		d.left = append(d.left, SkippedFile{Path: path, Reason: reasonOf(err)})
	default:
		d.left = append(d.left, SkippedFile{Path: path, Reason: why})
	}
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func reasonOf(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// refuse says why a file cannot be part of a commit, or "".
func (w *worktree) refuse(path string, submodule bool) (string, error) {
	if why := unsafeName(strings.TrimSuffix(path, "/")); why != "" {
		return why, nil
	}
	full := filepath.Join(w.r.Top, path)
	st, err := os.Lstat(full)
	if err != nil {
		return "", err
	}
	switch mode := st.Mode(); {
	case mode.IsDir() && submodule, mode.Type() == fs.ModeSymlink:
		return "", nil
	case mode.IsDir():
		return "it is a repository of its own", nil
	case !mode.IsRegular():
		return "it is neither a file nor a link", nil
	case st.Size() > SnapshotFileMax:
		return fmt.Sprintf("it is larger than %d MiB", SnapshotFileMax>>20), nil
	}
	f, err := os.OpenFile(full, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a pipe by now
	if err != nil {
		return "", err
	}
	return "", f.Close()
}

// operatorSettings are what only the operator's own configuration says, and what a
// commit would heed: which files are ignored, and how lines end. The filters that
// anybody configured are emptied. (case W17)
func (r *Repo) operatorSettings(ctx context.Context) ([]setting, error) {
	env := append(ownEnviron(), "GIT_DIR="+r.GitDir)
	c := call{dir: r.Top, env: env, limit: OutputShort, args: []string{
		"config", "-z", "--get-regexp", `^(core\.(excludesfile|autocrlf|eol)|filter\..*)$`}}
	out, err := c.output(ctx)
	if err != nil && exitCode(err) != 1 { // 1: none is set
		return nil, err
	}
	home, _ := os.UserHomeDir() // without one nothing is ignored for this user
	ignored := ""
	if home != "" {
		ignored = filepath.Join(home, ".config", "git", "ignore")
	}
	if folder := os.Getenv("XDG_CONFIG_HOME"); folder != "" {
		ignored = filepath.Join(folder, "git", "ignore")
	}
	var list []setting
	for entry := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(entry, "\n")
		switch driver, _, ok := cutLast(key, "."); {
		case key == "core.excludesfile":
			ignored = value
			if rest, ok := strings.CutPrefix(value, "~/"); ok {
				ignored = filepath.Join(home, rest)
			}
		case key == "core.autocrlf", key == "core.eol":
			list = append(list, setting{key, value})
		case ok && strings.HasPrefix(driver, "filter."):
			list = append(list, setting{driver + ".clean", ""}, setting{driver + ".smudge", ""},
				setting{driver + ".process", ""}, setting{driver + ".required", "false"})
		}
	}
	if ignored != "" {
		list = append(list, setting{"core.excludesFile", ignored})
	}
	return list, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}
