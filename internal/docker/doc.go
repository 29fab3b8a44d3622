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

// Package docker finds the Docker engine that node images and kind clusters need. On a Debian machine where none runs it
// can set one up and take it down again.
//
// A running engine is used as it is and never changed. Setup, as root on Debian, installs the missing packages and starts
// dockerd directly, which works on machines without an init system. If the machine lacks capabilities that privileged
// containers request, it configures a runtime for dockerd that drops them (cmd/runcless). Setup first records the state of
// the machine: dockerd sets the FORWARD policy to DROP, adds chains and bridges and turns forwarding on, and leaves all of
// that behind when it stops. Teardown stops the process that Setup started, by its pid, restores the packet filter, the
// bridges and the setting, and compares; packages and images stay.
//
// Other engines are not supported. Podman is detected and refused, because it lacks some of what kind's Docker provider and
// the commands used here need.
package docker
