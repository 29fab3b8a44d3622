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

// Package versions reads versions.yaml, which pins every external version: the Kubernetes minors with their staging modules
// and Go toolchain, and the other programs of a real node.
//
// It also checks the main module's go.mod against it (CheckGoMod, UpdateGoMod): k8s.io/kubernetes is not meant to be
// imported, so its staging modules must be replaced one by one, and those lines are generated.
package versions
