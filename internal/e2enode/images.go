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

package e2enode

import (
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/tool"
)

// namesProgram prints a tree's names for the images of its tests. It is compiled in the tree, where go's -overlay adds it.
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

// AskNames returns the image names of the tree in a folder.
func AskNames(ctx context.Context, tree, toolchain string) (names Names, err error) {
	scratch, err := os.MkdirTemp("", "kgrace-names-")
	if err != nil {
		return names, err
	}
	defer os.RemoveAll(scratch)
	source := filepath.Join(scratch, "main.go")
	if err := os.WriteFile(source, []byte(namesProgram), 0o644); err != nil {
		return names, err
	}
	const pkg = "test/names-of-images"
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(tree, pkg, "main.go"): source}})
	if err != nil {
		return names, err
	}
	overlay := filepath.Join(scratch, "overlay.json")
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		return names, err
	}
	out, err := tool.Go(ctx, tree, toolchain, nil, "run", "-overlay="+overlay, "./"+pkg)
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

// Programs are the contents of the images: absolute paths of static programs.
type Programs struct {
	Agnhost, Guest, Actor string
	// Busybox is looked up on PATH if it is empty.
	Busybox string
}

// WriteImages writes a file with the images. certs is the tree's folder of the certificate that agnhost serves.
func WriteImages(ctx context.Context, file string, names Names, p Programs, certs string) error {
	if p.Busybox == "" {
		found, err := exec.LookPath("busybox")
		if err != nil {
			return errors.New("the test images need a static busybox, which is not on PATH: apt-get install busybox-static")
		}
		p.Busybox = found
	}
	for _, program := range []string{p.Busybox, p.Agnhost, p.Guest, p.Actor} {
		if err := checkStatic(program); err != nil {
			return err
		}
	}
	list, err := exec.CommandContext(ctx, p.Busybox, "--list").Output()
	if err != nil {
		return fmt.Errorf("%s --list: %w", p.Busybox, err)
	}
	base := baseLayer(p, strings.Fields(string(list)))
	agnhost := &imagefile.Files{
		{Path: "/agnhost", Mode: 0o755, From: p.Agnhost},
		{Path: "/uploads", Dir: true},
		{Path: "/localhost.crt", From: filepath.Join(certs, "localhost.crt")},
		{Path: "/localhost.key", From: filepath.Join(certs, "localhost.key")},
	}
	path := []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	return imagefile.WriteFile(file, time.Time{},
		imagefile.Image{Names: []string{names.Busybox}, Layers: []imagefile.Layer{base}, Cmd: []string{"sh"}, Env: path, WorkingDir: "/"},
		imagefile.Image{Names: []string{names.Agnhost}, Layers: []imagefile.Layer{base, agnhost}, Entrypoint: []string{"/agnhost"}, Cmd: []string{"pause"},
			Env: path, WorkingDir: "/"},
		imagefile.Image{Names: []string{names.Pause}, Layers: []imagefile.Layer{&imagefile.Files{{Path: "/actor", Mode: 0o755, From: p.Actor}}},
			Entrypoint: []string{"/actor", "pause"}, WorkingDir: "/"},
	)
}

// baseLayer contains busybox under all its names, and the tools that it lacks under theirs.
func baseLayer(p Programs, applets []string) *imagefile.Files {
	tools := []string{"curl", "nmeter"}
	layer := imagefile.Files{
		{Path: "/bin/busybox", Mode: 0o755, From: p.Busybox},
		{Path: "/bin/guest", Mode: 0o755, From: p.Guest},
		{Path: "/etc/passwd", Data: []byte("root:x:0:0:root:/root:/bin/sh\n")},
		{Path: "/etc/group", Data: []byte("root:x:0:\n")},
		{Path: "/root", Dir: true},
		{Path: "/tmp", Dir: true, Mode: 0o1777},
	}
	for _, name := range tools {
		layer = append(layer, imagefile.File{Path: "/bin/" + name, Link: "guest"})
	}
	for _, name := range applets {
		if name != "busybox" && name != "guest" && !slices.Contains(tools, name) {
			layer = append(layer, imagefile.File{Path: "/bin/" + name, Link: "busybox"})
		}
	}
	return &layer
}

// checkStatic returns an error for a program that needs anything the images do not contain.
func checkStatic(program string) error {
	file, err := elf.Open(program)
	if err != nil {
		return fmt.Errorf("%s is meant for a test image but is not a program: %w", program, err)
	}
	defer file.Close()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			return fmt.Errorf("%s is linked to shared libraries, which the test images do not contain; want a static one (Debian: busybox-static)", program)
		}
	}
	return nil
}
