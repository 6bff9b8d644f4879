package sandbox

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// denied are the programs that build, test, install or run code. Interpreters
// are not among them: engines are often written in one.
var denied = strings.Fields(`
	make gmake bmake cmake ctest ninja meson bazel bazelisk buck buck2 pants scons just task rake
	gcc g++ cc c++ c89 c99 tcc clang clang++ clang-cl gfortran ld.gold ld.lld
	go cargo rustc rustup cross zig nim nimble dmd ldc2 dub ghc cabal stack
	javac java gradle gradlew mvn mvnw mvnd ant sbt scala scalac kotlinc lein jshell
	dotnet msbuild xbuild mono mcs csc nuget xcodebuild swift swiftc
	npm npx yarn yarnpkg pnpm pnpx corepack tsc webpack vite rollup esbuild jest mocha vitest cypress playwright eslint
	pip pip3 pipx poetry uv uvx tox nox pytest py.test conda mamba pipenv
	bundle bundler gem rspec composer phpunit mix rebar3 erlc elixirc dune opam
	docker podman buildah nerdctl docker-compose qemu-system-x86_64 vagrant
	apt apt-get dnf yum apk brew snap
`)

// version ends the names of tools that are installed side by side: gcc-12.
var version = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)*$`)

// crossTools end the names of compilers for a target: x86_64-linux-gnu-gcc.
var crossTools = []string{"-gcc", "-g++", "-cc", "-c++", "-clang", "-clang++", "-gfortran"}

// isDenied reports whether a program of this name is a build tool.
func isDenied(name string) bool {
	for _, n := range []string{name, version.ReplaceAllString(name, "")} {
		if slices.Contains(denied, n) || slices.ContainsFunc(crossTools, func(s string) bool { return strings.HasSuffix(n, s) }) {
			return true
		}
	}
	return false
}

// innerTools hold the parts of compilers that their drivers call by path.
var innerTools = []string{"/usr/lib/gcc", "/usr/libexec/gcc", "/usr/local/lib/gcc"}

// find returns the real files of the build tools in the folders of PATH and the
// usual ones, sorted. A file that other names stand for as well, such as a
// version switcher's, stays allowed: only its shim refuses.
func find(path string) []string {
	names := map[string][]string{} // real file → names
	for _, dir := range toolDirs(path) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.IsDir() || !isDenied(e.Name()) && e.Type()&os.ModeSymlink == 0 {
				continue
			}
			real, err := filepath.EvalSymlinks(filepath.Join(dir, e.Name()))
			if err == nil {
				names[real] = append(names[real], e.Name())
			}
		}
	}
	var found []string
	for real, all := range names {
		if slices.ContainsFunc(all, func(n string) bool { return !isDenied(n) }) {
			continue
		}
		found = append(found, real)
		if filepath.Base(real) == "go" {
			found = append(found, existing(filepath.Join(filepath.Dir(real), "..", "pkg", "tool"))...)
		}
	}
	found = append(found, existing(innerTools...)...)
	slices.Sort(found)
	return slices.Compact(found)
}

func existing(paths ...string) []string {
	var there []string
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			there = append(there, real)
		}
	}
	return there
}

func toolDirs(path string) []string {
	dirs := append(filepath.SplitList(path), "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
		"/usr/local/go/bin", "/opt/homebrew/bin", "/snap/bin")
	var real []string
	for _, dir := range dirs {
		if r, err := filepath.EvalSymlinks(dir); err == nil && filepath.IsAbs(dir) && !slices.Contains(real, r) {
			real = append(real, r)
		}
	}
	return real
}
