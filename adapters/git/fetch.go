package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Bounds of a fetch over the network.
const (
	fetchBytesASecond = "1000" // fewer,
	fetchSecondsSlow  = "60"   // for so long, and the server counts as gone
	sshConnectSeconds = "30"
)

// Fetch is one fetch into a repository of ours.
type Fetch struct {
	From Address
	// Refspecs are full and forced: "+refs/heads/*:refs/heads/*", "+ID:refs/run/…".
	Refspecs []string
	// Prune removes the branches that the source has no more. It is never joined
	// with refspecs for single refs: those would be deleted. (case W08)
	Prune bool
	// Env are variables that the operator wants git to have: NAME=VALUE. None are
	// passed otherwise, and so no credential of the operator's is used.
	Env []string
	// Credential is for the server, and for no other; nil = none.
	Credential *Credential
	// Held is a locked file, which git and its children hold with us.
	Held *os.File
}

// harmless are defects of objects that say nothing about their soundness: names
// that we never write to disk (names.go), addresses that we never follow, and
// what old tools wrote. They are no reason to refuse a whole fetch, in which one
// branch would spoil all others. Everything else of fsck is one. (cases W19, W23)
var harmless = []string{
	"badEmail", "badName", "badTimezone", "emptyName", "fullPathname",
	"gitattributesBlob", "gitattributesLarge", "gitattributesLineLength", "gitattributesMissing",
	"gitmodulesBlob", "gitmodulesLarge", "gitmodulesMissing", "gitmodulesName", "gitmodulesParse",
	"gitmodulesPath", "gitmodulesSymlink", "gitmodulesUpdate", "gitmodulesUrl",
	"hasDot", "hasDotdot", "hasDotgit", "missingEmail", "missingNameBeforeEmail",
	"missingSpaceBeforeDate", "missingSpaceBeforeEmail", "nullSha1", "zeroPaddedDate", "zeroPaddedFilemode",
}

// fetchSettings are for git processes that write to a repository of ours.
func fetchSettings() []setting {
	list := []setting{
		{"fetch.fsckObjects", "true"},
		{"transfer.credentialsInUrl", "die"},
		{"fetch.unpackLimit", "1"}, // one pack a fetch; the mirror's clean-up joins them
		{"fetch.writeCommitGraph", "false"},
		{"credential.helper", ""},
		{"credential.interactive", "never"},
		{"http.lowSpeedLimit", fetchBytesASecond},
		{"http.lowSpeedTime", fetchSecondsSlow},
		{"http.emptyAuth", "false"},
		{"core.sshCommand", ""},
	}
	for _, id := range harmless {
		list = append(list, setting{"fetch.fsck." + id, "ignore"})
	}
	return list
}

// fetchEnviron is the environment of a git that may talk to the address, and to
// nothing else. There is no home, and so neither .netrc nor a credential store.
func fetchEnviron(from Address, more []string, extra ...setting) []string {
	list := append(fetchSettings(), setting{"protocol." + from.protocol + ".allow", "always"})
	env := environ(append(list, extra...)...)
	env = append(env, "GIT_ALLOW_PROTOCOL="+from.protocol, "HOME="+os.DevNull, "XDG_CONFIG_HOME="+os.DevNull,
		"GIT_SSH_COMMAND=ssh -oBatchMode=yes -oConnectTimeout="+sshConnectSeconds)
	return append(env, more...)
}

// Fetch copies objects and refs from the source. It is one git process, asked to
// end when the context does. Its errors are sorted: see FetchError.
func (r *Repo) Fetch(ctx context.Context, f Fetch) error {
	extra, secret, err := f.Credential.settings(f.From)
	if err != nil {
		return fmt.Errorf("fetch from %s: %w", f.From, err)
	}
	env := append(fetchEnviron(f.From, f.Env, extra...), secret...)
	c := &call{dir: r.GitDir, env: append(env, "GIT_DIR="+r.GitDir), limit: OutputShort, writes: true}
	c.args = []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
		"--no-recurse-submodules", "--refmap=", "--update-shallow", "--stdin"}
	if f.Prune {
		c.args = append(c.args, "--prune")
	}
	c.args = append(c.args, "--", f.From.text)
	if f.Held != nil {
		c.held = []*os.File{f.Held}
	}
	run := func() error {
		c.stdin = strings.NewReader(strings.Join(f.Refspecs, "\n") + "\n")
		_, err := c.output(ctx)
		return sortFetch(err)
	}
	err = run()
	if errors.Is(err, ErrOwnership) && f.From.Local() {
		err = r.trusted(ctx, f.From.text, c, run, err)
	}
	if err != nil {
		return fmt.Errorf("fetch from %s: %w", f.From, err)
	}
	return nil
}

// trusted tries again with the operator's own exceptions for folders of other
// users. The process at the other end reads them from a file alone. (case W27)
func (r *Repo) trusted(ctx context.Context, source string, c *call, run func() error, refused error) error {
	exceptions, err := exceptions(ctx, source)
	if err != nil || len(exceptions) == 0 {
		return refused
	}
	var text strings.Builder
	text.WriteString("[safe]\n")
	for _, e := range exceptions {
		fmt.Fprintf(&text, "\tdirectory = %s\n", configValue(e.value))
	}
	dir, err := os.MkdirTemp("", "reviewctl-git-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		return err
	}
	c.env = append(c.env, "GIT_CONFIG_GLOBAL="+file)
	return run()
}

// configValue is a value of a git configuration.
func configValue(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(value) + `"`
}
