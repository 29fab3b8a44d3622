// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package versions

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

var (
	pinned      = Minor{Kubernetes: "v1.37.2", Staging: "v0.37.2"}
	testStaging = []string{"k8s.io/api", "k8s.io/client-go", "k8s.io/kubectl"}
)

const agrees = `module example.test/main

go 1.26.0

require (
	k8s.io/api v0.37.2
	k8s.io/kubernetes v1.37.2
)

require (
	k8s.io/klog/v2 v2.140.0 // indirect
	k8s.io/kubectl v0.0.0 // indirect
)

// Kept.
replace (
	k8s.io/api => k8s.io/api v0.37.2
	k8s.io/client-go => k8s.io/client-go v0.37.2
	k8s.io/kubectl => k8s.io/kubectl v0.37.2
)

replace example.test/other => ../other
`

func parse(t *testing.T, text string) *modfile.File {
	t.Helper()
	f, err := modfile.Parse("go.mod", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestGoModThatAgrees(t *testing.T) {
	f := parse(t, agrees)
	if wrong := compareGoMod(f, pinned, testStaging); len(wrong) > 0 {
		t.Errorf("found wrong: %q", wrong)
	}
	if err := mendGoMod(f, pinned, testStaging); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Format(); err != nil || string(got) != agrees {
		t.Errorf("fixing changed it (%v):\n%s", err, got)
	}
}

func TestGoModThatDiffers(t *testing.T) {
	for name, c := range map[string]struct {
		old, new, says string
		mends          bool // back to agrees, byte for byte
	}{
		"kubernetes":              {"k8s.io/kubernetes v1.37.2", "k8s.io/kubernetes v1.37.1", "require k8s.io/kubernetes v1.37.1, want v1.37.2", true},
		"no kubernetes":           {"\tk8s.io/kubernetes v1.37.2\n", "", "no requirement of k8s.io/kubernetes", false},
		"required staging":        {"k8s.io/api v0.37.2", "k8s.io/api v0.37.1", "require k8s.io/api v0.37.1, want v0.37.2", true},
		"replaced staging":        {"k8s.io/client-go => k8s.io/client-go v0.37.2", "k8s.io/client-go => k8s.io/client-go v0.37.1", "v0.37.1, want k8s.io/client-go v0.37.2", true},
		"replaced by a directory": {"k8s.io/client-go => k8s.io/client-go v0.37.2", "k8s.io/client-go => ../client-go", "../client-go", true},
		"one version replaced":    {"k8s.io/client-go => k8s.io/client-go v0.37.2", "k8s.io/client-go v0.36.0 => k8s.io/client-go v0.37.2", "v0.36.0", false},
		"not replaced":            {"\tk8s.io/kubectl => k8s.io/kubectl v0.37.2\n", "", "no replacement of k8s.io/kubectl", true},
		"replaced too much":       {"\tk8s.io/kubectl =>", "\tk8s.io/klog/v2 => k8s.io/klog/v2 v2.1.0\n\tk8s.io/kubectl =>", "k8s.io/klog/v2", true},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(agrees, c.old, c.new, 1)
			if text == agrees {
				t.Fatal("the test changes nothing")
			}
			f := parse(t, text)
			wrong := compareGoMod(f, pinned, testStaging)
			if len(wrong) == 0 || !strings.Contains(strings.Join(wrong, "\n"), c.says) {
				t.Errorf("found %q, want one with %q", wrong, c.says)
			}
			if err := mendGoMod(f, pinned, testStaging); err != nil {
				t.Fatal(err)
			}
			if wrong := compareGoMod(f, pinned, testStaging); len(wrong) > 0 {
				t.Errorf("after fixing: %q", wrong)
			}
			if got, err := f.Format(); err != nil || c.mends && string(got) != agrees {
				t.Errorf("mended (%v):\n%s", err, got)
			}
		})
	}
}

func TestStagingModules(t *testing.T) {
	f := parse(t, `module k8s.io/kubernetes

replace (
	k8s.io/kubectl => ./staging/src/k8s.io/kubectl
	k8s.io/api => ./staging/src/k8s.io/api
	example.test/other => ../other
	k8s.io/klog/v2 => k8s.io/klog/v2 v2.1.0
)
`)
	if got, want := StagingModules(f), []string{"k8s.io/api", "k8s.io/kubectl"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
