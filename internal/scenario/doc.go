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

// Package scenario is the catalogue. A scenario is one value, written once and run on both arms at every level that supports
// it. One file holds one family.
//
// A value says what pod there is, what is asked of it and when, and which contract rules it proves on which arm. It does not
// say how to carry a step out or how to judge what happened: levels and judges do. Nothing here knows a Kubernetes process.
package scenario
