// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/kgrace/kgrace/internal/actor"
)

// imageDirectory is the directory that the image service reports for its images. Nothing reads it.
const imageDirectory = "/var/lib/sim"

// Images that every runtime holds, as every node does.
const (
	ActorImage = actor.Image
	PauseImage = actor.PauseImage
)

// image is an image of the store or of the registry.
type image struct {
	tag, id    string
	entrypoint []string
}

func newImage(tag string, entrypoint ...string) *image {
	sum := sha256.Sum256([]byte(tag))
	return &image{tag: tag, id: "sha256:" + hex.EncodeToString(sum[:]), entrypoint: entrypoint}
}

func nodeImages() map[string]*image {
	images := map[string]*image{}
	for _, i := range []*image{newImage(ActorImage, actor.Path), newImage(PauseImage, actor.Path, "pause")} {
		images[i.tag], images[i.id] = i, i
	}
	return images
}

// ForgetImage removes an image from the store, so that a pod that may pull it does. A pull provides any image, with the actor
// in it, and takes no time; a Fault{Method: "PullImage", Delay: ...} makes it slow.
func (rt *Runtime) ForgetImage(tag string) {
	rt.mu.Lock()
	defer rt.mu.Unlock()
	if i, ok := rt.images[tag]; ok {
		delete(rt.images, i.tag)
		delete(rt.images, i.id)
	}
}

// PullImage adds an image to the store.
func (rt *Runtime) PullImage(ctx context.Context, spec *runtimev1.ImageSpec, auth *runtimev1.AuthConfig, sandbox *runtimev1.PodSandboxConfig) (string, error) {
	request := &runtimev1.PullImageRequest{Image: spec, Auth: auth, SandboxConfig: sandbox}
	return call(ctx, rt, method{name: "PullImage", image: true}, request, func(ctx context.Context) (string, error) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if spec.GetImage() == "" {
			return "", errors.New("failed to pull: no image named")
		}
		rt.mu.Lock()
		defer rt.mu.Unlock()
		i, ok := rt.images[spec.GetImage()]
		if !ok {
			i = newImage(spec.GetImage(), actor.Path)
			rt.images[i.tag], rt.images[i.id] = i, i
		}
		return i.id, nil
	})
}

// ImageStatus returns the status of an image; a missing image is not an error.
func (rt *Runtime) ImageStatus(ctx context.Context, spec *runtimev1.ImageSpec, verbose bool) (*runtimev1.ImageStatusResponse, error) {
	request := &runtimev1.ImageStatusRequest{Image: spec, Verbose: verbose}
	return look(ctx, rt, method{name: "ImageStatus", image: true}, request, func(context.Context) (*runtimev1.ImageStatusResponse, error) {
		rt.mu.Lock()
		defer rt.mu.Unlock()
		reply := &runtimev1.ImageStatusResponse{}
		if i, ok := rt.images[spec.GetImage()]; ok {
			reply.Image = i.message()
		}
		return reply, nil
	})
}

func (i *image) message() *runtimev1.Image {
	return &runtimev1.Image{
		Id: i.id, RepoTags: []string{i.tag}, Size: 1 << 20, Spec: &runtimev1.ImageSpec{Image: i.id}, Uid: &runtimev1.Int64Value{},
	}
}

// ListImages lists the images of the store.
func (rt *Runtime) ListImages(ctx context.Context, filter *runtimev1.ImageFilter) ([]*runtimev1.Image, error) {
	request := &runtimev1.ListImagesRequest{Filter: filter}
	return look(ctx, rt, method{name: "ListImages", image: true}, request, func(context.Context) ([]*runtimev1.Image, error) {
		rt.mu.Lock()
		defer rt.mu.Unlock()
		var list []*runtimev1.Image
		for name, i := range rt.images {
			asked := filter.GetImage().GetImage()
			if name == i.tag && (asked == "" || asked == i.tag || asked == i.id) {
				list = append(list, i.message())
			}
		}
		return list, nil
	})
}

// RemoveImage removes an image; a missing image is not an error.
func (rt *Runtime) RemoveImage(ctx context.Context, spec *runtimev1.ImageSpec) error {
	_, err := call(ctx, rt, method{name: "RemoveImage", image: true, limit: patience}, &runtimev1.RemoveImageRequest{Image: spec}, func(context.Context) (any, error) {
		rt.mu.Lock()
		i, ok := rt.images[spec.GetImage()]
		rt.mu.Unlock()
		if ok {
			rt.ForgetImage(i.tag)
		}
		return nil, nil
	})
	return err
}

// ImageFsInfo describes an empty file system.
func (rt *Runtime) ImageFsInfo(ctx context.Context) (*runtimev1.ImageFsInfoResponse, error) {
	return look(ctx, rt, method{name: "ImageFsInfo", image: true}, &runtimev1.ImageFsInfoRequest{}, func(context.Context) (*runtimev1.ImageFsInfoResponse, error) {
		usage := []*runtimev1.FilesystemUsage{{
			Timestamp: time.Now().UnixNano(), FsId: &runtimev1.FilesystemIdentifier{Mountpoint: imageDirectory},
			UsedBytes: &runtimev1.UInt64Value{}, InodesUsed: &runtimev1.UInt64Value{},
		}}
		return &runtimev1.ImageFsInfoResponse{ImageFilesystems: usage, ContainerFilesystems: usage}, nil
	})
}
