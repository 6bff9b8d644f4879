package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version and commit are set by the Makefile; a module build has its own.
var version, commit = "", ""

// VersionCmd prints the version.
type VersionCmd struct{}

// VersionAnswer is what `version --json` prints.
type VersionAnswer struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"` // "" = unknown
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Run prints it.
func (VersionCmd) Run(app *App) error {
	answer := currentVersion()
	if app.JSON {
		return app.Print.JSON(answer)
	}
	commit := answer.Commit
	if commit == "" {
		commit = "unknown commit"
	}
	return app.Print.Line(fmt.Sprintf("reviewctl %s (%s, %s, %s)", answer.Version, commit, answer.Go, answer.Platform))
}

func currentVersion() VersionAnswer {
	answer := VersionAnswer{Version: version, Commit: commit, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if build, ok := debug.ReadBuildInfo(); ok {
		if answer.Version == "" {
			answer.Version = build.Main.Version
		}
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" && answer.Commit == "" {
				answer.Commit = setting.Value
			}
		}
	}
	if answer.Version == "" {
		answer.Version = "(devel)"
	}
	return answer
}
