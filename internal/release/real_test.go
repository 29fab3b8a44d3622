// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgrace/kgrace/internal/kubetree"
)

// TestRealTwice makes a real release in two output directories with two empty build caches: each tree is laid out and each kubelet
// compiled twice, and every byte is the same. KGRACE_RELEASE_ARCH names one architecture, to save half of the time.
func TestRealTwice(t *testing.T) {
	if os.Getenv("KGRACE_RELEASE_TWICE") == "" {
		t.Skip("set KGRACE_RELEASE_TWICE=1 to compile real kubelets twice (make release-test)")
	}
	var arches []string
	if arch := os.Getenv("KGRACE_RELEASE_ARCH"); arch != "" {
		arches = []string{arch}
	}
	var sums []string
	for range 2 {
		output, err := os.MkdirTemp("", "kgrace-release-")
		if err != nil {
			t.Fatal(err)
		}
		// Before the next one: each takes gigabytes.
		func() {
			defer os.RemoveAll(output)
			t.Setenv(kubetree.OutputVar, output)
			t.Setenv("GOCACHE", output+"/cache")
			r, err := kubetree.Open("../..")
			if err != nil {
				t.Fatal(err)
			}
			r.Progress = t.Output()
			result, err := Build(t.Context(), Options{Repo: r, Arches: arches, To: output + "/release"})
			if err != nil {
				t.Fatal(err)
			}
			sums = append(sums, read(t, result.Dir)[sumsFile])
		}()
	}
	if diff := cmp.Diff(sums[0], sums[1]); diff != "" {
		t.Errorf("the second release differs (-first +second)\n%s", diff)
	}
}
