// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubebuild

import (
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree/kubetest"
	"github.com/kgrace/kgrace/internal/verdict"
)

// The stub of k8s.io/component-base in this test prints that it is a stub.
const stubPackage = `// Package version of a stub.
package version

import "stub/base/word"

func Get() string { return word.Word }
`

func TestBuildWithStubs(t *testing.T) {
	for name, test := range map[string]struct{ stub, program, says string }{
		// client-go's package under the other name, by which the linker finds it
		"a package of another module": {"k8s.io/client-go@v0.37.2/pkg", "kubelet", "\nv1.37.2 1 37"},
		"a directory of the checkout": {"./stub/base", "kubelet", "\nstanding in "},
		"another version":             {"k8s.io/component-base@v0.37.2", "kubelet", "v1.37.2 1 37"},
		"nothing":                     {"none", "kubectl", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			m := r.Versions.Minors[kubetest.Minor]
			m.Stubs = map[string]string{"k8s.io/component-base": test.stub}
			r.Versions.Minors[kubetest.Minor] = m
			kubetest.WriteFiles(t, r.Root, map[string]string{
				"stub/base/version/version.go": stubPackage,
				"stub/base/word/word.go":       "package word\n\nconst Word = \"standing in\"\n",
			})
			if got := says(t, build(t, r, []verdict.Arm{verdict.Stock}, test.program)[0].Path); !strings.Contains(got, test.says) {
				t.Errorf("%s prints %q, want %q in it", test.program, got, test.says)
			}
		})
	}
}
