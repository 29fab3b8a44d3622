// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package patchset

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// MatchesTree checks that extracting the commits between base and the HEAD of tree yields the bytes of the series.
func (s *Series) MatchesTree(ctx context.Context, tree, base string) error {
	files, err := extract(ctx, tree, base)
	if err != nil {
		return err
	}
	delete(files, SeriesFile)
	var wrong []string
	for _, p := range s.Patches {
		switch got, ok := files[p.Name]; {
		case !ok:
			wrong = append(wrong, fmt.Sprintf("%s is not the file name of any commit", p.Name))
		case !bytes.Equal(got, p.Data):
			wrong = append(wrong, fmt.Sprintf("%s: %s", p.Name, firstDifference(p.Data, got)))
		}
		delete(files, p.Name)
	}
	for _, name := range sortedNames(files) {
		wrong = append(wrong, fmt.Sprintf("%s is extracted from the tree, but is not in the series", name))
	}
	if len(wrong) > 0 {
		return fmt.Errorf("the patches differ from the extracted ones; apply them and run `kgrace patch extract`:\n  %s", strings.Join(wrong, "\n  "))
	}
	return nil
}

// firstDifference returns the first line at which two texts differ.
func firstDifference(have, want []byte) string {
	h, w := strings.Split(string(have), "\n"), strings.Split(string(want), "\n")
	for i := range h {
		if i >= len(w) {
			return fmt.Sprintf("line %d: have %q, extraction ends before it", i+1, h[i])
		}
		if h[i] != w[i] {
			return fmt.Sprintf("line %d: have %q, extraction yields %q", i+1, h[i], w[i])
		}
	}
	return fmt.Sprintf("line %d: the file ends, extraction continues with %q", len(h)+1, w[len(h)])
}
