/*
Copyright The kgrace Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package kubetree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// buildFormat is part of every binary's inputs. Raise it when binaries come to be built differently.
const buildFormat = 1

// Kubernetes' own programs and the package of each.
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
	"ginkgo":                  "github.com/onsi/ginkgo/v2/ginkgo", // of the version that the tree's go.mod wants
}

// clusterOnly are those that a whole cluster runs, or that test one, and a single node of ours does not: they are built by
// name only.
var clusterOnly = []string{"kubeadm", "kube-controller-manager", "kube-scheduler", "kube-proxy", "e2e.test", "agnhost",
	"e2e_node.test", "ginkgo"}

// testBinaries are packages of tests, compiled with go test -c.
var testBinaries = []string{"e2e.test", "e2e_node.test"}

// perArm are the programs that exist once for each arm; the others come from the stock tree for both.
var perArm = []string{"kubelet", "e2e_node.test"}

// Programs lists every program that can be built, sorted.
func (r *Repo) Programs() ([]string, error) {
	return r.programs(func(string) bool { return true }, func(versions.Program) bool { return true })
}

// nodePrograms lists those that a node runs.
func (r *Repo) nodePrograms() ([]string, error) {
	return r.programs(func(name string) bool { return !slices.Contains(clusterOnly, name) },
		func(p versions.Program) bool { return p.For == "" })
}

func (r *Repo) programs(wantedKube func(string) bool, wanted func(versions.Program) bool) ([]string, error) {
	if _, _, err := r.resolve(""); err != nil {
		return nil, err
	}
	var names []string
	for name := range kubePrograms {
		if wantedKube(name) {
			names = append(names, name)
		}
	}
	for _, p := range r.Versions.Programs {
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

// Binary is a program ready to run.
type Binary struct {
	Program string `json:"program"`
	// Arm is empty for programs that both arms share.
	Arm     verdict.Arm `json:"arm,omitempty"`
	Version string      `json:"version"`
	Path    string      `json:"path"`
	// Built says that this call built it; else it was there, up to date.
	Built bool `json:"built"`
	// Debian is the package of a program that was not built at all.
	Debian string `json:"debian,omitempty"`
}

// target is what it takes to build one binary.
type target struct {
	Binary
	dir       string // where go build runs
	pkg       string
	flags     []string
	toolchain string
	cgo       bool
	arch      string // GOARCH; empty means this machine's
	key       string // hash over all inputs
	prepare   func(context.Context) error
	// unchanged fails if the source is no longer what key stands for.
	unchanged func(context.Context) error
}

// build makes the binary if the one in place was not built from the same inputs. One go build runs at a time, over all
// processes that share the output folder: two would only take each other's memory.
func (r *Repo) build(ctx context.Context, t *target) error {
	p := progress{w: r.Progress, what: "build"}
	if upToDate(t) {
		return nil
	}
	unlock, err := r.lock(ctx, "go-build", p)
	if err != nil {
		return err
	}
	defer unlock()
	if upToDate(t) {
		return nil
	}
	if err := r.checkBuildSpace(ctx, t); err != nil {
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
	done := p.step("%s", name)
	if t.prepare != nil {
		if err := t.prepare(ctx); err != nil {
			done(err)
			return fmt.Errorf("building %s: %w", t.Program, explainSpace(err))
		}
	}
	verb := []string{"build"}
	if slices.Contains(testBinaries, t.Program) {
		// Vetting a suite takes as long as compiling it, and who wants it asks for it.
		verb = []string{"test", "-c", "-vet=off"}
	}
	args := slices.Concat(verb, []string{"-o", tmp}, t.flags, []string{t.pkg})
	_, err = tool.Go(ctx, t.dir, t.toolchain, buildEnv(t), args...)
	done(err)
	if err != nil {
		return explainSpace(explainBuild(t, err))
	}
	if t.unchanged != nil {
		if err := t.unchanged(ctx); err != nil {
			return fmt.Errorf("building %s: %w", t.Program, err)
		}
	}
	// The stamp goes first: a binary without one is built again, a stamp for another binary would be believed.
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
	return writeStamp(stampOf(t.Path), binaryStamp{Inputs: t.key, Size: fi.Size(), Version: t.Version})
}

// binaryStamp says what a binary was built from. Size guards against one that was cut short or replaced.
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
	if !readStamp(stampOf(t.Path), &s) || s.Inputs != t.key {
		return false
	}
	fi, err := os.Stat(t.Path)
	return err == nil && fi.Mode().IsRegular() && fi.Size() == s.Size
}

func buildEnv(t *target) []string {
	var env []string
	if t.cgo {
		env = append(env, "CGO_ENABLED=1")
	}
	if t.arch != "" {
		env = append(env, "GOARCH="+t.arch)
	}
	return env
}

func (r *Repo) checkBuildSpace(ctx context.Context, t *target) error {
	if err := r.needSpace(r.Output, buildSpace, "building "+t.Program); err != nil {
		return err
	}
	cache, err := tool.Go(ctx, r.Output, t.toolchain, nil, "env", "GOCACHE")
	if err != nil {
		return err
	}
	return r.needSpace(strings.TrimSpace(cache), cacheSpace, "the go build cache")
}

// missingModule finds the module that go build wanted to fetch and could not.
var missingModule = regexp.MustCompile(`(?m)(?:^|\s)([\w.~/-]+@v[\w.+-]+): (?:Get "|reading \S+: |module lookup disabled|dial |verifying )`)

// explainBuild says what failed, and for a module that could not be fetched, which.
func explainBuild(t *target, err error) error {
	var failed *tool.Error
	if errors.As(err, &failed) {
		if m := missingModule.FindStringSubmatch(failed.Stderr); m != nil {
			err = &tool.DownloadError{Module: m[1], Said: failed.Stderr}
		}
	}
	return fmt.Errorf("building %s: %w", t.Program, err)
}

// checkTools names what a cgo build lacks, before anything is built.
func (r *Repo) checkTools(ctx context.Context, name string, p versions.Program) error {
	if !p.CGO {
		return nil
	}
	look := r.lookPath
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
	return fmt.Errorf("%s is built with cgo and this machine lacks %s; run hack/setup.sh, or on Debian: apt-get install gcc pkg-config libseccomp-dev",
		name, strings.Join(lacks, ", "))
}
