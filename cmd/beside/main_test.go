// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"--kubeconfig", "k", "--node", "n"}, {"--kubeconfig", "k", "--node", "n", "--record", "r", "more"}, {"--what"},
		{"--kubeconfig", "k", "--node", "n", "--stop", "s"}, {"--kubeconfig", "k", "--node", "n", "--record", "r", "--stop", "s", "--healthz", "h"},
		{"--kubeconfig", "k", "--node", "n", "--record", "r", "--healthz", "h"}} {
		var errs bytes.Buffer
		if code := run(t.Context(), args, &errs); code != exitUsage || errs.Len() == 0 {
			t.Errorf("%v: exit %d, %q", args, code, errs.String())
		}
	}
}

const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {client-certificate: CERT, client-key: CERT}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
`

// A new node's kubelet gets its kubeconfig first and the files that it names later. credentials waits for both, but not for
// ever.
func TestCredentialsAreWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		config, cert := filepath.Join(dir, "kubelet.conf"), filepath.Join(dir, "cert.pem")
		write := func(path, text string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Error(err)
			}
		}
		begin := time.Now()
		time.AfterFunc(time.Minute, func() { write(config, strings.ReplaceAll(kubeconfig, "CERT", cert)) })
		time.AfterFunc(2*time.Minute, func() { write(cert, "") })
		_, err := credentials(t.Context(), config)
		if took := time.Since(begin); took < 2*time.Minute || took > 2*time.Minute+2*look {
			t.Errorf("%v, after %v", err, took)
		}
		begin = time.Now()
		if _, err := credentials(t.Context(), filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "not within 10m") || time.Since(begin) != patience {
			t.Errorf("%v, after %v", err, time.Since(begin))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := credentials(ctx, filepath.Join(dir, "none")); err == nil {
			t.Error("no error")
		}
	})
}
