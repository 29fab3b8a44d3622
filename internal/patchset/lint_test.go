// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"path/filepath"
	"strings"
	"testing"
)

var known = Known{Rules: []string{"R1", "R3"}, Scenarios: []string{"shorten-once", "lengthen"}}

func lint(t *testing.T, s *Series) []string {
	t.Helper()
	problems, err := s.Lint(t.Context(), known)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, p := range problems {
		texts = append(texts, p.String())
	}
	return texts
}

func TestLintIsQuietOnAGoodSeries(t *testing.T) {
	u := newUpstream(t)
	if got := lint(t, u.series()); len(got) != 0 {
		t.Errorf("problems with a good series:\n%s", strings.Join(got, "\n"))
	}
}

// TestLint introduces one mistake into a good patch at a time. Lint has to find it, and nothing else.
func TestLint(t *testing.T) {
	replace := func(old, new string) func(string) string {
		return func(text string) string { return strings.ReplaceAll(text, old, new) }
	}
	for name, tc := range map[string]struct {
		spoil func(text string) string
		want  string
	}{
		"a subject without area":     {replace("[PATCH] kuberuntime: return", "[PATCH] return"), `write the area, a colon`},
		"an unknown area":            {replace("[PATCH] kuberuntime: return", "[PATCH] feat: return"), `write the area, a colon`},
		"a subject with a full stop": {replace("context ends", "context ends."), `no full stop`},
		"no body":                    {replace("The body says why.\n\n", ""), `has no body`},
		"a mention":                  {replace("says why.", "says why, thanks to @someone."), `mentions @someone`},
		"a closing keyword":          {replace("says why.", "says why. Fixes #83916"), `would close the issue`},
		"a closing keyword and URL":  {replace("says why.", "Resolves: https://github.com/kubernetes/kubernetes/issues/1"), `would close the issue`},
		"no status":                  {replace("Upstream-Status: Pending\n", ""), `no Upstream-Status trailer`},
		"an empty reason":            {replace("Status: Pending", "Status: Inappropriate"), `"Inappropriate <reason>"`},
		"a short backport":           {replace("Status: Pending", "Status: Backport abc123"), `40 hex digits`},
		"no issue":                   {replace("Upstream-Issue: https://github.com/kubernetes/kubernetes/issues/83916", "Upstream-Issue: the old one"), `Upstream-Issue is "the old one"`},
		"no contract":                {replace("Contract: R1, R3\n", ""), `no Contract trailer`},
		"an unknown rule":            {replace("Contract: R1, R3", "Contract: R1, R99"), `names R99, which is not a known rule; known are R1 R3`},
		"a rule twice":               {replace("Contract: R1, R3", "Contract: R1, R1"), `names R1 more than once`},
		"an unknown scenario":        {replace("Scenarios: shorten-once", "Scenarios: shorten-onec"), `names shorten-onec, which is not a known scenario`},
		"no scenario and no reason":  {replace("Scenarios: shorten-once", "Scenarios: none"), `names none, which is not a known scenario`},
		"no end":                     {replace("Drop-When: upstream carries it\n", ""), `no Drop-When trailer`},
		"somebody else signed":       {replace("Signed-off-by: A Person", "Signed-off-by: B Person"), `has not signed off`},
		"nobody signed":              {replace("Signed-off-by: A Person <person@example.org>\n", ""), `no Signed-off-by trailer`},
		"a misspelt trailer":         {replace("Drop-When:", "Drop-When: it is in\nDrop-If:"), `trailer "Drop-If" is not one of`},
		"two of a trailer":           {replace("Drop-When:", "Drop-When: it is in\nDrop-When:"), `2 Drop-When trailers`},
		"a new file without header":  {replace("+Copyright The Kubernetes Authors.\n", "+Nobody.\n"), `does not begin with the Kubernetes header`},
		"a generated file beside":    {replace("pkg/kubelet/worker.go", "pkg/zz_generated.x.go"), `a patch of their own`},
		"a new dependency":           {replace("pkg/kubelet/worker.go", "go.mod"), `touches go.mod: the fix must neither add nor change a dependency`},
		"a vendored file":            {replace("pkg/kubelet/worker.go", "vendor/x/x.go"), `touches vendor/x/x.go`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t)
			s := u.series()
			p := s.Patches[1]
			text := tc.spoil(string(p.Data))
			if text == string(p.Data) {
				t.Fatal("the patch was not spoilt")
			}
			spoilt, err := Parse(p.Name, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			spoilt.Name = FileName(2, spoilt.Subject) // a wrong subject is one problem, not two
			s.Patches[1] = spoilt
			write(t, filepath.Join(s.Dir, spoilt.Name), text)
			if spoilt.Name != p.Name {
				remove(t, filepath.Join(s.Dir, p.Name))
			}
			got := lint(t, s)
			if len(got) != 1 || !strings.Contains(got[0], tc.want) || !strings.HasPrefix(got[0], spoilt.Name+": ") {
				t.Errorf("got\n%s\nwant one problem with %q", strings.Join(got, "\n"), tc.want)
			}
		})
	}
}

func TestLintTheDirectory(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(s *Series)
		want  string
	}{
		"unlisted": {func(s *Series) { write(t, filepath.Join(s.Dir, "0003-kubelet-forgotten.patch"), "") }, "does not list 0003-kubelet-forgotten.patch"},
		"twice":    {func(s *Series) { s.Patches = append(s.Patches, s.Patches[1]) }, "lists 0002-kuberuntime-return-when-the-context-ends.patch more than once"},
		"a hole":   {func(s *Series) { s.Patches[1].Name = "0003-kuberuntime-return-when-the-context-ends.patch" }, "the file must be called 0002-kuberuntime-return-when-the-context-ends.patch"},
		"a name that is not the subject": {func(s *Series) { s.Patches[1].Name = "0002-something.patch" },
			"the file must be called 0002-kuberuntime-return-when-the-context-ends.patch"},
		"an unclaimed rule": {func(s *Series) {
			for i, p := range s.Patches {
				text := strings.Replace(string(p.Data), "Contract: R1, R3", "Contract: R1", 1)
				s.Patches[i], _ = Parse(p.Name, []byte(text))
			}
		}, "no patch claims rule R3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUpstream(t)
			s := u.series()
			tc.spoil(s)
			if got := strings.Join(lint(t, s), "\n"); !strings.Contains(got, tc.want) {
				t.Errorf("got\n%s\nwant %q", got, tc.want)
			}
		})
	}
}
