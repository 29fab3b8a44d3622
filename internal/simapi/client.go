//go:build kgrace_sim && !kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package simapi

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

func newClientset(objects ...runtime.Object) *fake.Clientset { return fake.NewClientset(objects...) }

// deleteOptions returns the options of a delete request.
func deleteOptions(a clienttesting.DeleteAction) metav1.DeleteOptions { return a.GetDeleteOptions() }
