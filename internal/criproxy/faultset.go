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

package criproxy

import (
	"context"

	"google.golang.org/protobuf/proto"
)

// FaultSet holds faults for a runtime that is no proxy's upstream (internal/sim), so that one Fault means the same at every
// level. The zero value is empty. Safe for concurrent use.
type FaultSet struct{ set faults }

// Inject puts a fault into the set; see Proxy.Inject.
func (s *FaultSet) Inject(fault Fault) (remove func(), err error) {
	if err := fault.check(); err != nil {
		return nil, err
	}
	return s.set.add(fault), nil
}

// Strike returns the fault for a call about a pod's container and counts it; nil if there is none.
func (s *FaultSet) Strike(method, pod, container string, request proto.Message) *Strike {
	in := s.set.strike(method, facts{pod: pod, container: container}, request)
	if in == nil {
		return nil
	}
	return &Strike{in}
}

// Strike is a fault that struck one call.
type Strike struct{ in *injected }

// Name says what the fault does, for the record.
func (s *Strike) Name() string { return s.in.name() }

// CarryOut makes the call wait or fail; nil lets it go on. An error is a gRPC status.
func (s *Strike) CarryOut(ctx context.Context) error { return s.in.carryOut(ctx) }
