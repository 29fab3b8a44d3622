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

// Package tool runs go and git as child processes. Their results depend only on the arguments: the caller's settings
// (GOFLAGS, GIT_DIR, the user's git configuration, ...) are removed, and the Go toolchain is the pinned one.
//
// A child runs in a process group of its own. When the context ends, the whole group gets a SIGTERM and, after a while, is
// killed, so go build's compilers do not outlive their parent.
package tool
