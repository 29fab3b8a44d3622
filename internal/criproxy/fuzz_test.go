// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

// FuzzCall gives the proxy any bytes as the request and the reply of any call: it passes both on as they are, and reads out of
// them what it can.
func FuzzCall(f *testing.F) {
	paths := slices.Sorted(maps.Keys(methods))
	add := func(name string, request, reply proto.Message) {
		n := slices.Index(paths, "/runtime.v1.RuntimeService/"+name)
		if n < 0 {
			f.Fatalf("no call %s", name)
		}
		in, err := proto.Marshal(request)
		if err != nil {
			f.Fatal(err)
		}
		out, err := proto.Marshal(reply)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint(n), in, out)
	}
	config := &runtimev1.PodSandboxConfig{Metadata: &runtimev1.PodSandboxMetadata{Name: "pod"}}
	exited := &runtimev1.ContainerStatus{Id: "c", Metadata: &runtimev1.ContainerMetadata{Name: "main"}, State: runtimev1.ContainerState_CONTAINER_EXITED,
		FinishedAt: 1, ExitCode: 137, Labels: map[string]string{podLabel: "pod"}}
	add("RunPodSandbox", &runtimev1.RunPodSandboxRequest{Config: config}, &runtimev1.RunPodSandboxResponse{PodSandboxId: "s"})
	add("CreateContainer", &runtimev1.CreateContainerRequest{PodSandboxId: "s", Config: &runtimev1.ContainerConfig{}, SandboxConfig: config},
		&runtimev1.CreateContainerResponse{ContainerId: "c"})
	add("StopContainer", &runtimev1.StopContainerRequest{ContainerId: "c", Timeout: -1}, &runtimev1.StopContainerResponse{})
	add("ExecSync", &runtimev1.ExecSyncRequest{ContainerId: "c", Cmd: []string{"a", "b"}}, &runtimev1.ExecSyncResponse{ExitCode: 1})
	add("ContainerStatus", &runtimev1.ContainerStatusRequest{ContainerId: "c"}, &runtimev1.ContainerStatusResponse{Status: exited})
	add("ListContainers", &runtimev1.ListContainersRequest{}, &runtimev1.ListContainersResponse{Containers: []*runtimev1.Container{nil, {Id: "c"}}})
	add("ListPodSandbox", &runtimev1.ListPodSandboxRequest{}, &runtimev1.ListPodSandboxResponse{Items: []*runtimev1.PodSandbox{{Id: "s"}}})
	add("GetContainerEvents", &runtimev1.GetEventsRequest{}, &runtimev1.ContainerEventResponse{ContainerId: "c", CreatedAt: 1,
		ContainerEventType: runtimev1.ContainerEventType_CONTAINER_STOPPED_EVENT, ContainersStatuses: []*runtimev1.ContainerStatus{exited}})
	f.Fuzz(func(t *testing.T, n uint, in, out []byte) {
		m := methods[paths[n%uint(len(paths))]]
		var codec rawCodec
		for _, data := range [][]byte{in, out} {
			var got frame
			if err := codec.Unmarshal(mem.BufferSlice{mem.SliceBuffer(data)}, &got); err != nil {
				t.Fatal(err)
			}
			sent, err := codec.Marshal(&got)
			if err != nil || !bytes.Equal(sent.Materialize(), data) {
				t.Fatalf("%x became %x: %v", data, sent.Materialize(), err)
			}
		}
		ended := map[string]int{}
		p := &Proxy{names: newNames(), log: io.Discard, record: history.SinkFunc(func(e history.Event) {
			if e.Kind == history.ContainerExit {
				ended[e.ContainerID]++
			}
		})}
		p.exits = &exits{proxy: p, recorded: map[string]bool{}}
		c := &call{proxy: p, method: m, id: 1, request: decode(m.request, in)}
		c.facts = p.names.factsOf(c.request)
		for range 2 {
			c.learn(out)
			if event, ok := decode(m.response, out).(*runtimev1.ContainerEventResponse); ok {
				p.exits.handle(event)
			}
		}
		for id, times := range ended {
			if times > 1 {
				t.Errorf("the exit of container %q is recorded %d times", id, times)
			}
		}
		if e := c.returned(nil); e.Call != m.name || e.CallID != 1 || e.Error != "" {
			t.Errorf("the record of a return: %+v", e)
		}
		p.faults.Strike(m.name, c.facts.pod, c.facts.container, c.request)
	})
}
