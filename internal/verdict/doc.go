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

// Package verdict defines the terms of every comparison of the two arms: the arms, the verdicts on them, the status of a run,
// and its exit code.
//
// Only a judge makes a result red. A result that cannot be judged is invalid, neither red nor good. The package imports nothing
// from this project.
package verdict
