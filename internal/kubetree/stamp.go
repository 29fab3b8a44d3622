// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"github.com/google/renameio/v2"
)

// layoutFormat is part of every tree's inputs. Raise it when the layout changes, so that old trees are laid out again.
const layoutFormat = 1

// stampFile is inside .git: a rename moves it together with the tree, and git ignores it.
const stampFile = ".git/kgrace-tree.json"

// stamp records what a finished tree was made from. A tree without a readable stamp is invalid.
type stamp struct {
	Inputs  string `json:"inputs"`  // hash over everything that determines the tree
	Commit  string `json:"commit"`  // HEAD when it was finished
	Content string `json:"content"` // the git tree object of that commit
	// For people:
	Kubernetes string `json:"kubernetes"`
	Source     string `json:"source"`
	Series     string `json:"series,omitempty"`
}

// Hash returns a key for a list of inputs: a stamp, a file beside something that was made, records it.
func Hash(inputs ...any) string {
	h := sha256.New()
	for _, in := range inputs {
		s := fmt.Sprint(in)
		fmt.Fprintf(h, "%d:%s\n", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ReadStamp reads a stamp and reports whether it is one.
func ReadStamp(file string, into any) bool {
	data, err := os.ReadFile(file)
	return err == nil && json.Unmarshal(data, into) == nil
}

// WriteStamp writes a stamp, as indented JSON, atomically.
func WriteStamp(file string, s any) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return renameio.WriteFile(file, append(data, '\n'), 0o644)
}
