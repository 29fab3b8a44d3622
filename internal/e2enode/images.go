// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package e2enode

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/tool"
)

// namesProgram prints a tree's names for the images of its tests. It is compiled in the tree's module.
const namesProgram = `package main

import (
	"encoding/json"
	"os"

	"k8s.io/kubernetes/test/utils/image"
)

func main() {
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{
		"pause": image.GetPauseImageName(), "busybox": image.GetE2EImage(image.BusyBox), "agnhost": image.GetE2EImage(image.Agnhost),
	}); err != nil {
		panic(err)
	}
}
`

// Names are the references of the images that the specs use.
type Names struct{ Pause, Busybox, Agnhost string }

// askNames returns the image names of the tree in a directory.
func askNames(ctx context.Context, tree, toolchain string) (names Names, err error) {
	scratch, err := os.MkdirTemp("", "kgrace-names-")
	if err != nil {
		return names, err
	}
	defer os.RemoveAll(scratch)
	source := filepath.Join(scratch, "main.go")
	if err := os.WriteFile(source, []byte(namesProgram), 0o644); err != nil {
		return names, err
	}
	out, err := tool.Go(ctx, tree, toolchain, nil, "run", source)
	if err != nil {
		return names, fmt.Errorf("list the image names of %s: %w", tree, err)
	}
	if err := json.Unmarshal([]byte(out), &names); err != nil {
		return names, fmt.Errorf("list the image names of %s: %w: %q", tree, err, out)
	}
	if names.Pause == "" || names.Busybox == "" || names.Agnhost == "" {
		return names, fmt.Errorf("%s has no name for one of its images: %+v", tree, names)
	}
	return names, nil
}

// writeImages writes a file with the images.
func writeImages(file string, names Names, tools imagefile.Tools) error {
	if err := tools.Check(); err != nil {
		return err
	}
	base := tools.Base()
	agnhost, err := tools.AgnhostLayer()
	if err != nil {
		return err
	}
	path := []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	return imagefile.WriteFile(file, time.Time{},
		imagefile.Image{Names: []string{names.Busybox}, Layers: []imagefile.Layer{base}, Cmd: []string{"sh"}, Env: path, WorkingDir: "/"},
		imagefile.Image{Names: []string{names.Agnhost}, Layers: []imagefile.Layer{base, agnhost}, Entrypoint: []string{"/agnhost"}, Cmd: []string{"pause"},
			Env: path, WorkingDir: "/"},
		imagefile.Image{Names: []string{names.Pause}, Layers: []imagefile.Layer{&imagefile.Files{{Path: "/actor", Mode: 0o755, From: tools.Actor}}},
			Entrypoint: []string{"/actor", "pause"}, WorkingDir: "/"},
	)
}
