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

// Package patchset reads, lints, applies and extracts a series of patches.
//
// A series is a folder with a file called "series", which lists one patch file per line in the order in which they apply
// (empty lines and lines that begin with '#' are ignored), and the patch files themselves, as git format-patch writes them
// and git am reads them:
//
//	patches/v1.37/series
//	patches/v1.37/0001-kubelet-keep-the-cause-of-a-failed-kill.patch
//
// The git program itself does all work on commits, without the caller's git configuration, hooks, attributes and signing
// keys: the same series on the same commit yields the same commits everywhere, and the same commits yield the same bytes.
//
// The package is independent of what the patches are about, except for Lint, which checks the conventions of this project.
package patchset
