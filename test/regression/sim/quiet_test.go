//go:build kgrace_sim

// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/klog/v2"

	"github.com/kgrace/kgrace/internal/simkubelet"
)

// quiet writes the kubelet's log to a file in the artifacts directory.
func quiet(t *testing.T, config simkubelet.Config) {
	file, err := os.Create(filepath.Join(config.Artifacts, config.File("kubelet", "log")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		klog.Flush()
		file.Close()
	})
	var flags flag.FlagSet
	klog.InitFlags(&flags)
	for name, value := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL", "v": "2"} {
		if err := flags.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	klog.SetOutput(file)
}
