// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubebuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

const (
	// buildSpace is the space for the binaries and for linking one program, in bytes, in addition to the build cache.
	buildSpace = 1024 << 20
	// cacheSpace is what compiling a kubelet adds to an empty build cache, in bytes.
	cacheSpace = 3072 << 20
)

// Builder builds programs from the trees of a checkout and from pinned modules.
type Builder struct {
	*kubetree.Repo

	// lookPath overrides exec.LookPath in tests.
	lookPath func(string) (string, error)
}

// New returns a Builder for a checkout.
func New(r *kubetree.Repo) *Builder { return &Builder{Repo: r} }

// buildFormat is part of every binary's inputs. Raise it when the way binaries are built changes.
const buildFormat = 1

// kubePrograms maps Kubernetes' own programs to their packages.
var kubePrograms = map[string]string{
	"kubelet":                 "./cmd/kubelet",
	"kube-apiserver":          "./cmd/kube-apiserver",
	"kubectl":                 "./cmd/kubectl",
	"kubeadm":                 "./cmd/kubeadm",
	"kube-controller-manager": "./cmd/kube-controller-manager",
	"kube-scheduler":          "./cmd/kube-scheduler",
	"kube-proxy":              "./cmd/kube-proxy",
	"e2e.test":                "./test/e2e",
	"agnhost":                 "./test/images/agnhost",
	"e2e_node.test":           "./test/e2e_node",
	"ginkgo":                  "github.com/onsi/ginkgo/v2/ginkgo", // at the version in the tree's go.mod
}

// clusterOnly are the programs of a whole cluster, or of its tests, that a single node does not run: they are only built by
// name.
var clusterOnly = []string{"kubeadm", "kube-controller-manager", "kube-scheduler", "kube-proxy", "e2e.test", "agnhost",
	"e2e_node.test", "ginkgo"}

// testBinaries are test packages, compiled with go test -c.
var testBinaries = []string{"e2e.test", "e2e_node.test"}

// perArm are the programs that differ between the arms; the others are built from the stock tree for both.
var perArm = []string{"kubelet", "e2e_node.test"}

// Programs returns every program that can be built, sorted.
func (b *Builder) Programs() ([]string, error) {
	return b.programs(func(string) bool { return true }, func(versions.Program) bool { return true })
}

// nodePrograms returns the programs that a node runs.
func (b *Builder) nodePrograms() ([]string, error) {
	return b.programs(func(name string) bool { return !slices.Contains(clusterOnly, name) },
		func(p versions.Program) bool { return p.For == "" })
}

func (b *Builder) programs(wantedKube func(string) bool, wanted func(versions.Program) bool) ([]string, error) {
	if _, _, err := b.Resolve(""); err != nil {
		return nil, err
	}
	var names []string
	for name := range kubePrograms {
		if wantedKube(name) {
			names = append(names, name)
		}
	}
	for _, p := range b.Versions.Programs {
		if !wanted(p) {
			continue
		}
		for name := range p.Packages {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Binary is a program that is ready to run.
type Binary struct {
	Program string `json:"program"`
	// Arm is empty for programs that both arms share.
	Arm     verdict.Arm `json:"arm,omitempty"`
	Version string      `json:"version"`
	// Arch is its architecture, as GOARCH.
	Arch string `json:"arch"`
	Path string `json:"path"`
	// Built reports whether this call built it; otherwise it was up to date.
	Built bool `json:"built"`
	// Debian is the package of a program that was not built.
	Debian string `json:"debian,omitempty"`
	// Recipe is nil for programs that are not Kubernetes' own.
	Recipe *Recipe `json:"-"`
}

// target describes how to build one binary.
type target struct {
	Binary
	dir       string // where go build runs
	pkg       string
	flags     []string
	toolchain string
	cgo       bool
	key       string // hash over all inputs
	prepare   func(context.Context) error
	// unchanged returns an error if the source no longer matches key.
	unchanged func(context.Context) error
}

// build builds the binary unless the existing one was built from the same inputs. Only one go build runs at a time, across
// all processes that share the output directory: two would compete for memory.
func (b *Builder) build(ctx context.Context, t *target) error {
	p := tool.Progress{To: b.Progress, What: "build"}
	if upToDate(t) {
		return nil
	}
	unlock, err := b.LockBuild(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if upToDate(t) {
		return nil
	}
	if err := b.checkBuildSpace(ctx, t); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(t.Path), 0o755); err != nil {
		return err
	}
	tmp := t.Path + ".new"
	defer os.Remove(tmp)
	name := t.Program + " " + t.Version
	if t.Arm != "" {
		name += " (" + string(t.Arm) + ")"
	}
	if t.Arch != runtime.GOARCH {
		name += " for " + t.Arch
	}
	done := p.Step("%s", name)
	if t.prepare != nil {
		if err := t.prepare(ctx); err != nil {
			done(err)
			return fmt.Errorf("building %s: %w", t.Program, kubetree.ExplainSpace(err))
		}
	}
	verb := []string{"build"}
	if slices.Contains(testBinaries, t.Program) {
		// Vetting a suite takes as long as compiling it; those who want it run it separately.
		verb = []string{"test", "-c", "-vet=off"}
	}
	args := slices.Concat(verb, []string{"-o", tmp}, t.flags, []string{t.pkg})
	_, err = tool.Go(ctx, t.dir, t.toolchain, buildEnv(t), args...)
	done(err)
	if err != nil {
		return kubetree.ExplainSpace(explainBuild(t, err))
	}
	if t.unchanged != nil {
		if err := t.unchanged(ctx); err != nil {
			return fmt.Errorf("building %s: %w", t.Program, err)
		}
	}
	// The stamp is removed first: a binary without a stamp is rebuilt, but a stamp for another binary would be trusted.
	if err := os.Remove(stampOf(t.Path)); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Rename(tmp, t.Path); err != nil {
		return err
	}
	fi, err := os.Stat(t.Path)
	if err != nil {
		return err
	}
	t.Built = true
	return kubetree.WriteStamp(stampOf(t.Path), binaryStamp{Inputs: t.key, Size: fi.Size(), Version: t.Version})
}

// binaryStamp records what a binary was built from. Size detects a binary that was truncated or replaced.
type binaryStamp struct {
	Inputs  string `json:"inputs"`
	Size    int64  `json:"size"`
	Version string `json:"version"`
}

func stampOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".json")
}

func upToDate(t *target) bool {
	var s binaryStamp
	if !kubetree.ReadStamp(stampOf(t.Path), &s) || s.Inputs != t.key {
		return false
	}
	fi, err := os.Stat(t.Path)
	return err == nil && fi.Mode().IsRegular() && fi.Size() == s.Size
}

func buildEnv(t *target) []string {
	env := []string{"GOARCH=" + t.Arch}
	if t.cgo {
		env = append(env, "CGO_ENABLED=1")
	}
	return env
}

func (b *Builder) checkBuildSpace(ctx context.Context, t *target) error {
	if err := b.NeedSpace(b.Output, buildSpace, "building "+t.Program); err != nil {
		return err
	}
	cache, err := tool.Go(ctx, b.Output, t.toolchain, nil, "env", "GOCACHE")
	if err != nil {
		return err
	}
	return b.NeedSpace(strings.TrimSpace(cache), cacheSpace, "the go build cache")
}

// missingModule matches the module that go build could not fetch.
var missingModule = regexp.MustCompile(`(?m)(?:^|\s)([\w.~/-]+@v[\w.+-]+): (?:Get "|reading \S+: |module lookup disabled|dial |verifying )`)

// explainBuild adds the failed program and, if a module could not be fetched, its name.
func explainBuild(t *target, err error) error {
	var failed *tool.Error
	if errors.As(err, &failed) {
		if m := missingModule.FindStringSubmatch(failed.Stderr); m != nil {
			err = &tool.DownloadError{Module: m[1], Said: failed.Stderr}
		}
	}
	return fmt.Errorf("building %s: %w", t.Program, err)
}

// checkTools returns an error if tools for a cgo build are missing, before anything is built.
func (b *Builder) checkTools(ctx context.Context, name string, p versions.Program) error {
	if !p.CGO {
		return nil
	}
	look := b.lookPath
	if look == nil {
		look = exec.LookPath
	}
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "gcc"
	}
	var lacks []string
	for _, exe := range []string{strings.Fields(compiler)[0], "pkg-config"} {
		if _, err := look(exe); err != nil {
			lacks = append(lacks, exe)
		}
	}
	if slices.Contains(p.Tags, "seccomp") && !slices.Contains(lacks, "pkg-config") {
		if _, err := tool.Run(ctx, tool.Cmd{Dir: "/", Env: os.Environ(), Args: []string{"pkg-config", "--exists", "libseccomp"}}); err != nil {
			lacks = append(lacks, "the headers of libseccomp (libseccomp-dev)")
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	return fmt.Errorf("%s is built with cgo, but this machine lacks %s; run hack/setup.sh, or on Debian: apt-get install gcc pkg-config libseccomp-dev",
		name, strings.Join(lacks, ", "))
}
