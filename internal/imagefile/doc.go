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

// Package imagefile writes container images to one file, in the format of `docker save`, without Docker. The images contain
// static programs and little or nothing of a distribution. `docker load`, `ctr images import`, kind's side-loading and
// `kind build node-image` can read the file.
//
// Layers, configuration and manifest are as runtimes expect them. Equal contents give equal bytes on any machine at any
// time: entries of layers are sorted, owned by root and dated by the caller. Whiteouts, images for more than one platform,
// pulling and pushing are not supported.
package imagefile
