// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Actor is the program in the containers of scenarios: a main process that ends on TERM or ignores it, the process of a preStop
// hook, and the sandbox's pause. It reports events, one per line and stamped with its own clock, over a unix socket that its
// pod mounts from the host.
//
//	actor run    the main process of a container
//	actor hook   an exec hook, preStop or postStart
//	actor mark   sends one line and ends
//	actor pause  a sandbox's process: reaps children, ends on TERM
//
// Every line is written to the socket before the process continues, so that it arrives even if the process is killed right
// after. A server that is gone costs at most a moment and never keeps the process from ending. TERMs are counted as the kernel
// delivers them: as for every process, two that arrive before the first is taken count as one.
//
// Exit codes: that of --exit-code, 0 by default; 1 if mark could not send its line; 2 for bad usage; 143 for a hook that got a
// TERM. Linux only, standard library only; built without cgo it is one static file.
package main
