// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kubetree

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
