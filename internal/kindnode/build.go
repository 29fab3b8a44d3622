// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/docker"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// Result describes an image in the engine.
type Result struct {
	Image string `json:"image"`
	// ID is the sha256 of the image's configuration. Digest is the registry's digest; empty unless it was pushed.
	ID     string `json:"id"`
	Digest string `json:"digest,omitempty"`
	Size   int64  `json:"size"` // bytes
	Arch   string `json:"arch"`
	// Arm is the arm of the image's kubelet, Kubelet that kubelet's version, KubeletKubernetes the tag that it was built from,
	// and Kubernetes the version of everything else.
	Arm               verdict.Arm `json:"arm"`
	Kubelet           string      `json:"kubelet"`
	KubeletKubernetes string      `json:"kubeletKubernetes"`
	KubeletSHA256     string      `json:"kubeletSHA256"`
	Kubernetes        string      `json:"kubernetes"`
	// Manifest and SPDX are files that describe the image's content; copies are in the image, in DocDir.
	Manifest string `json:"manifest"`
	SPDX     string `json:"spdx"`
	// File is an archive of the image; empty unless it was asked for.
	File string `json:"file,omitempty"`
	// Seconds is the duration of the build, including the programs.
	Seconds float64 `json:"seconds"`
}

// DocDir is the directory of manifest.json and spdx.json in an image.
const DocDir = "/usr/share/doc/kgrace"

// builder is one build in progress.
type builder struct {
	o        Options
	m        versions.Minor
	e        *docker.Engine
	arch     string
	dir, tmp string // the output directory, and the temporary directory of this build
	kindDir  string // kind's module
	bin      map[string]string
	manifest *Manifest
	token    string
}

// Build builds the image that the options describe and stores it in the engine under its name. It returns an error if the
// options conflict, there is no engine (docker.IsNotHere), a source is missing or of another minor, a checksum differs, or
// a program cannot be built. After an error or an interrupt, no container, image, name or temporary file of this build is
// left, and an image that had the name before still has it, unless the new one was already complete.
func Build(ctx context.Context, o Options) (*Result, error) {
	start := time.Now()
	m, err := o.complete()
	if err != nil {
		return nil, err
	}
	e, err := docker.Find(ctx)
	if err != nil {
		return nil, err
	}
	b := &builder{o: o, m: m, e: e, arch: o.Arch, bin: map[string]string{}, token: docker.Token(), dir: filepath.Join(o.Repo.Output, "image")}
	if b.arch == "" {
		b.arch = e.Arch
	}
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, err
	}
	if b.tmp, err = os.MkdirTemp(b.dir, ".build-"); err != nil { // on the file system of the output: it may need gigabytes
		return nil, err
	}
	defer os.RemoveAll(b.tmp)
	if b.manifest, err = b.newManifest(ctx); err != nil {
		return nil, err
	}
	r, err := b.build(ctx)
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", b.image(), err)
	}
	if o.File != "" {
		if err := b.save(ctx); err != nil {
			return nil, err
		}
		r.File = o.File
	}
	if o.Push {
		if r.Digest, err = b.push(ctx); err != nil {
			return nil, err
		}
	}
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

func (b *builder) build(ctx context.Context) (*Result, error) {
	switch b.o.From {
	case FromImage:
		return b.fromImage(ctx)
	case FromTarball:
		return b.fromTarball(ctx)
	}
	return b.fromModules(ctx)
}

// fromModules builds the part of the image that both arms share, which stays in the engine under a name derived from its
// inputs, and adds an arm's kubelet to it.
func (b *builder) fromModules(ctx context.Context) (*Result, error) {
	root, err := b.rootfs(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.binaries(ctx, append(append([]string{kubelet}, kubePrograms...), modulePrograms...)); err != nil {
		return nil, err
	}
	if err := b.takeKubelet(b.bin[kubelet]); err != nil {
		return nil, err
	}
	if err := b.takeKind(ctx); err != nil {
		return nil, err
	}
	c, err := b.prepare(ctx, root)
	if err != nil {
		return nil, err
	}
	inputs, err := b.manifest.inputs()
	if err != nil {
		return nil, err
	}
	shared := sharedRepository + ":" + b.m.Kubernetes + "-" + inputs[:16]
	have, err := b.e.Inspect(ctx, shared)
	if err != nil {
		return nil, err
	}
	if have == nil || b.o.Rebuild {
		if err := b.makeShared(ctx, c, shared); err != nil {
			return nil, err
		}
	} else {
		b.say("the image that both arms share exists: %s", shared)
	}
	return b.finish(ctx, shared, storageClass)
}

// sharedRepository names the image that both arms share, a node image without a kubelet.
const sharedRepository = "kgrace.test/kind-shared"

func (b *builder) makeShared(ctx context.Context, c *contents, shared string) error {
	done := b.step("control plane images")
	tarball, err := b.serverTarball(ctx, c, b.manifest.date)
	done()
	if err != nil {
		return err
	}
	entries, err := baseEntries(ctx, b.kindDir, b.bin)
	if err != nil {
		return err
	}
	base := "kgrace.test/build:base-" + b.token
	defer b.e.Untag(ctx, base)
	done = b.step("base image")
	err = importBase(ctx, b.e, base, c.root, entries, b.manifest.date)
	done()
	if err != nil {
		return err
	}
	done = b.step("kind build node-image")
	err = b.kindBuild(ctx, tarball, base, shared)
	done()
	if err != nil {
		return err
	}
	// Shared images of other inputs are no longer needed; images built on them keep their layers.
	names, err := b.e.Docker(ctx, "images", "--format", "{{.Repository}}:{{.Tag}}", sharedRepository)
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(names) {
		if name != shared && strings.HasPrefix(name, sharedRepository+":"+b.m.Kubernetes+"-") {
			if err := b.e.Untag(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeKind locates kind's module, for its files.
func (b *builder) takeKind(ctx context.Context) error {
	_, p, err := b.o.Repo.Versions.ProgramOf("kind")
	if err != nil {
		return err
	}
	found, err := tool.Download(ctx, b.m.Go, p.Module+"@"+p.Version)
	if err != nil {
		return err
	}
	b.kindDir = found[0].Dir
	b.manifest.Kind = p.Version
	return nil
}

// image is the name of the result. Its architecture may be known only once the source is.
func (b *builder) image() string {
	if b.o.Image != "" {
		return b.o.Image
	}
	return DefaultImage(b.m, b.o.Arm, b.arch)
}

// save writes the image to the file that was asked for.
func (b *builder) save(ctx context.Context) error {
	defer b.step("write %s", b.o.File)()
	return b.e.Save(ctx, b.o.File, b.image())
}

// push pushes the image and returns its digest in the registry.
func (b *builder) push(ctx context.Context) (string, error) {
	defer b.step("push")()
	if _, err := b.e.Docker(ctx, "push", b.image()); err != nil {
		return "", err
	}
	image, err := b.e.Inspect(ctx, b.image())
	if err != nil {
		return "", err
	}
	repository := b.image()[:strings.LastIndexByte(b.image(), ':')]
	if image != nil {
		for _, d := range image.RepoDigests {
			if name, digest, ok := strings.Cut(d, "@"); ok && name == repository {
				return digest, nil
			}
		}
	}
	return "", errors.New("pushed, but the engine has no digest of " + repository)
}

// step logs the start of a step; the function it returns logs the end.
func (b *builder) step(format string, args ...any) func() {
	name := fmt.Sprintf(format, args...)
	b.say("%s", name)
	start := time.Now()
	return func() { b.say("%s: %.1fs", name, time.Since(start).Seconds()) }
}

func (b *builder) say(format string, args ...any) {
	if b.o.Progress != nil {
		fmt.Fprintf(b.o.Progress, "image: "+format+"\n", args...)
	}
}

// Images returns the node images of the arms: those given, and the others built with o. They differ only in the kubelet, so the
// second build costs little more than that.
func Images(ctx context.Context, o Options, arms []verdict.Arm, given map[verdict.Arm]string) (map[verdict.Arm]string, error) {
	images := map[verdict.Arm]string{}
	for _, o.Arm = range arms {
		if images[o.Arm] = given[o.Arm]; images[o.Arm] != "" {
			continue
		}
		built, err := Build(ctx, o)
		if err != nil {
			return nil, err
		}
		images[o.Arm] = built.Image
	}
	return images, nil
}
