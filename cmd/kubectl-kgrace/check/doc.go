// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package check finds out whether a cluster's kubelets have the fault: the grace period of a terminating pod cannot be
// shortened. It needs a kubeconfig and the right to create pods, and observes only pods.
//
// On each node it starts a few small pods whose process ignores TERM and prints a word five times a second, deletes them as
// users do, and follows their logs. A log opened before the delete continues after the API object is gone, until the container
// ends, so it shows how long the process lives, whatever the network of the cluster. A pod that is not deleted (the witness)
// shows that silence means the end of a process, not of the connection; a pod that is deleted once (the control) shows the
// overhead of the node and the API server. If they are late, the verdict is "could not tell", never "affected".
//
// Everything is real. The kubelet and its runtime are not observed directly; the runtime's part in an affected node is
// inferred.
package check
