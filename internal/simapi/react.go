//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simapi

import (
	"fmt"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// Client is a client of the server for one process: it has its own objects of kinds other than pods.
type Client struct {
	*fake.Clientset
	server *Server
	dead   atomic.Bool
}

// Client returns a new client.
func (s *Server) Client() *Client {
	c := &Client{Clientset: newClientset(s.objects...), server: s}
	c.react()
	return c
}

// Kill cuts this client off from the server: its process is dead.
func (c *Client) Kill() { c.dead.Store(true) }

func (c *Client) reaches() error {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	if c.server.cut || c.dead.Load() {
		return errCut
	}
	return nil
}

// react makes the clientset use the server's pods.
func (c *Client) react() {
	s := c.server
	on := func(verb string, do func(clienttesting.Action) (runtime.Object, error)) {
		c.PrependReactor(verb, "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
			if err := c.reaches(); err != nil {
				return true, nil, err
			}
			object, err := do(a)
			return true, object, err
		})
	}
	// Unsupported calls must not fall through to the clientset's own store, which has no such pods.
	on("*", func(a clienttesting.Action) (runtime.Object, error) {
		return nil, fmt.Errorf("simapi: %s of pods %s is not implemented", a.GetVerb(), a.GetSubresource())
	})
	on("get", func(a clienttesting.Action) (runtime.Object, error) {
		return object(s.Get(a.GetNamespace(), a.(clienttesting.GetAction).GetName()))
	})
	on("list", func(clienttesting.Action) (runtime.Object, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.list(), nil
	})
	on("create", func(a clienttesting.Action) (runtime.Object, error) {
		if a.GetSubresource() != "" {
			return nil, fmt.Errorf("simapi: create of pods/%s is not implemented", a.GetSubresource())
		}
		given := a.(clienttesting.CreateAction).GetObject().(*corev1.Pod).DeepCopy()
		given.Namespace = a.GetNamespace()
		return object(s.Create(given))
	})
	on("delete", func(a clienttesting.Action) (runtime.Object, error) {
		d := a.(clienttesting.DeleteAction)
		return object(s.Delete(d.GetNamespace(), d.GetName(), deleteOptions(d)))
	})
	on("patch", func(a clienttesting.Action) (runtime.Object, error) {
		p := a.(clienttesting.PatchAction)
		if a.GetSubresource() != "status" || p.GetPatchType() != types.StrategicMergePatchType {
			return nil, fmt.Errorf("simapi: patch of pods/%s by %s is not implemented", a.GetSubresource(), p.GetPatchType())
		}
		return object(s.PatchStatus(a.GetNamespace(), p.GetName(), p.GetPatch()))
	})
}

// object returns an empty pod with an error, as a real client does: the kubelet uses it when a mirror pod exists already.
func object(p *corev1.Pod, err error) (runtime.Object, error) {
	if err != nil {
		return &corev1.Pod{}, err
	}
	return p, nil
}
