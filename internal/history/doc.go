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

// Package history records the events of one scenario on one arm, on one clock: API writes and watch events, runtime calls with
// their timeouts, container exits, the containers' own lines and the kubelet's events. Judges read histories. They are stored
// as JSON lines and can be judged again.
//
// The package does not depend on scenarios, rules or Kubernetes processes.
package history
