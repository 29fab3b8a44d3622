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

// Package result is the model of a run's results: every scenario on every arm, the files that store them, and the table that
// prints them.
//
// A result is the judges' findings in a history with their verdicts from the catalogue. The package makes no decisions, renders
// no page and depends on no engine; the suites of all levels write results, and all readers of results read them here.
package result
