// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"strconv"
	"time"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// ListContainers lists containers in the order of their creation.
func (rt *Runtime) ListContainers(ctx context.Context, filter *runtimev1.ContainerFilter) ([]*runtimev1.Container, error) {
	request := &runtimev1.ListContainersRequest{Filter: filter}
	return look(ctx, rt, method{name: "ListContainers"}, request, func(context.Context) ([]*runtimev1.Container, error) {
		rt.mu.Lock()
		defer rt.mu.Unlock()
		var list []*runtimev1.Container
		for _, c := range rt.containers.all() {
			if filter.GetId() != "" && filter.GetId() != c.id || filter.GetPodSandboxId() != "" && filter.GetPodSandboxId() != c.sandbox.id ||
				filter.GetState() != nil && filter.GetState().GetState() != c.state || !matches(filter.GetLabelSelector(), c.config.GetLabels()) {
				continue
			}
			i := c.image()
			list = append(list, &runtimev1.Container{
				Id: c.id, PodSandboxId: c.sandbox.id, Metadata: c.config.GetMetadata(), Image: c.config.GetImage(), ImageRef: i.id, ImageId: i.id,
				State: c.state, CreatedAt: c.created.UnixNano(), Labels: c.config.GetLabels(), Annotations: c.config.GetAnnotations(),
			})
		}
		return list, nil
	})
}

// ContainerStatus returns the status of a container. With verbose, Info holds "unmounted": whether CRI-O unmounted the root
// filesystem of the running container.
func (rt *Runtime) ContainerStatus(ctx context.Context, id string, verbose bool) (*runtimev1.ContainerStatusResponse, error) {
	request := &runtimev1.ContainerStatusRequest{ContainerId: id, Verbose: verbose}
	return look(ctx, rt, method{name: "ContainerStatus"}, request, func(context.Context) (*runtimev1.ContainerStatusResponse, error) {
		rt.mu.Lock()
		defer rt.mu.Unlock()
		c, err := rt.container(id)
		if err != nil {
			return nil, err
		}
		reply := &runtimev1.ContainerStatusResponse{Status: c.status()}
		if verbose {
			reply.Info = map[string]string{"unmounted": strconv.FormatBool(c.unmounted)}
		}
		return reply, nil
	})
}

// status returns the status for a reply or an event. A recorder that sees it learns of an exit for which there was no event.
func (c *container) status() *runtimev1.ContainerStatus {
	c.tell()
	i := c.image()
	s := &runtimev1.ContainerStatus{
		Id: c.id, Metadata: c.config.GetMetadata(), State: c.state, CreatedAt: c.created.UnixNano(),
		ExitCode: c.exitCode, Reason: c.reason, Message: c.message,
		Image: &runtimev1.ImageSpec{Image: i.tag}, ImageRef: i.id, ImageId: i.id,
		Labels: c.config.GetLabels(), Annotations: c.config.GetAnnotations(), Mounts: c.config.GetMounts(), LogPath: c.logPath(),
		User: &runtimev1.ContainerUser{},
	}
	if !c.started.IsZero() {
		s.StartedAt = c.started.UnixNano()
	}
	if !c.finished.IsZero() {
		s.FinishedAt = c.finished.UnixNano()
	}
	return s
}

func (c *container) logPath() string {
	if c.config.GetLogPath() == "" || c.sandbox.config.GetLogDirectory() == "" {
		return ""
	}
	return c.sandbox.config.GetLogDirectory() + "/" + c.config.GetLogPath()
}

func (c *container) image() *image {
	if i, ok := c.rt.images[c.config.GetImage().GetImage()]; ok {
		return i
	}
	return &image{tag: c.config.GetImage().GetImage(), id: c.config.GetImage().GetImage()}
}

// UpdateContainerResources changes nothing; on CRI-O it waits for the container's lock.
func (rt *Runtime) UpdateContainerResources(ctx context.Context, id string, resources *runtimev1.ContainerResources) error {
	request := &runtimev1.UpdateContainerResourcesRequest{ContainerId: id, Linux: resources.GetLinux(), Windows: resources.GetWindows()}
	_, err := call(ctx, rt, method{name: "UpdateContainerResources", limit: patience}, request, func(ctx context.Context) (any, error) {
		_, err := rt.locked(ctx, id)
		return nil, err
	})
	return err
}

// ContainerStats returns empty figures; on CRI-O it waits for the container's lock.
func (rt *Runtime) ContainerStats(ctx context.Context, id string) (*runtimev1.ContainerStats, error) {
	m := method{name: "ContainerStats", read: true, limit: patience}
	return call(ctx, rt, m, &runtimev1.ContainerStatsRequest{ContainerId: id}, func(ctx context.Context) (*runtimev1.ContainerStats, error) {
		c, err := rt.locked(ctx, id)
		if err != nil {
			return nil, err
		}
		rt.mu.Lock()
		defer rt.mu.Unlock()
		return c.stats(), nil
	})
}

// locked returns a container after its lock has been released.
func (rt *Runtime) locked(ctx context.Context, id string) (*container, error) {
	rt.mu.Lock()
	c, err := rt.container(id)
	rt.mu.Unlock()
	if err != nil {
		return nil, err
	}
	rt.variant().settled(ctx, c)
	return c, nil
}

// ListContainerStats returns the figures of every running container; it never waits.
func (rt *Runtime) ListContainerStats(ctx context.Context, filter *runtimev1.ContainerStatsFilter) ([]*runtimev1.ContainerStats, error) {
	request := &runtimev1.ListContainerStatsRequest{Filter: filter}
	return look(ctx, rt, method{name: "ListContainerStats"}, request, func(context.Context) ([]*runtimev1.ContainerStats, error) {
		rt.mu.Lock()
		defer rt.mu.Unlock()
		var list []*runtimev1.ContainerStats
		for _, c := range rt.containers.all() {
			if !c.running() || filter.GetId() != "" && filter.GetId() != c.id || filter.GetPodSandboxId() != "" && filter.GetPodSandboxId() != c.sandbox.id ||
				!matches(filter.GetLabelSelector(), c.config.GetLabels()) {
				continue
			}
			list = append(list, c.stats())
		}
		return list, nil
	})
}

func (c *container) stats() *runtimev1.ContainerStats {
	now := time.Now().UnixNano()
	return &runtimev1.ContainerStats{
		Attributes: &runtimev1.ContainerAttributes{Id: c.id, Metadata: c.config.GetMetadata(), Labels: c.config.GetLabels(), Annotations: c.config.GetAnnotations()},
		Cpu:        &runtimev1.CpuUsage{Timestamp: now, UsageCoreNanoSeconds: &runtimev1.UInt64Value{}},
		Memory:     &runtimev1.MemoryUsage{Timestamp: now, WorkingSetBytes: &runtimev1.UInt64Value{}},
		WritableLayer: &runtimev1.FilesystemUsage{
			Timestamp: now, FsId: &runtimev1.FilesystemIdentifier{Mountpoint: imageDirectory},
			UsedBytes: &runtimev1.UInt64Value{}, InodesUsed: &runtimev1.UInt64Value{},
		},
	}
}
