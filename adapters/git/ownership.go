package git

import (
	"context"
	"errors"
	"strings"
)

// git looks at a repository's owner when it searches for one, and knows the
// operator's exceptions from safe.directory of the operator's own configuration,
// which our processes do not read. So where git objects, those exceptions, and
// nothing else, are handed on; none are made up. (case W27)

// trusting is the environment with the operator's own exceptions.
func trusting(ctx context.Context, dir string) ([]string, error) {
	list, err := exceptions(ctx, dir)
	if err != nil {
		return nil, err
	}
	return environ(list...), nil
}

// exceptions reads the operator's own exceptions.
func exceptions(ctx context.Context, dir string) ([]setting, error) {
	c := call{dir: dir, env: ownEnviron(), limit: OutputShort,
		args: []string{"config", "-z", "--show-scope", "--get-all", "safe.directory"}}
	out, err := c.output(ctx)
	if err != nil && exitCode(err) != 1 { // 1: the key is not set
		return nil, err
	}
	var list []setting
	fields := strings.Split(string(out), "\x00") // scope, value, scope, value, ""
	for i := 0; i+1 < len(fields); i += 2 {
		if scope := fields[i]; scope == "global" || scope == "system" {
			list = append(list, setting{"safe.directory", fields[i+1]})
		}
	}
	return list, nil
}

// isOwnership and isNotRepository read git's words, which LC_ALL=C keeps the same
// (case W06): git has one exit code for both.
func isOwnership(err error) bool { return exitSaid(err, "dubious ownership") }

func isNotRepository(err error) bool {
	return exitSaid(err, "not a git repository") || exitSaid(err, "invalid gitfile format")
}

func exitSaid(err error, words string) bool {
	var exit *ExitError
	return errors.As(err, &exit) && exit.Code == 128 && strings.Contains(exit.Said, words)
}
