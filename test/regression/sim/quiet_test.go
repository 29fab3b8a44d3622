//go:build kgrace_sim

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
	"flag"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/klog/v2"

	"github.com/kgrace/kgrace/internal/simkubelet"
)

// quiet writes the kubelet's log to a file in the artifacts folder.
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
