//go:build kgrace_sim && kgrace_v122

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

package simkubelet

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"
	internalapi "k8s.io/cri-api/pkg/apis"
	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
	alpha "k8s.io/cri-api/pkg/apis/runtime/v1alpha2"
	probe "k8s.io/kubernetes/pkg/probe/exec"

	"github.com/kgrace/kgrace/internal/sim"
)

// The kubelet of v1.22 speaks the CRI's v1alpha2, to a client without contexts. v1 began as a copy of that, message by message
// and field by field, and has only been added to, so each is the other's on the wire; that is how messages are turned over.

// services are a connection as the kubelet's clients of the runtime.
func services(c *connection) (internalapi.RuntimeService, internalapi.ImageManagerService) {
	return alphaRuntime{c}, alphaImages{c}
}

// alphaMessage is a message of v1alpha2, as gogo/protobuf makes them.
type alphaMessage interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

// toV1 turns a request over, into a new message of v1.
func toV1[T proto.Message](from alphaMessage, isNil bool, into T) T {
	if isNil {
		var none T
		return none
	}
	data, err := from.Marshal()
	if err == nil {
		err = proto.Unmarshal(data, into)
	}
	if err != nil {
		panic("simkubelet: a message of CRI v1alpha2 is none of v1: " + err.Error())
	}
	return into
}

// toAlpha turns a reply over, into a new message of v1alpha2.
func toAlpha[T alphaMessage](from proto.Message, into T) T {
	data, err := proto.Marshal(from)
	if err == nil {
		err = into.Unmarshal(data)
	}
	if err != nil {
		panic("simkubelet: a message of CRI v1 is none of v1alpha2: " + err.Error())
	}
	return into
}

func allToAlpha[F proto.Message, T any, P interface {
	*T
	alphaMessage
}](list []F) []*T {
	all := make([]*T, len(list))
	for i, one := range list {
		all[i] = toAlpha(one, P(new(T)))
	}
	return all
}

// alphaRuntime is the runtime service. Calls end with the connection; StopContainerWithContext and ExecSyncWithContext, which
// the fixed arm looks for, with a context too.
type alphaRuntime struct{ c *connection }

func (a alphaRuntime) Version(version string) (*alpha.VersionResponse, error) {
	reply, err := a.c.Version(context.Background(), version)
	if err != nil {
		return nil, err
	}
	return toAlpha(reply, &alpha.VersionResponse{}), nil
}

func (a alphaRuntime) Status() (*alpha.RuntimeStatus, error) {
	reply, err := a.c.Status(context.Background(), false)
	if err != nil {
		return nil, err
	}
	return toAlpha(reply.GetStatus(), &alpha.RuntimeStatus{}), nil
}

func (a alphaRuntime) UpdateRuntimeConfig(config *alpha.RuntimeConfig) error {
	return a.c.UpdateRuntimeConfig(context.Background(), toV1(config, config == nil, &runtimev1.RuntimeConfig{}))
}

func (a alphaRuntime) RunPodSandbox(config *alpha.PodSandboxConfig, handler string) (string, error) {
	return a.c.RunPodSandbox(context.Background(), toV1(config, config == nil, &runtimev1.PodSandboxConfig{}), handler)
}

func (a alphaRuntime) StopPodSandbox(id string) error {
	return a.c.StopPodSandbox(context.Background(), id)
}

func (a alphaRuntime) RemovePodSandbox(id string) error {
	return a.c.RemovePodSandbox(context.Background(), id)
}

func (a alphaRuntime) PodSandboxStatus(id string) (*alpha.PodSandboxStatus, error) {
	reply, err := a.c.PodSandboxStatus(context.Background(), id, false)
	if err != nil {
		return nil, err
	}
	return toAlpha(reply.GetStatus(), &alpha.PodSandboxStatus{}), nil
}

func (a alphaRuntime) ListPodSandbox(filter *alpha.PodSandboxFilter) ([]*alpha.PodSandbox, error) {
	list, err := a.c.ListPodSandbox(context.Background(), toV1(filter, filter == nil, &runtimev1.PodSandboxFilter{}))
	return allToAlpha[*runtimev1.PodSandbox, alpha.PodSandbox](list), err
}

func (a alphaRuntime) CreateContainer(sandbox string, config *alpha.ContainerConfig, sandboxConfig *alpha.PodSandboxConfig) (string, error) {
	return a.c.CreateContainer(context.Background(), sandbox, toV1(config, config == nil, &runtimev1.ContainerConfig{}),
		toV1(sandboxConfig, sandboxConfig == nil, &runtimev1.PodSandboxConfig{}))
}

func (a alphaRuntime) StartContainer(id string) error {
	return a.c.StartContainer(context.Background(), id)
}

func (a alphaRuntime) StopContainer(id string, timeout int64) error {
	return a.StopContainerWithContext(context.Background(), id, timeout)
}

func (a alphaRuntime) StopContainerWithContext(ctx context.Context, id string, timeout int64) error {
	return a.c.StopContainer(ctx, id, timeout)
}

func (a alphaRuntime) RemoveContainer(id string) error {
	return a.c.RemoveContainer(context.Background(), id)
}

func (a alphaRuntime) ListContainers(filter *alpha.ContainerFilter) ([]*alpha.Container, error) {
	list, err := a.c.ListContainers(context.Background(), toV1(filter, filter == nil, &runtimev1.ContainerFilter{}))
	return allToAlpha[*runtimev1.Container, alpha.Container](list), err
}

func (a alphaRuntime) ContainerStatus(id string) (*alpha.ContainerStatus, error) {
	reply, err := a.c.ContainerStatus(context.Background(), id, false)
	if err != nil {
		return nil, err
	}
	return toAlpha(reply.GetStatus(), &alpha.ContainerStatus{}), nil
}

func (a alphaRuntime) UpdateContainerResources(id string, resources *alpha.LinuxContainerResources) error {
	return a.c.UpdateContainerResources(context.Background(), id,
		&runtimev1.ContainerResources{Linux: toV1(resources, resources == nil, &runtimev1.LinuxContainerResources{})})
}

func (a alphaRuntime) ExecSync(id string, argv []string, timeout time.Duration) (stdout, stderr []byte, err error) {
	return a.ExecSyncWithContext(context.Background(), id, argv, timeout)
}

func (a alphaRuntime) ExecSyncWithContext(ctx context.Context, id string, argv []string, timeout time.Duration) (stdout, stderr []byte, err error) {
	stdout, stderr, err = a.c.ExecSync(ctx, id, argv, timeout)
	if sim.TimedOut(err) {
		err = probe.NewTimeoutError(err, timeout)
	}
	return stdout, stderr, err
}

func (a alphaRuntime) Exec(*alpha.ExecRequest) (*alpha.ExecResponse, error) {
	_, err := a.c.Exec(context.Background(), nil)
	return nil, err
}

func (a alphaRuntime) Attach(*alpha.AttachRequest) (*alpha.AttachResponse, error) {
	_, err := a.c.Attach(context.Background(), nil)
	return nil, err
}

func (a alphaRuntime) PortForward(*alpha.PortForwardRequest) (*alpha.PortForwardResponse, error) {
	_, err := a.c.PortForward(context.Background(), nil)
	return nil, err
}

func (a alphaRuntime) ReopenContainerLog(id string) error {
	return a.c.ReopenContainerLog(context.Background(), id)
}

func (a alphaRuntime) ContainerStats(id string) (*alpha.ContainerStats, error) {
	reply, err := a.c.ContainerStats(context.Background(), id)
	if err != nil {
		return nil, err
	}
	return toAlpha(reply, &alpha.ContainerStats{}), nil
}

func (a alphaRuntime) ListContainerStats(filter *alpha.ContainerStatsFilter) ([]*alpha.ContainerStats, error) {
	list, err := a.c.ListContainerStats(context.Background(), toV1(filter, filter == nil, &runtimev1.ContainerStatsFilter{}))
	return allToAlpha[*runtimev1.ContainerStats, alpha.ContainerStats](list), err
}

// alphaImages is the image service.
type alphaImages struct{ c *connection }

func (a alphaImages) ListImages(filter *alpha.ImageFilter) ([]*alpha.Image, error) {
	list, err := a.c.ListImages(context.Background(), toV1(filter, filter == nil, &runtimev1.ImageFilter{}))
	return allToAlpha[*runtimev1.Image, alpha.Image](list), err
}

// ImageStatus says nil for an image that is not there.
func (a alphaImages) ImageStatus(image *alpha.ImageSpec) (*alpha.Image, error) {
	reply, err := a.c.ImageStatus(context.Background(), toV1(image, image == nil, &runtimev1.ImageSpec{}), false)
	if err != nil || reply.GetImage() == nil {
		return nil, err
	}
	return toAlpha(reply.GetImage(), &alpha.Image{}), nil
}

func (a alphaImages) PullImage(image *alpha.ImageSpec, auth *alpha.AuthConfig, sandbox *alpha.PodSandboxConfig) (string, error) {
	return a.c.PullImage(context.Background(), toV1(image, image == nil, &runtimev1.ImageSpec{}),
		toV1(auth, auth == nil, &runtimev1.AuthConfig{}), toV1(sandbox, sandbox == nil, &runtimev1.PodSandboxConfig{}))
}

func (a alphaImages) RemoveImage(image *alpha.ImageSpec) error {
	return a.c.RemoveImage(context.Background(), toV1(image, image == nil, &runtimev1.ImageSpec{}))
}

func (a alphaImages) ImageFsInfo() ([]*alpha.FilesystemUsage, error) {
	reply, err := a.c.ImageFsInfo(context.Background())
	if err != nil {
		return nil, err
	}
	return allToAlpha[*runtimev1.FilesystemUsage, alpha.FilesystemUsage](reply.GetImageFilesystems()), nil
}
