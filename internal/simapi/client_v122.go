//go:build kgrace_sim && kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simapi

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	clienttesting "k8s.io/client-go/testing"
)

func newClientset(objects ...runtime.Object) *fake.Clientset {
	return fake.NewSimpleClientset(objects...)
}

// deleteOptions panics: client-go's fake of v1.22 drops the options of a delete, so deletes of pods do not go through it.
func deleteOptions(clienttesting.DeleteAction) metav1.DeleteOptions {
	panic("simapi: a delete of a pod went through client-go's fake, which drops its options")
}

// CoreV1 returns the clientset's interface, except for deletes of pods.
func (c *Client) CoreV1() corev1client.CoreV1Interface { return coreV1{c.Clientset.CoreV1(), c} }

type coreV1 struct {
	corev1client.CoreV1Interface
	client *Client
}

func (c coreV1) Pods(namespace string) corev1client.PodInterface {
	return pods{c.CoreV1Interface.Pods(namespace), c.client, namespace}
}

type pods struct {
	corev1client.PodInterface
	client    *Client
	namespace string
}

func (p pods) Delete(_ context.Context, name string, options metav1.DeleteOptions) error {
	if err := p.client.reaches(); err != nil {
		return err
	}
	_, err := p.client.server.Delete(p.namespace, name, options)
	return err
}
