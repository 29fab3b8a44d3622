// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"errors"
	"fmt"
	"time"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// sweeping is how long the removal of what a run created may take.
const sweeping = 2 * time.Minute

// sweep removes everything of this and of earlier runs from the runtime, and returns what it removed. Its containers are killed
// first: CRI-O would give running ones minutes.
func (r *Remote) sweep(ctx context.Context) (removed int, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sweeping)
	defer cancel()
	ours, err := r.ours(ctx)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, id := range ours {
		containers, err := r.runtime.ListContainers(ctx, &runtimev1.ContainerFilter{PodSandboxId: id})
		errs = append(errs, err)
		for _, c := range containers {
			errs = append(errs, r.runtime.StopContainer(ctx, c.GetId(), 0))
		}
		errs = append(errs, r.runtime.StopPodSandbox(ctx, id), r.runtime.RemovePodSandbox(ctx, id))
	}
	left, err := r.ours(ctx)
	errs = append(errs, err)
	if len(left) > 0 {
		errs = append(errs, fmt.Errorf("sandboxes %v are left on the runtime: remove them with crictl rmp --force", left))
	}
	return len(ours), errors.Join(errs...)
}

// ours returns the sandboxes with our label.
func (r *Remote) ours(ctx context.Context) ([]string, error) {
	all, err := r.runtime.ListPodSandbox(ctx, nil)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, s := range all {
		if _, ok := s.GetLabels()[RunLabel]; ok {
			ids = append(ids, s.GetId())
		}
	}
	return ids, nil
}

// provide pulls the image if the runtime does not have it; undo removes it again.
func (r *Remote) provide(ctx context.Context, image string) (undo func(context.Context) error, err error) {
	nothing := func(context.Context) error { return nil }
	spec := &runtimev1.ImageSpec{Image: image, UserSpecifiedImage: image}
	reply, err := r.images.ImageStatus(ctx, spec, false)
	if err != nil {
		return nothing, fmt.Errorf("image %s: %w", image, err)
	}
	if reply.GetImage() != nil {
		return nothing, nil
	}
	if _, err := r.images.PullImage(ctx, spec, nil, nil); err != nil {
		return nothing, fmt.Errorf("image %s is not there and cannot be pulled; name one that is, with sh and sleep, with --image: %w", image, err)
	}
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sweeping)
		defer cancel()
		return r.images.RemoveImage(ctx, spec)
	}, nil
}

// cgroup returns the parent of the sandboxes' cgroups: with systemd a slice that is always there, else the runtime's default.
func (r *Remote) cgroup(ctx context.Context) string {
	config, err := r.runtime.RuntimeConfig(ctx)
	if err == nil && config.GetLinux().GetCgroupDriver() == runtimev1.CgroupDriver_SYSTEMD {
		return "system.slice"
	}
	return ""
}
