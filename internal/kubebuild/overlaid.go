// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubebuild

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/verdict"
)

// BuildOverlaid builds a program of an arm into a file, with some files of its tree replaced according to an overlay for
// `go build -overlay`. The tree and the arm's own program stay as they are.
func (b *Builder) BuildOverlaid(ctx context.Context, minor string, arm verdict.Arm, program, overlay, file string) error {
	minor, m, err := b.Resolve(minor)
	if err != nil {
		return err
	}
	if !slices.Contains(perArm, program) {
		return fmt.Errorf("%s is the same for both arms: it cannot be built with an overlay", program)
	}
	tree, err := b.Ensure(ctx, minor, arm, nil)
	if err != nil {
		return err
	}
	t := b.targetsFor(minor, m, []verdict.Arm{arm}, program)[0]
	if err := t.complete(ctx, func(verdict.Arm) (*kubetree.Tree, error) { return tree, nil }); err != nil {
		return err
	}
	replaced, err := overlayHash(overlay)
	if err != nil {
		return err
	}
	t.Path = file
	t.flags = append(slices.Clone(t.flags), "-overlay", overlay)
	t.key = kubetree.Hash(t.key, replaced)
	return b.build(ctx, &t.target)
}

// overlayHash returns a hash of an overlay: which content replaces which file.
func overlayHash(overlay string) (string, error) {
	var o struct{ Replace map[string]string }
	data, err := os.ReadFile(overlay)
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err != nil {
		return "", fmt.Errorf("overlay %s: %w", overlay, err)
	}
	content := map[string]string{}
	for file, by := range o.Replace {
		data, err := os.ReadFile(by)
		if err != nil {
			return "", fmt.Errorf("overlay %s: %w", overlay, err)
		}
		content[file] = string(data)
	}
	return kubetree.Hash(content), nil
}
