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

// Runcless runs between a Docker engine and runc on a machine that lacks capabilities (usually CAP_SYS_RESOURCE in a small
// virtual machine): `docker run --privileged` asks runc for all capabilities of the kernel, and runc refuses those that are not
// in its own bounding set. Runcless removes the missing ones from the container's configuration and then executes runc from
// PATH with unchanged arguments.
//
// It edits config.json of the bundle on create, run and restore, and the process file on exec. It changes only the lists of
// capabilities, and no other command. Containers run as usual, without the capabilities that the machine lacks.
//
// Exit codes: runc's own; 1 if a file cannot be edited or runc is missing.
package main
