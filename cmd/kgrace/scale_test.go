// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kgrace/kgrace/internal/verdict"
)

func TestScaleRefusesWhatItCannotRun(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
		code int
	}{
		{[]string{"scale", "--arm", "left"}, "known: stock, fixed", verdict.ExitUsage},
		{[]string{"scale", "--kubernetes", "v1.2"}, "versions.yaml knows", verdict.ExitUsage},
		{[]string{"scale", "--level", "kind"}, "want node or sim", verdict.ExitUsage},
		{[]string{"scale", "--pods", "60,0"}, "want at least 1", verdict.ExitUsage},
		{[]string{"scale", "--stock-grace", "10"}, "longer than the shortened grace", verdict.ExitUsage},
		{[]string{"scale", "--stock-grace", "121"}, "at most that of the fixed arm", verdict.ExitUsage},
		{[]string{"scale", "--output", "xml"}, "table", verdict.ExitUsage},
		{[]string{"scale", "--level", "sim", "--kubernetes", "v1.22"}, "plays no crowds", verdict.ExitUsage},
		{[]string{"scale", "--pods", "1000000"}, "1000000 pods need about", verdict.ExitInvalid},
	} {
		t.Setenv(ArtifactsVar, t.TempDir())
		var output, errs bytes.Buffer
		code := run(t.Context(), c.args, &output, &errs)
		if code != c.code || output.Len() > 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%v: exit %d, %q, %q; want exit %d with %q", c.args, code, output.String(), errs.String(), c.code, c.want)
		}
	}
}
