// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
