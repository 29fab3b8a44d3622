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
	"errors"
	"os"
	"testing"

	"github.com/kgrace/kgrace/internal/kubetree/kubetest"
	"github.com/kgrace/kgrace/internal/verdict"
)

func TestFixedWithoutSeries(t *testing.T) {
	r := newRepo(t)
	lay := map[string]func() error{
		"tree":  func() error { _, err := r.Ensure(t.Context(), kubetest.Minor, verdict.Fixed, nil); return err },
		"reset": func() error { _, err := r.Reset(t.Context(), kubetest.Minor, verdict.Fixed, nil); return err },
	}
	for name, lay := range lay {
		var none *NoSeriesError
		if err := lay(); !errors.As(err, &none) || none.Minor != kubetest.Minor {
			t.Errorf("%s: %v, want a *NoSeriesError", name, err)
		}
	}
	if _, err := os.Stat(r.Output); !os.IsNotExist(err) {
		t.Errorf("%s is left (%v)", r.Output, err)
	}
}
