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

// Package apiwatch records the pods of one namespace as the API server sends them, and the kubelet's events about them.
//
// A list is followed by a watch from the list's resource version, so nothing between the two is lost. A broken watch resumes
// where it ended; if the API server no longer knows that version, a new list is compared with the recorded state, and pods that
// are gone are recorded as DELETED.
package apiwatch
