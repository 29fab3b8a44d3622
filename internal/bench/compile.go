// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/mutant"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

//go:embed updatepod_test.go.overlay
var source []byte

// inTree is the benchmark's path in a tree, as the compiler sees it.
const inTree = "pkg/kubelet/kgrace_updatepod_test.go"

// covered are the minors whose pod workers match the benchmark.
var covered = []string{"v1.36", "v1.37", "v1.38"}

// slowed deliberately slows the calculation of the grace period by some tenths of a microsecond.
var slowed = mutant.Mutant{
	Name: "slowed",
	What: "the calculation of the grace period does needless work",
	File: "pkg/kubelet/pod_workers.go",
	Old:  "\t// we allow other parts of the kubelet (namely eviction) to request this pod be terminated faster\n\tif options != nil {\n",
	New:  "\tfor i := range 400 {\n\t\tif status.restartCount(i) {\n\t\t\treturn 1, false\n\t\t}\n\t}\n\tif options != nil {\n",
}

// slowedHelper is the function that slowed calls; the compiler must not inline it.
const slowedHelper = "\n//go:noinline\nfunc (s *podSyncStatus) restartCount(i int) bool { return i < 0 && s.finished }\n"

// Arms are the two programs that are compared.
type Arms struct{ Stock, Fixed string }

// Compile compiles both arms of a minor and lays out their trees if needed; it reuses programs compiled from the same
// inputs. With slow, the fixed arm is slowed down deliberately, and the comparison must come out red.
func Compile(ctx context.Context, r *kubetree.Repo, minor string, slow bool) (Arms, error) {
	if minor == "" {
		minor = r.Versions.Default
	}
	if !slices.Contains(covered, minor) {
		return Arms{}, fmt.Errorf("the benchmark is written for the pod workers of %v; those of %s have no context parameter and other fakes", covered, minor)
	}
	stock, err := compile(ctx, r, minor, verdict.Stock, false)
	if err != nil {
		return Arms{}, err
	}
	fixed, err := compile(ctx, r, minor, verdict.Fixed, slow)
	return Arms{stock, fixed}, err
}

func compile(ctx context.Context, r *kubetree.Repo, minor string, arm verdict.Arm, slow bool) (string, error) {
	tree, err := r.Ensure(ctx, minor, arm, nil)
	if err != nil {
		return "", err
	}
	pins, err := r.Versions.Minor(minor)
	if err != nil {
		return "", err
	}
	name := string(arm)
	if slow {
		name += "-slowed"
	}
	dir := filepath.Join(r.Output, "bench", minor, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	// go identifies the files of a package by the directory's path without symbolic links, and so must the overlay.
	real, err := filepath.EvalSymlinks(tree.Dir)
	if err != nil {
		return "", err
	}
	overlay, err := layOver(dir, real, slow)
	if err != nil {
		return "", err
	}
	program, stamp := filepath.Join(dir, "kubelet.test"), filepath.Join(dir, "kubelet.test.key")
	hash := sha256.New()
	fmt.Fprintln(hash, tree.Dir, tree.Commit, pins.Go, slow, slowed, slowedHelper, string(source))
	key := hex.EncodeToString(hash.Sum(nil))
	if was, err := os.ReadFile(stamp); err == nil && string(was) == key {
		if _, err := os.Stat(program); err == nil {
			return program, nil
		}
	}
	unlock, err := r.LockBuild(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	if r.Progress != nil {
		fmt.Fprintf(r.Progress, "bench: compile the benchmark with %s's pod workers (minutes when the build cache is cold)\n", name)
	}
	// Without its stamp, a truncated program is not trusted.
	if err := os.Remove(stamp); err != nil && !os.IsNotExist(err) {
		return "", err
	}
	if _, err := tool.Go(ctx, real, pins.Go, []string{"PWD=" + real}, "test", "-c", "-vet=off", "-overlay", overlay, "-o", program, "./pkg/kubelet"); err != nil {
		return "", fmt.Errorf("compile the benchmark with %s: %w", tree.Dir, err)
	}
	return program, os.WriteFile(stamp, []byte(key), 0o644)
}

// layOver writes the benchmark and the overlay that adds it to the tree, and returns the overlay's path.
func layOver(dir, tree string, slow bool) (string, error) {
	file, base := filepath.Join(dir, "updatepod_test.go"), filepath.Join(dir, "base.json")
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return "", err
	}
	over := map[string]any{"Replace": map[string]string{filepath.Join(tree, filepath.FromSlash(inTree)): file}}
	if err := tool.WriteJSON(base, over); err != nil || !slow {
		return base, err
	}
	overlay, err := slowed.Overlay(dir, tree, base)
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(filepath.Join(dir, filepath.Base(slowed.File)), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(slowedHelper)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return overlay, err
}
