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
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree/kubetest"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// newRepo returns a checkout of this project with nothing but versions.yaml.
func newRepo(t *testing.T) *Repo {
	t.Helper()
	r, err := Open(kubetest.Root(t))
	if err != nil {
		t.Fatal(err)
	}
	r.Progress = t.Output()
	return r
}

func ensure(t *testing.T, r *Repo, arm verdict.Arm) *Tree {
	t.Helper()
	tree, err := r.Ensure(t.Context(), kubetest.Minor, arm, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// writeSeries writes the default minor's series for the tests.
func writeSeries(t *testing.T, r *Repo, edits ...string) {
	t.Helper()
	kubetest.WriteSeries(t, ensure(t, r, verdict.Stock).Dir, r.SeriesDir(kubetest.Minor), edits...)
}
