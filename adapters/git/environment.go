package git

import (
	"os"
	"strconv"
	"strings"
)

// passed are the only variables of ours that git sees. Everything that begins
// with GIT_ stays behind: a hook that calls us sets several.
var passed = []string{"PATH", "TMPDIR", "SYSTEMROOT", "TEMP", "TMP"}

// fixed is the rest of git's environment. (ecosystem §3, cases D18, W06, W16)
var fixed = []string{
	"LC_ALL=C",
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_SYSTEM=" + os.DevNull,
	"GIT_CONFIG_GLOBAL=" + os.DevNull,
	"GIT_ATTR_NOSYSTEM=1",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=false",
	"SSH_ASKPASS=false",
	"GIT_SSH_COMMAND=ssh -oBatchMode=yes",
	"GIT_LITERAL_PATHSPECS=1",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_NO_LAZY_FETCH=1",
	"GIT_NO_REPLACE_OBJECTS=1",
	"GIT_LFS_SKIP_SMUDGE=1",
	"GIT_PAGER=cat",
	"GIT_ALLOW_PROTOCOL=none",
}

// setting is one key of git's configuration.
type setting struct{ key, value string }

// settings win over the repository's own configuration, which anyone may have
// written. They travel in the environment, where a key may hold any byte.
var settings = []setting{
	{"core.hooksPath", os.DevNull},
	{"core.fsmonitor", "false"},
	{"core.untrackedCache", "false"},
	{"core.attributesFile", os.DevNull},
	{"core.excludesFile", os.DevNull},
	{"core.quotePath", "true"},
	{"core.bigFileThreshold", strconv.FormatInt(BigFileBytes, 10)},
	{"core.protectHFS", "true"},
	{"core.protectNTFS", "true"},
	{"core.pager", "cat"},
	{"protocol.allow", "never"},
	{"protocol.file.allow", "never"},
	{"protocol.ext.allow", "never"},
	{"submodule.recurse", "false"},
	{"diff.external", ""},
	{"diff.suppressBlankEmpty", "false"},
	{"diff.orderFile", os.DevNull},
	{"log.showSignature", "false"},
	{"gc.auto", "0"},
	{"maintenance.auto", "false"},
	{"color.ui", "false"},
	{"advice.graftFileDeprecated", "false"},
}

// environ is git's whole environment, with further settings.
func environ(more ...setting) []string {
	env := make([]string, 0, len(passed)+len(fixed)+2*(len(settings)+len(more))+1)
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	env = append(env, fixed...)
	n := 0
	for _, list := range [][]setting{settings, more} {
		for _, s := range list {
			at := strconv.Itoa(n)
			env = append(env, "GIT_CONFIG_KEY_"+at+"="+s.key, "GIT_CONFIG_VALUE_"+at+"="+s.value)
			n++
		}
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(n))
}

// ownEnviron is the operator's environment without git's variables, for the one
// question that only the operator's own configuration answers. (ownership.go)
func ownEnviron() []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "GIT_") || name == "GIT_CONFIG_GLOBAL" || name == "GIT_CONFIG_NOSYSTEM" {
			env = append(env, entry)
		}
	}
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
}
