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

// Package release writes one folder for a minor from which its fixed kubelet can be installed: a static kubelet for each
// architecture, a systemd drop-in that runs it, the series as one file for git am, INSTALL.md, an SPDX document, a statement of
// provenance, and SHA256SUMS over all of them.
//
// The same inputs (versions.yaml, the series, the commit of this project) give the same bytes, in any folder, with any build
// cache and on any machine that Go runs on: nothing depends on the time, the place or the architecture of the build. The
// kubelets are real and built from the tree of the minor. Nothing is signed: the statement says what a build did, not who vouches
// for it, and the checksums only find damage. Whoever wants more builds the folder again and compares.
package release
