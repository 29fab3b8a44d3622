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

package kubetree

import "context"

// LockBuild waits until no other go build of this project runs in any process that shares the output folder, and keeps
// others from starting one until unlock is called.
func (r *Repo) LockBuild(ctx context.Context) (unlock func(), err error) {
	return r.lock(ctx, "go-build", progress{w: r.Progress, what: "build"})
}

// Lock waits until no other process that shares the output folder holds the lock of that name, and holds it until unlock is
// called.
func (r *Repo) Lock(ctx context.Context, name string) (unlock func(), err error) {
	return r.lock(ctx, name, progress{w: r.Progress, what: name})
}
