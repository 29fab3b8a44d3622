//go:build kgrace_v122

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package apiwatch

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// retryWatcher returns a watch from version that reopens itself when it is cut. It uses v1.22's client-go, which takes no
// contexts here. Only the sim level of v1.22 is compiled with it, and that level watches nothing.
func retryWatcher(ctx context.Context, version string, open func(context.Context, metav1.ListOptions) (watch.Interface, error)) (watch.Interface, error) {
	return watchtools.NewRetryWatcher(version, &cache.ListWatch{WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
		return open(ctx, options)
	}})
}
