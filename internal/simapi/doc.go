// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package simapi implements in memory the part of the Kubernetes API that pods need: pods with creates, deletes, status
// patches, lists and watches, behind client-go's clientset.
//
// Real: the semantics of a delete. It goes through the API server's own pod strategy and its rest.BeforeDelete, so a force is
// two writes, shortening rewrites deletionTimestamp, -1 becomes 1, and a deadline in the past becomes now. The API server's own
// code defaults, prepares and validates creates, and prepares status writes. Timestamps have whole seconds.
//
// Not real: storage, admission, authorization, and the few lines of the API server's registry that decide the writes after
// BeforeDelete (delete.go repeats them). Objects of other kinds are kept by client-go's fake, which has no strategies.
//
// Every change of a pod is recorded when it is made: the history has no watch delay.
package simapi
