// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

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
