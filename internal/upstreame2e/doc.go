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

// Package upstreame2e runs Kubernetes' own end-to-end specs about the end of a pod on two clusters, one per arm, and compares
// the results: specs that pass on stock must pass on fixed.
//
// Real: the e2e.test binary of the release, its specs, the clusters, the kubelets. Which specs are run, which are not, and why,
// is data: specs.yaml. A spec that is about the end of a pod and is in neither list is an error, so that a new one of a new
// release is not missed.
//
// Not real: the images that the specs ask for. There is no registry, so they are made here of static programs, under the names
// that the release itself tells: agnhost of the release's own source, Debian's busybox, and a small program in the place of
// curl and wget. What stands in for another program is said in specs.yaml and in every report.
package upstreame2e
