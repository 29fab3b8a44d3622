// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package criproxy

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/history"
)

func TestWhatIsRecorded(t *testing.T) {
	f := &fakeRuntime{
		exec: func(_ context.Context, r *runtimev1.ExecSyncRequest) (*runtimev1.ExecSyncResponse, error) {
			return &runtimev1.ExecSyncResponse{ExitCode: 5, Stdout: []byte("hush")}, nil
		},
		stop: func(_ context.Context, r *runtimev1.StopContainerRequest) (*runtimev1.StopContainerResponse, error) {
			if r.GetTimeout() == 7 {
				return nil, errors.New("busy")
			}
			return &runtimev1.StopContainerResponse{}, nil
		},
	}
	b := newBench(t, f, nil)
	ctx := t.Context()
	id := b.create("main")
	if _, err := b.client.Version(ctx, &runtimev1.VersionRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.client.ExecSync(ctx, &runtimev1.ExecSyncRequest{ContainerId: id, Cmd: []string{"/actor", "hook"}}); err != nil {
		t.Fatal(err)
	}
	_ = b.stop(ctx, id, 7)
	_ = b.stop(ctx, "id-ma", 0) // a prefix of an id is enough
	if _, err := b.client.StopPodSandbox(ctx, &runtimev1.StopPodSandboxRequest{PodSandboxId: "sandbox-p"}); err != nil {
		t.Fatal(err)
	}
	_, err := b.client.RemoveContainer(ctx, &runtimev1.RemoveContainerRequest{ContainerId: id})
	if status.Code(err) != codes.Unimplemented {
		t.Fatal(err)
	}
	want := []string{
		"cri.call RunPodSandbox p/",
		"cri.return RunPodSandbox p/ sandbox sandbox-p",
		"cri.call CreateContainer p/main",
		"cri.return CreateContainer p/main id-main",
		"cri.call ExecSync p/main id-main /actor hook",
		"cri.return ExecSync p/main id-main exit=5 /actor hook",
		"cri.call StopContainer p/main id-main grace=7",
		"cri.return StopContainer p/main id-main grace=7 Unknown busy",
		"cri.call StopContainer p/main id-main grace=0",
		"cri.return StopContainer p/main id-main grace=0",
		"cri.call StopPodSandbox p/ sandbox sandbox-p",
		"cri.return StopPodSandbox p/ sandbox sandbox-p",
		"cri.call RemoveContainer p/main id-main",
		"cri.return RemoveContainer p/main id-main Unimplemented method RemoveContainer not implemented",
	}
	if diff := cmp.Diff(want, b.print(history.CRICall, history.CRIReturn)); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}

	ids := map[int64]int{}
	for _, e := range b.log.History().Events {
		ids[e.CallID]++
	}
	for id, n := range ids {
		if n != 2 {
			t.Errorf("call %d has %d records, expected a call and a return", id, n)
		}
	}
	file := filepath.Join(t.TempDir(), "history.jsonl")
	if err := history.WriteFile(file, b.log.History()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"hush", "PASSWORD"} {
		if strings.Contains(string(data), secret) {
			t.Errorf("the history contains %q", secret)
		}
	}
}

func TestReadsAreRecordedOnRequest(t *testing.T) {
	f := &fakeRuntime{statuses: map[string]*runtimev1.ContainerStatus{"id-main": {Id: "id-main"}}}
	ask := func(b *bench) []string {
		id := b.create("main")
		if _, err := b.client.ContainerStatus(t.Context(), &runtimev1.ContainerStatusRequest{ContainerId: id}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range b.print(history.CRICall, history.CRIReturn) {
			if strings.Contains(line, "Status") {
				got = append(got, line)
			}
		}
		return got
	}
	if got := ask(newBench(t, f, nil)); got != nil {
		t.Errorf("recorded by default: %v", got)
	}
	want := []string{"cri.call ContainerStatus p/main id-main", "cri.return ContainerStatus p/main id-main"}
	if diff := cmp.Diff(want, ask(newBench(t, f, func(o *Options) { o.Reads = true }))); diff != "" {
		t.Error(diff)
	}
}

func TestMethodTable(t *testing.T) {
	var always, reads []string
	for _, m := range methods {
		if m.read {
			reads = append(reads, m.name)
		} else {
			always = append(always, m.name)
		}
	}
	for _, name := range []string{
		"RunPodSandbox", "StopPodSandbox", "RemovePodSandbox", "CreateContainer", "StartContainer", "StopContainer",
		"RemoveContainer", "UpdateContainerResources", "ExecSync", "Exec", "Attach", "PortForward", "PullImage", "RemoveImage",
	} {
		if !strings.Contains(" "+strings.Join(always, " ")+" ", " "+name+" ") {
			t.Errorf("%s is not always recorded", name)
		}
	}
	for _, name := range []string{
		"Version", "Status", "ListContainers", "ListPodSandbox", "ContainerStatus", "PodSandboxStatus", "ContainerStats",
		"ListContainerStats", "ListPodSandboxMetrics", "ImageFsInfo", "ImageStatus", "GetContainerEvents", "RuntimeConfig",
		"StreamContainers",
	} {
		if !strings.Contains(" "+strings.Join(reads, " ")+" ", " "+name+" ") {
			t.Errorf("%s is recorded by default", name)
		}
	}
}

func TestNamesAreLearntFromLists(t *testing.T) {
	f := &fakeRuntime{listed: []*runtimev1.Container{{Id: "old", Labels: labels("p", "main")}}}
	b := newBench(t, f, nil)
	if _, err := b.client.ListContainers(t.Context(), &runtimev1.ListContainersRequest{}); err != nil {
		t.Fatal(err)
	}
	if err := b.stop(t.Context(), "old", 1); err != nil {
		t.Fatal(err)
	}
	if got := b.print(history.CRICall); len(got) != 1 || got[0] != "cri.call StopContainer p/main old grace=1" {
		t.Errorf("recorded %v", got)
	}
}

func TestImageServiceErrorsAreNotQuoted(t *testing.T) {
	b := newBench(t, &fakeRuntime{}, nil)
	images := runtimev1.NewImageServiceClient(b.conn)
	_, err := images.PullImage(t.Context(), &runtimev1.PullImageRequest{
		Image:         &runtimev1.ImageSpec{Image: "registry.test/x:1"},
		Auth:          &runtimev1.AuthConfig{Password: "hush"},
		SandboxConfig: &runtimev1.PodSandboxConfig{Metadata: &runtimev1.PodSandboxMetadata{Name: "p"}},
	})
	if status.Code(err) != codes.Unimplemented {
		t.Fatal(err)
	}
	want := []string{"cri.call PullImage p/ registry.test/x:1", "cri.return PullImage p/ Unimplemented registry.test/x:1"}
	if diff := cmp.Diff(want, b.print(history.CRICall, history.CRIReturn)); diff != "" {
		t.Error(diff)
	}
}
