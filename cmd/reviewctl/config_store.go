package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/reviewctl/reviewctl/events"
)

// ConfigMaxBytes bounds a configuration or policy file.
const ConfigMaxBytes = 1 << 20

// SQLitePath returns the file that a store's URL names.
func SQLitePath(url string) (string, error) {
	path, isSQLite := strings.CutPrefix(url, "sqlite:")
	switch {
	case isSQLite && path != "":
		return path, nil
	case strings.HasPrefix(url, "esdb:"), strings.HasPrefix(url, "esdb+discover:"), strings.HasPrefix(url, "kurrentdb:"), strings.HasPrefix(url, "kurrentdb+discover:"):
		return "", wrongUsage("a store of this kind is not supported yet by this version: "+schemeOf(url), "use --store sqlite:PATH")
	}
	return "", &CLIError{Code: CodeUsage, What: "not a store", Subject: url, Remedy: "use --store sqlite:PATH"}
}

// schemeOf leaves out what may hold a password.
func schemeOf(url string) string {
	scheme, _, _ := strings.Cut(url, ":")
	return scheme + "://…"
}

// readBounded reads a configuration or policy file.
func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, unreadable(file, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, ConfigMaxBytes+1))
	if err != nil {
		return nil, unreadable(file, err)
	}
	if len(text) > ConfigMaxBytes {
		return nil, &CLIError{Code: CodeConfig, What: "the file is larger than 1 MiB", Subject: file, Remedy: "name a configuration with --config"}
	}
	return text, nil
}

func unreadable(file string, err error) error {
	return &CLIError{Code: CodeConfig, What: "the file cannot be read", Subject: file + ": " + errnoOf(err).Error(), Remedy: "name a file that you may read", Err: err}
}

// errnoOf leaves out the path that the message has already.
func errnoOf(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// poolOf is the family of a model: its name up to its first "-"; an engine
// without a model is a family of its own.
func poolOf(model, engine string) events.PoolName {
	if model == "" {
		return events.PoolName(engine)
	}
	family, _, _ := strings.Cut(model, "-")
	return events.PoolName(family)
}
