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

// Package scenario is the catalogue of scenarios. A scenario is one value, written once and run on both arms at every level
// that supports it. Each file holds one family.
//
// The value defines the pod, the requests and their times, and the contract rules that the scenario proves on each arm. How to
// carry out a step and how to judge the result is up to the levels and judges. The package depends on no Kubernetes process.
package scenario
