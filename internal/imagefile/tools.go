// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package imagefile

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// Tools are the static programs that the images of Kubernetes' own suites consist of here.
type Tools struct {
	// Agnhost is that of the tree, Busybox that of this machine, Fetch is cmd/fetch and Actor cmd/actor.
	Agnhost, Busybox, Fetch, Actor string
	// Applets are the names under which busybox is called.
	Applets []string
	// Certs is the tree's directory with the certificate of agnhost's HTTPS server.
	Certs string
}

// Check returns an error if one of the programs is not static.
func (t Tools) Check() error {
	return errors.Join(static(t.Agnhost), static(t.Busybox), static(t.Fetch), static(t.Actor))
}

// FindTools returns the tools that need no build: this machine's busybox, and the certificate in a tree.
func FindTools(ctx context.Context, tree string) (t Tools, err error) {
	t.Certs = filepath.Join(tree, "test", "images", "agnhost", "porter")
	t.Busybox, t.Applets, err = FindBusybox(ctx)
	return t, err
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
		return fmt.Errorf("%s is not a program: %w", file, err)
	}
	defer f.Close()
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return fmt.Errorf("%s is not static", file)
	}
	return nil
}

// Base returns busybox with a link for each of its programs, fetch under the names that it replaces, and the few other files
// of a small system.
func (t Tools) Base() *Files {
	layer := Files{
		{Path: "/bin/busybox", Mode: 0o755, From: t.Busybox},
		{Path: "/bin/fetch", Mode: 0o755, From: t.Fetch},
		{Path: "/tmp", Dir: true, Mode: 0o1777},
		{Path: "/root", Dir: true, Mode: 0o700},
		{Path: "/usr/bin", Dir: true},
		{Path: "/etc/passwd", Data: []byte("root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n")},
		{Path: "/etc/group", Data: []byte("root:x:0:\nnobody:x:65534:\n")},
	}
	fetch := []string{"curl", "nmeter", "wget"}
	for _, name := range fetch {
		layer = append(layer, File{Path: path.Join("/bin", name), Link: "fetch"})
	}
	for _, name := range t.Applets {
		if name != "busybox" && name != "fetch" && !slices.Contains(fetch, name) {
			layer = append(layer, File{Path: path.Join("/bin", name), Link: "busybox"})
		}
	}
	return &layer
}

// AgnhostLayer returns agnhost, for a place above Base.
func (t Tools) AgnhostLayer() (*Files, error) {
	layer := Files{
		{Path: "/agnhost", Mode: 0o755, From: t.Agnhost},
		{Path: "/agnhost-2", Link: "agnhost"},
		{Path: "/uploads", Dir: true, Mode: 0o1777},
		// Debian's static busybox contains no bash; sh can do what the specs need.
		{Path: "/bin/bash", Mode: 0o755, Data: []byte("#!/bin/sh\nexec /bin/sh \"$@\"\n")},
	}
	for _, name := range []string{"localhost.crt", "localhost.key"} {
		from := filepath.Join(t.Certs, name)
		if _, err := os.Stat(from); err != nil {
			return nil, fmt.Errorf("agnhost's certificate: %w", err)
		}
		layer = append(layer, File{Path: "/" + name, From: from})
	}
	return &layer, nil
}
