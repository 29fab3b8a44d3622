// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package history records the events of one scenario on one arm, on one clock: API writes and watch events, runtime calls with
// their timeouts, container exits, the containers' own lines and the kubelet's events. Judges read histories. They are stored
// as JSON lines and can be judged again.
//
// The package does not depend on scenarios, rules or Kubernetes processes.
package history
