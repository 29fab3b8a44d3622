// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package docker finds the Docker engine that node images and kind clusters need, and runs its commands. Package bare starts
// one where none runs.
//
// Other engines are not supported. Podman is detected and refused, because it lacks some of what kind's Docker provider and
// the commands used here need.
package docker
