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

package sim

import (
	"errors"
	"testing"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

func TestEnvironmentNamesTheProcess(t *testing.T) {
	env := []*runtimev1.KeyValue{
		{Key: "KGRACE_POD", Value: []byte("p")}, {Key: "KGRACE_CONTAINER", Value: []byte("c")}, {Key: "KGRACE_SOCKET", Value: []byte("s")},
	}
	c, err := parseCommand([]string{"/bin/actor", "hook", "--for", "forever", "--container", "d"}, env)
	if err != nil || speakerOf(c) != (owner{"p", "d"}) || c.Takes >= 0 {
		t.Errorf("%+v, %v", c, err)
	}
	var missing *missingError
	if _, err := parseCommand([]string{"/bin/sh", "-c", "true"}, env); !errors.As(err, &missing) {
		t.Errorf("another program: %v", err)
	}
	var bad *usageError
	if _, err := parseCommand([]string{"/actor", "walk"}, env); !errors.As(err, &bad) {
		t.Errorf("a command of none: %v", err)
	}
}
