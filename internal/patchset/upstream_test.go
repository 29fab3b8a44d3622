// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// upstream is a tiny git repository that represents Kubernetes in these tests.
type upstream struct {
	t    *testing.T
	dir  string
	base string
}

const boilerplate = `/*
Copyright The Kubernetes Authors.

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

`

const trailers = `
Upstream-Status: Pending
Upstream-Issue: https://github.com/kubernetes/kubernetes/issues/83916
Contract: R1, R3
Scenarios: shorten-once
Drop-When: upstream carries it
Signed-off-by: A Person <person@example.org>
`

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{t: t, dir: t.TempDir()}
	u.git("init", "--quiet", "--initial-branch=main")
	u.write("pkg/kubelet/kubelet.go", boilerplate+"package kubelet\n\n"+numberedLines("line", 40))
	u.write("pkg/kubelet/worker.go", boilerplate+"package kubelet\n\n"+numberedLines("worker", 40))
	u.write(".gitignore", "_output/\n")
	u.base = u.commit("v1.99.0")
	return u
}

func numberedLines(word string, n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "// %s %d\n", word, i)
	}
	return b.String()
}

func (u *upstream) git(args ...string) string {
	u.t.Helper()
	out, err := git(u.t.Context(), u.dir, nil, args...)
	if err != nil {
		u.t.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func (u *upstream) write(path, text string) {
	u.t.Helper()
	write(u.t, filepath.Join(u.dir, path), text)
}

// edit replaces the only occurrence of old by new in a file.
func (u *upstream) edit(path, old, new string) {
	u.t.Helper()
	text := read(u.t, filepath.Join(u.dir, path))
	if !strings.Contains(text, old) {
		u.t.Fatalf("%s has no %q", path, old)
	}
	u.write(path, strings.Replace(text, old, new, 1))
}

func (u *upstream) commit(message string) string {
	u.t.Helper()
	u.git("add", "--all")
	u.git("-c", "user.name=A Person", "-c", "user.email=person@example.org", "commit", "--quiet", "--date=2026-01-02T03:04:05+01:00", "--message="+message)
	return u.git("rev-parse", "HEAD")
}

// series commits two good patches, extracts them and resets to the base.
func (u *upstream) series() *Series {
	u.t.Helper()
	u.edit("pkg/kubelet/kubelet.go", "// line 20\n", "// line twenty\n")
	u.commit("kubelet: count from the start of termination\n\nThe body says why.\n" + trailers)
	u.write("pkg/kubelet/grace/grace.go", boilerplate+"package grace\n")
	u.edit("pkg/kubelet/worker.go", "// worker 7\n", "// worker seven\n")
	u.commit("kuberuntime: return when the context ends\n\nThe body says why.\n" + trailers)
	dir := filepath.Join(u.t.TempDir(), "patches")
	if _, err := Extract(u.t.Context(), u.dir, u.base, dir); err != nil {
		u.t.Fatal(err)
	}
	u.git("reset", "--quiet", "--hard", u.base)
	return load(u.t, dir)
}

func load(t *testing.T, dir string) *Series {
	t.Helper()
	s, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
