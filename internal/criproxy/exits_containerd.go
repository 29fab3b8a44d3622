// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"context"
	"time"

	taskevents "github.com/containerd/containerd/api/events"
	eventservice "github.com/containerd/containerd/api/services/events/v1"
	"google.golang.org/grpc"

	"github.com/kgrace/kgrace/internal/history"
)

// exitsOfKubernetes selects the exits of processes in containerd's namespace for the CRI.
const exitsOfKubernetes = `topic=="/tasks/exit",namespace=="k8s.io"`

// containerdEvents follows containerd's own events, which containerd serves on the same socket as its CRI.
func (x *exits) containerdEvents(ctx context.Context) (next func() error, err error) {
	events, err := eventservice.NewEventsClient(x.proxy.upstream).Subscribe(ctx,
		&eventservice.SubscribeRequest{Filters: []string{exitsOfKubernetes}}, grpc.WaitForReady(true))
	return func() error {
		envelope, err := events.Recv()
		if err != nil {
			return err
		}
		var exit taskevents.TaskExit
		// containerd sends the bare type name, which UnmarshalTo compares with.
		if err := envelope.GetEvent().UnmarshalTo(&exit); err != nil {
			return err
		}
		x.taskExit(&exit)
		return nil
	}, err
}

// taskExit handles the exit of one process: a container's main process, a sandbox's, or a command in a container.
func (x *exits) taskExit(exit *taskevents.TaskExit) {
	id := exit.GetContainerID()
	if exit.GetID() != id {
		return // a command
	}
	if _, pod := x.proxy.names.sandbox(id); pod != "" {
		return
	}
	at := time.Now()
	if exit.GetExitedAt().IsValid() {
		at = exit.GetExitedAt().AsTime()
	}
	code := int32(exit.GetExitStatus())
	x.add(id, history.Event{At: at, ExitCode: &code})
}
