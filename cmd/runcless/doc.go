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

// Runcless stands between a Docker engine and runc on a machine that lacks capabilities (CAP_SYS_RESOURCE, as a rule, in a
// small virtual machine): `docker run --privileged` asks runc for all that the kernel knows, and runc refuses what is not in
// its own bounding set. Runcless takes what this machine does not have out of the container's configuration and then
// becomes runc, the one on PATH, with the arguments unchanged.
//
// It edits config.json of the bundle on create, run and restore, and the process file on exec; nothing but the lists of
// capabilities is changed, and every other command passes as it is. Containers run as they would, less the capabilities
// that the machine could not have given them.
//
// Exit codes: runc's own; 1 if a file cannot be edited, or runc is not there.
package main
