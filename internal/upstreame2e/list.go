// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package upstreame2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"

	"github.com/kgrace/kgrace/internal/junit"
	"github.com/kgrace/kgrace/internal/tool"
)

// list returns all specs of an e2e.test binary. It runs none.
func list(ctx context.Context, binary string) ([]Spec, error) {
	dir, err := os.MkdirTemp("", "kgrace-upstream-e2e-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "specs.json")
	// Without a focus the binary omits specs that need a feature; a dot matches every text.
	_, err = tool.Run(ctx, tool.Cmd{Dir: dir, Env: environment(), Args: []string{binary, "--ginkgo.dry-run", "--ginkgo.focus=.",
		"--ginkgo.silence-skips", "--ginkgo.succinct", "--ginkgo.json-report=" + file}})
	if err != nil {
		return nil, fmt.Errorf("list the specs: %w", err)
	}
	reports, err := junit.ReadGinkgo(file)
	if err != nil {
		return nil, err
	}
	var specs []Spec
	for _, r := range reports {
		for _, s := range r.SpecReports {
			if s.LeafNodeType == types.NodeTypeIt {
				specs = append(specs, Spec{Text: s.FullText(), Serial: s.IsSerial || strings.Contains(s.FullText(), "[Serial]")})
			}
		}
	}
	if len(specs) == 0 {
		return nil, fmt.Errorf("%s has no specs", binary)
	}
	return specs, nil
}

// environment returns our environment without variables that would direct the suite to another cluster or registry.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "KUBE") || strings.HasPrefix(kv, "GINKGO")
	})
}

// listImages returns the names of the images that the specs of an e2e.test binary may request.
func listImages(ctx context.Context, binary string) ([]string, error) {
	out, err := tool.Run(ctx, tool.Cmd{Dir: os.TempDir(), Env: environment(), Args: []string{binary, "--list-images"}})
	if err != nil {
		return nil, fmt.Errorf("list the images: %w", err)
	}
	names := strings.Fields(out)
	slices.Sort(names)
	if len(names) == 0 {
		return nil, fmt.Errorf("%s --list-images lists none", binary)
	}
	return slices.Compact(names), nil
}

// lastPart returns the name of an image without registry, directory and tag.
func lastPart(image string) string {
	name, _, _ := strings.Cut(image[strings.LastIndex(image, "/")+1:], ":")
	return name
}

// focus returns a regular expression that matches only one spec.
func focus(text string) string { return " " + regexp.QuoteMeta(text) + "$" }
