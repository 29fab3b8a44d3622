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

// Package docker finds the Docker engine that node images and kind clusters need, and sets one up, and takes it down again, on
// a Debian machine where none runs.
//
// A running engine is used as it is and never changed. Setup, as root on Debian, installs the packages that are missing and
// starts dockerd by hand, in the way that suits machines without an init system; where the machine lacks capabilities that
// privileged containers ask for, it gives dockerd a runtime that leaves them out (cmd/runcless). What the machine was like
// before is written down first: dockerd sets the FORWARD policy to DROP, adds chains and bridges and turns forwarding on, and
// keeps all of that when it stops. Teardown stops the process that Setup started, by its pid, puts the packet filter, the
// bridges and the setting back, and compares; packages and images stay.
//
// What is real: everything. What is not: other engines. Podman is named and refused, since kind's Docker provider and the
// commands used here are not all there.
package docker
