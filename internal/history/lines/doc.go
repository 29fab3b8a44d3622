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

// Package lines receives the lines that the processes in a scenario's containers report about themselves: JSON objects, one per
// line, over a unix socket on the host that pods mount by hostPath.
//
// A line that a process wrote before it was killed is not lost: it stays in the kernel's socket buffer and is read after the
// process is gone. Each line carries the container's own timestamp, from the same machine clock.
package lines
