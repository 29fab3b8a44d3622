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
