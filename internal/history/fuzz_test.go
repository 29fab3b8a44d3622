// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package history

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzRead reads any bytes as a history: they are refused with the line that is wrong, or what was read is written and read again
// without a difference.
func FuzzRead(f *testing.F) {
	var whole bytes.Buffer
	if err := write(&whole, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	f.Add(whole.Bytes()[:whole.Len()/2])
	f.Add([]byte(`{"history":1,"scenario":"a","arm":"fixed","level":"sim","minor":"v1.37"}` + "\n"))
	f.Add([]byte(`{"history":1,"scenario":"a","arm":"fixed","level":"sim","minor":"v1.37","events":0}` + "\n\n"))
	f.Add([]byte(`{"history":1}` + "\n" + `{"seq":1,"at":"2026-01-02T03:04:05+23:59","kind":"harness.armed","late":1e300}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := Read(bytes.NewReader(data), "fuzzed")
		if err != nil {
			var corrupt *CorruptError
			if !errors.As(err, &corrupt) || corrupt.Line < 1 || corrupt.Line > bytes.Count(data, []byte("\n"))+1 {
				t.Fatalf("an error that names no line of the file: %v", err)
			}
			return
		}
		var again bytes.Buffer
		if err := write(&again, h); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := Read(&again, "written")
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if diff := cmp.Diff(h, back); diff != "" {
			t.Errorf("what was read differs from what was written (-want +got):\n%s", diff)
		}
	})
}
