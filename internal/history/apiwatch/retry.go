//go:build !kgrace_v122

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

// retryWatcher returns a watch from version that reopens itself when it is cut.
func retryWatcher(ctx context.Context, version string, open func(context.Context, metav1.ListOptions) (watch.Interface, error)) (watch.Interface, error) {
	return watchtools.NewRetryWatcherWithContext(ctx, version, &cache.ListWatch{WatchFuncWithContext: open})
}
