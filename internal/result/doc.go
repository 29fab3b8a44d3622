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
// A result is what the judges found in a history, with the verdict that the catalogue makes of it. The package decides nothing,
// draws no page and knows no engine; the suites of all levels write results, and everything that reads them reads them here.
package result
