// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
