// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
)

func TestExitCodes(t *testing.T) {
	for args, want := range map[string]int{
		"":                              0,
		"check --help":                  0,
		"check --dry-run":               0,
		"check --nonsense":              2,
		"check node":                    2,
		"check --grace 1":               2,
		"nonsense":                      2,
		"check --kubeconfig /none/such": 3,
	} {
		var out, errs bytes.Buffer
		if got := run(context.Background(), strings.Fields(args), &out, &errs); got != want {
			t.Errorf("%s: %d, want %d: %s", args, got, want, &errs)
		}
	}
}

// TestAlone checks that this program depends on an API client and on nothing of the harness.
func TestAlone(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, dep := range strings.Fields(string(out)) {
		ours := strings.HasPrefix(dep, "github.com/kgrace/kgrace/") && !strings.HasPrefix(dep, "github.com/kgrace/kgrace/cmd/kubectl-kgrace")
		for _, foreign := range []string{"k8s.io/kubernetes/", "k8s.io/client-go/kubernetes/fake", "github.com/onsi/", "github.com/prometheus/", "sigs.k8s.io/kind"} {
			ours = ours || strings.HasPrefix(dep, foreign)
		}
		if ours {
			t.Errorf("needs %s", dep)
		}
	}
}
