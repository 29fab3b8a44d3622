// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// GoFlags are the flags of every go command. -trimpath lets both arms share one build cache; the trees are git repositories
// that we create, so VCS stamps in binaries would be meaningless.
const GoFlags = "-trimpath -buildvcs=false"

// GoEnv returns the environment for a go command with the given toolchain: the caller's, without variables that would
// change the result. The caller still controls the origin of modules (GOPROXY, GONOSUMDB, GOMODCACHE, ...) and GOCACHE.
func GoEnv(toolchain string, env ...string) []string {
	base := without(os.Environ(), "GOFLAGS=", "GOTOOLCHAIN=", "GOWORK=", "GO111MODULE=", "GOOS=", "GOARCH=", "GOAMD64=",
		"GOARM64=", "GOFIPS140=", "GOEXPERIMENT=", "GODEBUG=", "CGO_", "GIT_")
	return append(base, append([]string{"GOTOOLCHAIN=" + toolchain, "GOFLAGS=" + GoFlags, "GOWORK=off", "CGO_ENABLED=0"}, env...)...)
}

// Module is a module in the module cache, as reported by go mod download.
type Module struct {
	Path     string
	Version  string
	Info     string // file with the version's time
	GoMod    string // file
	Dir      string // extracted, read-only. Never run a go command in it: it may contain a go.work that refers to missing directories
	Sum      string // go.sum lines
	GoModSum string
	Error    string
}

// DownloadError reports a module that could not be downloaded.
type DownloadError struct {
	Module string // path@version
	Said   string // output of go
}

func (e *DownloadError) Error() string {
	return fmt.Sprintf("module %s could not be downloaded: %s\n"+
		"  it comes from the Go module proxy (see `go env GOPROXY`) and is only downloaded once; connect to a network, or set GOPROXY to a mirror or to file:///path/of/a/copied/GOMODCACHE/cache/download", e.Module, strings.TrimSpace(e.Said))
}

// Download downloads modules, each given as path@version, into the module cache and returns them in that order. It runs
// outside of any module.
func Download(ctx context.Context, toolchain string, modules ...string) ([]Module, error) {
	dir, err := os.MkdirTemp("", "kgrace-download-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out, runErr := Run(ctx, Cmd{Dir: dir, Env: GoEnv(toolchain), Args: append([]string{"go", "mod", "download", "-json"}, modules...)})
	if ctx.Err() != nil {
		return nil, runErr
	}
	byName := map[string]Module{}
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		var m Module
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, errors.Join(fmt.Errorf("go mod download -json: output not understood: %w", err), runErr)
		}
		if m.Error != "" {
			return nil, &DownloadError{Module: m.Path + "@" + m.Version, Said: m.Error}
		}
		byName[m.Path+"@"+m.Version] = m
	}
	if runErr != nil {
		return nil, toolchainError(toolchain, runErr)
	}
	found := make([]Module, 0, len(modules))
	for _, name := range modules {
		m, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("go mod download did not report %s", name)
		}
		found = append(found, m)
	}
	return found, nil
}

// toolchainError recognizes a toolchain that is not available, among other failures of a go command.
func toolchainError(toolchain string, err error) error {
	var failed *Error
	if errors.As(err, &failed) && strings.Contains(failed.Stderr, "download "+toolchain) {
		return &DownloadError{Module: "golang.org/toolchain (" + toolchain + ")", Said: failed.Stderr}
	}
	return err
}

// Go runs a go command in dir with the given toolchain and returns its standard output.
func Go(ctx context.Context, dir, toolchain string, env []string, args ...string) (string, error) {
	out, err := Run(ctx, Cmd{Dir: dir, Env: GoEnv(toolchain, env...), Args: append([]string{"go"}, args...)})
	return out, toolchainError(toolchain, err)
}
