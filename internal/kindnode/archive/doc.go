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

// Package archive writes container images as files, without an engine: a tar of a layer or two, a configuration, and what
// names them, in the form that docker save writes, docker load and containerd read, and kind wants of a control plane.
//
// Equal contents give equal bytes: entries are sorted, owned by root and dated by the caller.
//
// What is real: the images; a node runs them. What is not: any other form than this one.
package archive
