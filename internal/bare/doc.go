// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
