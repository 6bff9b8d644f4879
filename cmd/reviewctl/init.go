package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/reviewctl/reviewctl/adapters/git"
)

// InitAnswer is what `init` prints.
type InitAnswer struct {
	File       string   `json:"file"`
	Repository string   `json:"repository"` // "" = this folder is not in one
	Path       string   `json:"path"`
	Base       string   `json:"base"`    // the branch that others go into; "" = none yet
	GitHub     string   `json:"github"`  // the host of the GitHub that it came from; "" = it did not
	Linters    []string `json:"linters"` // found here, as examples

	hub originOnHub
}

// linterHere is a linter that reads files and builds nothing, and how to run it.
type linterHere struct {
	name    string
	kind    string
	command string // of a YAML list
}

// lintersKnown are looked for on PATH. What builds the code first cannot run
// here. (hard-parts §8)
var lintersKnown = []linterHere{
	{"hadolint", "sarif", `[hadolint, --no-fail, -f, sarif, Dockerfile]`},
	{"ktlint", "checkstyle", `[ktlint, --reporter=checkstyle]`},
	{"phpcs", "checkstyle", `[phpcs, -q, --report=checkstyle, .]`},
	{"ruff", "sarif", `[ruff, check, --exit-zero, --output-format, sarif, .]`},
	{"semgrep", "sarif", `[semgrep, scan, --quiet, --sarif, --config, p/default, .]`},
	{"swiftlint", "checkstyle", `[swiftlint, lint, --quiet, --reporter, checkstyle]`},
	{"tflint", "sarif", `[tflint, --recursive, --force, --format, sarif]`},
	{"trivy", "sarif", `[trivy, fs, --quiet, --format, sarif, .]`},
}

// Run writes a configuration for what it finds here.
func (c *InitCmd) Run(app *App) error {
	file := firstNamed(app.Config, app.Env(EnvConfig), ConfigFile)
	answer := InitAnswer{File: file, Linters: []string{}}
	if err := answer.look(app.Context, filepath.Dir(file)); err != nil {
		return err
	}
	for _, linter := range lintersKnown {
		if _, err := exec.LookPath(linter.name); err == nil {
			answer.Linters = append(answer.Linters, linter.name)
		}
	}
	text := []byte(answer.yaml())
	config, err := DefaultConfig(app.Env)
	if err != nil {
		return err
	}
	if err := ParseConfig(config, file, text); err != nil {
		return fmt.Errorf("check what was to be written: %w", err)
	}
	if err := writeConfig(file, text, c.Force); err != nil {
		return err
	}
	return app.Print.Answer(&answer)
}

// look finds the repository around a folder, if any.
func (a *InitAnswer) look(ctx context.Context, folder string) error {
	repo, err := git.Open(ctx, folder)
	switch {
	case errors.Is(err, git.ErrNotRepository):
		return nil
	case err != nil:
		return usageOf(err, folder)
	}
	name, err := repo.Name(ctx)
	switch {
	case errors.Is(err, git.ErrUnknownRef):
		return nil // it has no commit, and no name before it has one
	case err != nil:
		return err
	case !isRepoName(string(name)):
		return nil // a name that no configuration takes: people give one
	}
	branch, _, err := repo.DefaultBranch(ctx, "")
	if err != nil && !errors.Is(err, git.ErrUnknownRef) {
		return err
	}
	a.Repository, a.Base, a.Path = string(name), branch, repo.Top
	origin, err := repo.Origin(ctx)
	if err != nil {
		return err
	}
	if hub, ok := parseOriginOnHub(origin); ok {
		a.hub, a.GitHub, a.Repository = hub, hub.host, string(hub.name)
	}
	if here, err := filepath.Abs("."); err == nil {
		if relative, err := filepath.Rel(realPath(here), realPath(repo.Top)); err == nil {
			a.Path = filepath.ToSlash(relative)
		}
	}
	return nil
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// writeConfig writes the file at once or not at all.
func writeConfig(file string, text []byte, force bool) error {
	if _, err := os.Lstat(file); err == nil && !force {
		return &CLIError{
			Code: CodeAnswerNo, What: "there is a configuration already", Subject: file,
			Remedy: "reviewctl config check, or reviewctl init --force to write over it",
		}
	}
	cannot := func(err error) error {
		return &CLIError{
			Code: CodeUnavailable, What: "the configuration cannot be written", Subject: file + ": " + errnoOf(err).Error(),
			Remedy: "make its folder writable for this user, or name another with --config", Err: err,
		}
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".reviewctl-*.yaml")
	if err != nil {
		return cannot(err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err == nil { // a configuration holds no secret
		err = putInPlace(f.Name(), file, force)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error tells more
		if errors.Is(err, fs.ErrExist) {
			return writeConfig(file, text, false) // somebody was faster: it says so
		}
		return cannot(err)
	}
	return nil
}

// putInPlace moves a file to its name. Without force another file of that name
// stays: a link is not made over one.
func putInPlace(made, file string, force bool) error {
	if force {
		return os.Rename(made, file)
	}
	if err := os.Link(made, file); err != nil {
		return err
	}
	return os.Remove(made)
}

// yaml is the commented configuration.
func (a *InitAnswer) yaml() string {
	var b strings.Builder
	b.WriteString(initHead)
	a.writeRepository(&b)
	a.writeEngines(&b)
	b.WriteString(initTail)
	return b.String()
}

const initHead = `# The configuration of reviewctl. Every key has a default; what stands behind "#" is
# an example. "reviewctl config check" checks it, "reviewctl config explain KEY" says
# what a key means and where its value came from.

`

func (a *InitAnswer) writeRepository(b *strings.Builder) {
	if a.GitHub != "" {
		a.writeOnHub(b)
		return
	}
	b.WriteString("# What \"reviewctl serve\" reviews. Each matching branch of a local repository is a\n# pull request into base; \"**\" stands for every branch.\n")
	if a.Repository == "" {
		b.WriteString("# repositories:\n#   - { name: demo, path: ../demo.git, base: main, branches: [\"**\"], engines: [static] }\n\n")
		return
	}
	fmt.Fprintf(b, "repositories:\n  - name: %s\n    path: %s\n", inYAML(a.Repository), inYAML(a.Path))
	if a.Base != "" {
		fmt.Fprintf(b, "    base: %s\n", inYAML(a.Base))
	} else {
		b.WriteString("    # base: main\n")
	}
	b.WriteString("    branches: [\"**\"]\n    engines: [static]\n    # debounce: 30s       # quiet time after a push\n\n")
}

func (a *InitAnswer) writeEngines(b *strings.Builder) {
	b.WriteString("# The embedded engine \"static\" needs no entry. Others run in a sandbox and cannot build.\n# engines:\n")
	for _, linter := range lintersKnown {
		if !slices.Contains(a.Linters, linter.name) {
			continue
		}
		later := ""
		if slices.Contains(kindsLater, linter.kind) {
			later = "   # with a later version"
		}
		fmt.Fprintf(b, "#   %s: { kind: %s, command: %s }%s\n", linter.name, linter.kind, linter.command, later)
	}
	b.WriteString("#   mine: { kind: exec, command: [./review.sh], timeout: 10m }   # any program: schemas/engine\n\n")
}

const initTail = `# When the verdict asks for changes: at blocking findings, or at suggestions too.
# policy:
#   verdict: { request_changes_at: blocking }

# scheduling:
#   max_runs: 30          # most runs at once
# pools:
#   mine: 2               # slots, by model family or engine
# listen: 127.0.0.1:8420  # where serve answers over HTTP
`

// inYAML writes a text so that it stays one.
func inYAML(s string) string {
	text, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimSpace(string(text))
}

func (a *InitAnswer) text(*Printer) string {
	out := "wrote " + Plain(a.File) + "\n"
	if a.GitHub != "" {
		return out + a.textOnHub()
	}
	if a.Repository != "" {
		out += fmt.Sprintf("  repository %s at %s, into %s\n", Plain(a.Repository), Plain(a.Path), orDefaultBranch(Plain(a.Base)))
	}
	return out + a.textLinters() + "  → reviewctl doctor, then reviewctl review or reviewctl serve\n"
}

func (a *InitAnswer) textLinters() string {
	if len(a.Linters) == 0 {
		return ""
	}
	return "  linters found, as examples: " + strings.Join(a.Linters, ", ") + "\n"
}

func orDefaultBranch(branch string) string {
	if branch == "" {
		return "its default branch"
	}
	return branch
}
