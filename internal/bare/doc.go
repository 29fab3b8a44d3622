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

// Package bare, with the packages below it, exists only for machines without an image registry or without full rights. On a
// machine with Docker, a registry and all capabilities nothing here runs, and everything else works the same.
//
//   - bare starts a Docker engine on a Debian machine where none runs, and takes it down again.
//   - bare/runcless is a command between the engine and runc: it drops capabilities that the machine lacks.
//   - bare/rootfs builds the root filesystem of a node image from Debian packages.
//   - bare/kindcni is a command that replaces kindnetd in node images built without pulling any image.
//
// A running engine is used as it is and never changed. Setup, as root on Debian, installs the missing packages and starts
// dockerd directly, which works on machines without an init system. Setup first records the state of the machine: dockerd
// sets the FORWARD policy to DROP, adds chains and bridges and turns forwarding on, and leaves all of that behind when it
// stops. Teardown stops the process that Setup started, by its pid, restores the packet filter, the bridges and the setting,
// and compares; packages and images stay.
package bare
