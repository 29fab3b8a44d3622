//go:build kgrace_v122

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
