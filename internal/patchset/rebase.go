/*
Copyright The kgrace Authors.

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

package patchset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// amState is where git keeps a git am that has stopped, inside the repository's folder.
const amState = ".git/rebase-apply"

// Rebase applies the series to a tree that stands on another base, with git am and three-way merging: the repository has
// to hold the objects of the base that the series was written for. A patch that does not fit is a *Conflict, the work
// then stops there and ContinueRebase goes on with it. A patch that the new base has already is left out.
func (s *Series) Rebase(ctx context.Context, tree string) error {
	if err := checkClean(ctx, tree); err != nil {
		return err
	}
	var mails bytes.Buffer
	for _, p := range s.Patches {
		mails.Write(p.Data)
	}
	_, err := git(ctx, tree, mails.Bytes(), "am", "--3way", "--no-gpg-sign", "--no-keep-cr", "--no-scissors", "--no-signoff",
		"--committer-date-is-author-date")
	return rebaseStop(ctx, tree, err)
}

// ContinueRebase takes the tree as it is now for the patch at which a Rebase has stopped, and goes on with the next one.
func ContinueRebase(ctx context.Context, tree string) error {
	if _, err := os.Stat(filepath.Join(tree, amState)); errors.Is(err, fs.ErrNotExist) {
		// Somebody has brought it to its end with git am itself.
		return checkClean(ctx, tree)
	}
	if err := stageResolved(ctx, tree); err != nil {
		return err
	}
	_, err := git(ctx, tree, nil, "am", "--continue")
	return rebaseStop(ctx, tree, err)
}

// rebaseStop says where git am has stopped.
func rebaseStop(ctx context.Context, tree string, err error) error {
	if err == nil {
		return nil
	}
	number := func(name string) int {
		data, _ := os.ReadFile(filepath.Join(tree, amState, name))
		n, _ := strconv.Atoi(strings.TrimSpace(string(data)))
		return n
	}
	index, total := number("next"), number("last")
	patch, readErr := os.ReadFile(filepath.Join(tree, amState, fmt.Sprintf("%04d", index)))
	if readErr != nil {
		return err
	}
	return conflictOf(ctx, tree, patch, index, total, err)
}

// Missing lists the subjects of the series that no commit between base and the tree's HEAD has.
func (s *Series) Missing(ctx context.Context, tree, base string) ([]string, error) {
	out, err := git(ctx, tree, nil, "log", "--format=%s", base+"..HEAD")
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, subject := range strings.Split(out, "\n") {
		has[subject] = true
	}
	var missing []string
	for _, p := range s.Patches {
		if !has[p.Subject] {
			missing = append(missing, p.Subject)
		}
	}
	return missing, nil
}
