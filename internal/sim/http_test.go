// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"syscall"
	"testing"
	"time"

	runtimev1 "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// get sends a request to a server; the error is that of the Doer.
func (s *stage) get(target string, into *error) *pending {
	return s.send(func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
		if err != nil {
			return err
		}
		response, err := HTTPDoer(s.Runtime).Do(request)
		*into = err
		if err == nil {
			return response.Body.Close()
		}
		return nil
	})
}

func TestHTTPNeverAnswers(t *testing.T) {
	both(t, func(s *stage) {
		id := s.start("main", "--stubborn", "--http-port", "18080")
		var first, second, refused, scheme error
		one := s.get("http://127.0.0.1:18080/stop", &first)
		two := s.get("http://127.0.0.1:18080/stop", &second)
		s.get("http://127.0.0.1:18081/stop", &refused).returned(0, "OK")
		s.get("https://127.0.0.1:18080/stop", &scheme).returned(0, "OK")
		s.at(time.Hour)
		one.waiting()
		one.cancel()
		one.returned(time.Hour, "OK")
		s.stop(id, 1).returned(time.Hour+time.Second, "OK")
		two.returned(time.Hour+time.Second, "OK")
		var as *url.Error
		if !errors.As(first, &as) || !errors.Is(first, context.Canceled) {
			s.t.Errorf("a cancelled request: %v", first)
		}
		if !errors.Is(second, io.EOF) {
			s.t.Errorf("a request to a server that died: %v", second)
		}
		if !errors.Is(refused, syscall.ECONNREFUSED) {
			s.t.Errorf("a port that nobody serves: %v", refused)
		}
		if !errors.Is(scheme, http.ErrSchemeMismatch) {
			s.t.Errorf("https: %v", scheme)
		}
		s.said("main", "START@0s", "HTTP-START@0s", "HTTP-START@0s", "HTTP-GONE@1h0m0s", "TERM@1h0m0s", "EOF@1h0m1s")
	})
}

func TestHTTPAnswers(t *testing.T) {
	both(t, func(s *stage) {
		s.Program(pod, "main", Program{Stubborn: true, HTTPPort: 80, HTTPAnswers: true, HTTPTakes: 3 * time.Second})
		s.start("main")
		var err error
		s.get("http://127.0.0.1/stop", &err).returned(3*time.Second, "OK")
		if err != nil {
			s.t.Error(err)
		}
	})
}

func TestHTTPFindsThePodsAddress(t *testing.T) {
	both(t, func(s *stage) {
		sandbox := s.newSandbox("q", runtimev1.NamespaceMode_POD)
		id, err := s.createIn(sandbox, "other", "run", "--http-port", "80")
		if err == nil {
			err = s.StartContainer(s.t.Context(), id)
		}
		if err != nil {
			s.t.Fatal(err)
		}
		reply, err := s.PodSandboxStatus(s.t.Context(), sandbox, false)
		if err != nil {
			s.t.Fatal(err)
		}
		var own, node error
		call := s.get("http://"+reply.GetStatus().GetNetwork().GetIp()+"/", &own)
		call.waiting()
		s.get("http://127.0.0.1/", &node).returned(0, "OK")
		if !errors.Is(node, syscall.ECONNREFUSED) {
			s.t.Errorf("the node's address led into a pod: %v", node)
		}
		call.cancel()
		call.returned(0, "OK")
	})
}
