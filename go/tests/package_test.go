// SPDX-License-Identifier: MIT

package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	flakecore "github.com/flakecore/flakecore/go"
)

// The module as others get it: out of a repository, out of a module proxy, and vendored. (S45)

const root = "../.."

// sh runs a program in a folder and gives what it printed.
func sh(t *testing.T, folder string, environment []string, program string,
	arguments ...string) string {
	t.Helper()
	command := exec.Command(program, arguments...)
	command.Dir = folder
	command.Env = append(os.Environ(), environment...)
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(arguments, " "), err, out)
	}
	return string(out)
}

// repository makes a repository of what is in this one now, tagged with its version.
func repository(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	listed := sh(t, root, nil, "git", "-c", "safe.directory=*", "ls-files", "-co",
		"--exclude-standard")
	for _, name := range strings.Fields(listed) {
		data, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		path := filepath.Join(folder, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	git := func(arguments ...string) {
		t.Helper()
		all := append([]string{"-c", "user.name=t", "-c", "user.email=t@localhost"}, arguments...)
		sh(t, folder, nil, "git", all...)
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "all")
	git("tag", "v"+flakecore.Version)
	return folder
}

// consumer makes a program of another module, the quickstart, that takes this one.
func consumer(t *testing.T, environment []string) string {
	t.Helper()
	folder := t.TempDir()
	data := must[[]byte](t)(os.ReadFile(root + "/go/examples/quickstart/main.go"))
	if err := os.WriteFile(filepath.Join(folder, "main.go"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	sh(t, folder, environment, "go", "mod", "init", "example.com/consumer")
	sh(t, folder, environment, "go", "get", "github.com/flakecore/flakecore/go@v"+flakecore.Version)
	sh(t, folder, environment, "go", "mod", "tidy")
	return folder
}

func buildAndRun(t *testing.T, folder string, environment []string, arguments ...string) {
	t.Helper()
	sh(t, folder, environment, "go", append([]string{"build", "-o", "program"}, arguments...)...)
	lines := strings.Split(sh(t, folder, environment, "./program"), "\n")
	rising(t, idsOf(t, lines[:3]))
	if !strings.Contains(lines[3], ", node 7, sequence ") {
		t.Fatal(lines)
	}
}

// moduleCache is a place of its own for what go get fetches. Go writes there what cannot be
// deleted.
func moduleCache(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Cleanup(func() { sh(t, folder, []string{"GOMODCACHE=" + folder}, "go", "clean", "-modcache") })
	return folder
}

func TestAConsumerTakesItFromARepositoryAndFromAProxyAndVendorsIt(t *testing.T) { // S45
	from, cache := repository(t), moduleCache(t)
	environment := []string{
		"GOMODCACHE=" + cache, "GOFLAGS=-mod=mod", "GOPRIVATE=github.com/flakecore/flakecore",
		"GOPROXY=direct", "GIT_CONFIG_COUNT=2",
		"GIT_CONFIG_KEY_0=url.file://" + from + ".insteadOf",
		"GIT_CONFIG_VALUE_0=https://github.com/flakecore/flakecore",
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*",
	}
	folder := consumer(t, environment)
	buildAndRun(t, folder, environment)
	sums := string(must[[]byte](t)(os.ReadFile(filepath.Join(folder, "go.sum"))))
	if strings.Count(sums, "\n") != 2 {
		t.Fatalf("it burdens its users with more than itself:\n%s", sums)
	}

	proxied := []string{
		"GOMODCACHE=" + moduleCache(t), "GOFLAGS=-mod=mod", "GONOSUMDB=*", "GONOSUMCHECK=1",
		"GOPROXY=file://" + filepath.Join(cache, "cache", "download"),
	}
	folder = consumer(t, proxied)
	buildAndRun(t, folder, proxied)
	sh(t, folder, proxied, "go", "mod", "vendor")
	vendored := []string{"GOMODCACHE=" + t.TempDir(), "GOPROXY=off", "GOFLAGS=-mod=vendor"}
	buildAndRun(t, folder, vendored, "-a", "-trimpath")
}

func TestWithoutCgoTheCompilerSaysWhyInOneSentence(t *testing.T) {
	command := exec.Command("go", "build", "-buildvcs=false", "./go/examples/quickstart")
	command.Dir, command.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	out, err := command.CombinedOutput()
	if err == nil {
		t.Fatal("it builds without cgo")
	}
	said := regexp.MustCompile(`(?m)^(.*go)/needs_cgo.go:\d+:\d+: undefined: ` +
		`flakecore_needs_cgo__set_CGO_ENABLED_to_1_and_install_a_C_compiler$`)
	if !said.Match(out) || strings.Count(string(out), "\n") != 2 {
		t.Fatalf("%s", out)
	}
}

func TestPackageAndLibraryHaveTheSameVersion(t *testing.T) {
	header := string(must[[]byte](t)(os.ReadFile(root + "/core/flakecore.h")))
	var parts []any
	for _, name := range []string{"MAJOR", "MINOR", "PATCH"} {
		pattern := regexp.MustCompile(`#define FLAKE_VERSION_` + name + ` (\d+)`)
		parts = append(parts, pattern.FindStringSubmatch(header)[1])
	}
	if wanted := fmt.Sprintf("%s.%s.%s", parts...); flakecore.Version != wanted {
		t.Fatal(flakecore.Version, wanted)
	}
}
