// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package apiwatch records the pods of one namespace as the API server sends them, and the kubelet's events about them.
//
// A list is followed by a watch from the list's resource version, so nothing between the two is lost. A broken watch resumes
// where it ended; if the API server no longer knows that version, a new list is compared with the recorded state, and pods that
// are gone are recorded as DELETED.
package apiwatch
