// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Read returns the content of a file.
func Read(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// WantError checks that err is not nil and contains all of these texts.
func WantError(t *testing.T, err error, says ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one with %q", says)
	}
	for _, s := range says {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("the error does not contain %q:\n%v", s, err)
		}
	}
}

// CancelAt returns a writer that cancels a context when a line with the text is written.
func CancelAt(text string, cancel context.CancelFunc) io.Writer { return cancelAt{text, cancel} }

type cancelAt struct {
	text   string
	cancel context.CancelFunc
}

func (c cancelAt) Write(p []byte) (int, error) {
	if strings.Contains(string(p), c.text) {
		c.cancel()
	}
	return len(p), nil
}
