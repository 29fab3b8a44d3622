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

// Package stream passes events from one process to another through a file: one appends JSON lines, another follows them. Both
// run on one machine with one clock, but may be in different namespaces.
//
// A writer writes a line when it starts, so that a reader notices when another writer takes over: the events in between are
// lost, and so is the state of the first writer. The reader waits for the rest of an incomplete line.
package stream
