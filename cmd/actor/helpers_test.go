// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
)

func startSilence(t *testing.T, r *reporter) string {
	server := httptest.NewServer(silence(r))
	t.Cleanup(server.Close)
	return server.URL
}

func get(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func TestReap(t *testing.T) {
	cmd := exec.Command(os.Args[0], "help")
	cmd.Env = append(os.Environ(), asActor+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The pipe closes when the process ends; soon after, it can be reaped.
	buffer := make([]byte, 4096)
	for {
		if _, err := out.Read(buffer); err != nil {
			break
		}
	}
	for {
		reap()
		if cmd.Process.Signal(os.Kill) != nil {
			break // no such process any more: it was reaped
		}
	}
	_ = cmd.Wait()
}
