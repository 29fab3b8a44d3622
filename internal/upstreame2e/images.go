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

package upstreame2e

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/tool"
)

// Programs are the static programs in the images.
type Programs struct {
	Agnhost, Busybox, Fetch, Pause string
	// Applets are the names under which busybox is called.
	Applets []string
	// Porter is the folder in the release's source with the certificate of agnhost's HTTPS server.
	Porter string
}

// FindBusybox returns a static busybox of this machine and the names under which it is called.
func FindBusybox(ctx context.Context) (file string, applets []string, err error) {
	const wayOut = "install Debian's busybox-static (hack/setup.sh busybox-static)"
	if file, err = exec.LookPath("busybox"); err != nil {
		return "", nil, fmt.Errorf("no busybox: %w: %s", err, wayOut)
	}
	if err := static(file); err != nil {
		return "", nil, fmt.Errorf("%w: %s", err, wayOut)
	}
	out, err := tool.Run(ctx, tool.Cmd{Dir: os.TempDir(), Args: []string{file, "--list"}})
	if applets = strings.Fields(out); err == nil && len(applets) == 0 {
		err = fmt.Errorf("%s --list lists no program: %s", file, wayOut)
	}
	return file, applets, err
}

// static returns an error for a program that needs a loader: it would not start in an image of its own.
func static(file string) error {
	f, err := elf.Open(file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	defer f.Close()
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return fmt.Errorf("%s is not static", file)
	}
	return nil
}

// Image is an image that specs may request.
type Image struct {
	Name string `json:"name"`
	// Made describes its content; empty if it is not supplied.
	Made string `json:"made,omitempty"`
	// Pods is the number of pods that requested it, on both arms.
	Pods int `json:"pods"`
}

// WriteImages writes those of the named images that can be built into one file, and returns all of them.
func (s Selection) WriteImages(file string, names []string, p Programs) ([]Image, error) {
	for _, program := range []string{p.Agnhost, p.Busybox, p.Fetch, p.Pause} {
		if err := static(program); err != nil {
			return nil, err
		}
	}
	base := p.base()
	agnhost, err := p.agnhost()
	if err != nil {
		return nil, err
	}
	const search = "PATH=/bin:/usr/bin"
	recipes := map[string]imagefile.Image{
		"agnhost": {Layers: []imagefile.Layer{base, agnhost}, Entrypoint: []string{"/agnhost"}, Cmd: []string{"pause"}, Env: []string{search}},
		"busybox": {Layers: []imagefile.Layer{base}, Cmd: []string{"sh"}, Env: []string{search}},
		"nginx":   {Layers: []imagefile.Layer{base, agnhost}, Entrypoint: []string{"/agnhost", "netexec", "--http-port=80", "--udp-port=-1"}, Env: []string{search}},
		"pause":   {Layers: []imagefile.Layer{&imagefile.Files{{Path: "/pause", Mode: 0o755, From: p.Pause}}}, Entrypoint: []string{"/pause", "pause"}, User: "65535:65535"},
	}
	for name := range s.Images {
		if _, ok := recipes[name]; !ok {
			return nil, fmt.Errorf("specs.yaml lists image %s, which cannot be built", name)
		}
	}
	var all []Image
	var made []imagefile.Image
	for _, name := range names {
		one := Image{Name: name}
		if what, ok := s.Images[lastPart(name)]; ok {
			one.Made = what
			image := recipes[lastPart(name)]
			image.Names, image.WorkingDir = []string{name}, "/"
			made = append(made, image)
		}
		all = append(all, one)
	}
	if len(made) == 0 {
		return nil, fmt.Errorf("none of the images %s can be built", strings.Join(names, ", "))
	}
	return all, imagefile.WriteFile(file, time.Time{}, made...)
}

// base returns busybox with a link for each of its programs, and the few other files of a small system.
func (p Programs) base() *imagefile.Files {
	layer := imagefile.Files{
		{Path: "/bin/busybox", Mode: 0o755, From: p.Busybox},
		{Path: "/bin/wget", Mode: 0o755, From: p.Fetch},
		{Path: "/tmp", Dir: true, Mode: 0o1777},
		{Path: "/root", Dir: true, Mode: 0o700},
		{Path: "/usr/bin", Dir: true},
		{Path: "/etc/passwd", Data: []byte("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n")},
		{Path: "/etc/group", Data: []byte("root:x:0:\nnobody:x:65534:\n")},
	}
	for _, name := range p.Applets {
		if name != "busybox" && name != "wget" {
			layer = append(layer, imagefile.File{Path: path.Join("/bin", name), Link: "busybox"})
		}
	}
	return &layer
}

func (p Programs) agnhost() (*imagefile.Files, error) {
	layer := imagefile.Files{
		{Path: "/agnhost", Mode: 0o755, From: p.Agnhost},
		{Path: "/agnhost-2", Link: "agnhost"},
		{Path: "/uploads", Dir: true, Mode: 0o1777},
		// Debian's static busybox contains no bash; sh can do what the specs need.
		{Path: "/bin/bash", Mode: 0o755, Data: []byte("#!/bin/sh\nexec /bin/sh \"$@\"\n")},
		{Path: "/usr/bin/curl", Mode: 0o755, From: p.Fetch},
	}
	for _, name := range []string{"localhost.crt", "localhost.key"} {
		from := filepath.Join(p.Porter, name)
		if _, err := os.Stat(from); err != nil {
			return nil, fmt.Errorf("agnhost's certificate: %w", err)
		}
		layer = append(layer, imagefile.File{Path: "/" + name, From: from})
	}
	return &layer, nil
}
