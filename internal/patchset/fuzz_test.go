// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ours returns the files of a name pattern in the directories of the series.
func ours(f *testing.F, pattern string) (all [][]byte) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "patches", "*", pattern))
	if err != nil || len(files) == 0 {
		f.Fatalf("no file %s in patches/: %v", pattern, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}

// mailHead is how much of a patch is a seed: the message and the first hunks.
const mailHead = 6 << 10

// FuzzPatch parses any bytes as a patch: they are refused, or the patch has what every user of it relies on.
func FuzzPatch(f *testing.F) {
	for _, data := range ours(f, "*.patch") {
		f.Add(data[:min(len(data), mailHead)]) // the rest is more of the same, and slows the fuzzer down
	}
	f.Add([]byte("From 0\nFrom: A <a@b>\nSubject: =?utf-8?q?=C3=A9?=\n\n---\ndiff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse("0001-fuzzed.patch", data)
		if err != nil {
			return
		}
		if !bytes.Equal(p.Data, data) {
			t.Error("the patch is not the file, byte for byte")
		}
		if p.Author == "" || p.Subject == "" || len(p.Files) == 0 {
			t.Errorf("accepted without author, subject or files: %q %q %d", p.Author, p.Subject, len(p.Files))
		}
		if strings.ContainsAny(p.Subject, "\r\n") {
			t.Errorf("a subject of several lines: %q", p.Subject)
		}
		if name := FileName(1, p.Subject); name != filepath.Base(name) || !strings.HasSuffix(name, ".patch") {
			t.Errorf("subject %q gives the file name %q", p.Subject, name)
		}
		hunks, lines := 0, 0
		for _, file := range p.Files {
			if file.Path == "" {
				t.Error("a file without a path")
			}
			for _, h := range file.Hunks {
				hunks++
				lines += len(h.Lines)
				if h.OldLine < 0 {
					t.Errorf("hunk %q begins before the file", h.Header)
				}
				for _, line := range h.Lines {
					if line == "" || !strings.Contains(` +-\`, line[:1]) {
						t.Errorf("line %q of a hunk has no mark", line)
					}
				}
			}
		}
		s := Series{Patches: []*Patch{p}}
		size := s.Size("v1.37").Total
		if sum := size.Code.Added + size.Code.Removed + size.Tests.Added + size.Tests.Removed + size.Generated.Added + size.Generated.Removed; sum > lines {
			t.Errorf("%d lines added and removed in %d hunks of %d lines", sum, hunks, lines)
		}
		_ = p.Message()
	})
}

// FuzzSeries reads any bytes as a series file: a name that is accepted is that of a file in the same directory.
func FuzzSeries(f *testing.F) {
	for _, data := range ours(f, SeriesFile) {
		f.Add(data)
	}
	f.Add([]byte("# comment\n\n a.patch \r\n../b.patch\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		names, err := namesIn("series", data)
		if err != nil {
			return
		}
		for _, name := range names {
			if !filepath.IsLocal(name) || filepath.Dir(filepath.Join("patches", name)) != "patches" || strings.TrimSpace(name) != name || strings.Contains(name, "\n") {
				t.Errorf("accepted %q as the name of a file in the directory", name)
			}
		}
	})
}
