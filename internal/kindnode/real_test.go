// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kgrace/kgrace/internal/docker"
	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/sbom"
	"github.com/kgrace/kgrace/internal/verdict"
)

// realVar enables the tests that build real images; missing programs are built first.
const realVar = "KGRACE_IMAGE"

// real opens this checkout and finds the engine. If the tests are enabled, anything missing is a failure.
func real(t *testing.T) (*kubetree.Repo, *docker.Engine) {
	t.Helper()
	if os.Getenv(realVar) == "" {
		t.Skipf("set %s=1 to build real images (make image-test)", realVar)
	}
	r, err := kubetree.Open("../..")
	if err != nil {
		t.Fatal(err)
	}
	r.Progress = os.Stderr
	e, err := docker.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r, e
}

// testImage returns an image name that is removed with the test.
func testImage(t *testing.T, e *docker.Engine, tag string) string {
	t.Helper()
	name := Repository + "-test:" + tag
	t.Cleanup(func() {
		// Not Untag: unnamed parents go, too.
		if _, err := e.Docker(context.Background(), "image", "rm", name); err != nil && !strings.Contains(strings.ToLower(err.Error()), "no such image") {
			t.Error(err)
		}
		papers, _ := filepath.Glob("../../_output/image/kgrace.test_kind-node-test_" + tag)
		for _, dir := range papers {
			os.RemoveAll(dir)
		}
		checkNothingIsLeft(t, e)
	})
	return name
}

// checkNothingIsLeft fails if a build left anything behind.
func checkNothingIsLeft(t *testing.T, e *docker.Engine) {
	t.Helper()
	for _, what := range [][]string{
		{"ps", "--all", "--quiet", "--filter", "name=kgrace-derive-"}, {"ps", "--all", "--quiet", "--filter", "name=kgrace-look-"},
		{"ps", "--all", "--quiet", "--filter", "name=kind-build-"},
		{"images", "--quiet", "kgrace.test/build"},
	} {
		if out, err := e.Docker(context.Background(), what...); err != nil || out != "" {
			t.Errorf("docker %s: %q, %v", strings.Join(what, " "), out, err)
		}
	}
	if left, _ := filepath.Glob("../../_output/image/.b*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func build(t *testing.T, o Options) *Result {
	t.Helper()
	o.Progress = os.Stderr
	r, err := Build(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s from %s: %.1f s", r.Image, o.From, r.Seconds)
	return r
}

// fileOf reads a file of an image without running it.
func fileOf(t *testing.T, e *docker.Engine, image, file string) []byte {
	t.Helper()
	container := "kgrace-test-" + docker.Token()
	defer e.RemoveContainer(t.Context(), container)
	if _, err := e.Docker(t.Context(), "create", "--name", container, image); err != nil {
		t.Fatal(err)
	}
	data, err := copyOut(t.Context(), container, file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// From modules, twice: the kubelet is the arm's, byte for byte the same, and the image's documents are correct.
func TestRealModules(t *testing.T) {
	r, e := real(t)
	for _, arm := range verdict.Arms() {
		one := build(t, Options{Repo: r, Arm: arm, From: FromModules})
		two := build(t, Options{Repo: r, Arm: arm, From: FromModules, Image: testImage(t, e, "twice-"+string(arm)), Rebuild: arm == verdict.Fixed})
		for _, image := range []string{one.Image, two.Image} {
			if sum := sha256OfBytes(fileOf(t, e, image, "/usr/bin/kubelet")); sum != one.KubeletSHA256 {
				t.Errorf("the kubelet of %s is %s, want %s", image, sum, one.KubeletSHA256)
			}
		}
		image, err := e.Inspect(t.Context(), one.Image)
		if err != nil || image.ID != one.ID || image.Config.Labels[LabelKubeletSum] != one.KubeletSHA256 || image.Config.Labels[LabelArm] != string(arm) {
			t.Errorf("%+v, %v", image, err)
		}
		manifest, err := os.ReadFile(one.Manifest)
		if err != nil || !bytes.Equal(manifest, fileOf(t, e, one.Image, DocDir+"/manifest.json")) {
			t.Errorf("the manifest in the image differs, %v", err)
		}
		if again, err := os.ReadFile(two.Manifest); err != nil || !bytes.Equal(manifest, again) {
			t.Errorf("equal inputs, two manifests, %v", err)
		}
		checkSPDXFile(t, one.SPDX)
	}
}

func checkSPDXFile(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d sbom.Document
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, p := range d.Packages {
		found[p.Name] = true
	}
	for _, want := range []string{kubelet, "coredns", "containerd", "runc", "systemd", "k8s.io/api", "github.com/opencontainers/runc"} {
		if !found[want] {
			t.Errorf("%s does not list %s", file, want)
		}
	}
}

// From an image, only the kubelet changes; images of another minor or without a node are refused.
func TestRealImage(t *testing.T) {
	r, e := real(t)
	source := build(t, Options{Repo: r, Arm: verdict.Stock, From: FromModules})
	swapped := build(t, Options{Repo: r, Arm: verdict.Fixed, From: FromImage, Source: source.Image, Image: testImage(t, e, "swapped")})
	if sum := sha256OfBytes(fileOf(t, e, swapped.Image, "/usr/bin/kubelet")); sum != swapped.KubeletSHA256 || sum == source.KubeletSHA256 {
		t.Errorf("the kubelet is %s; want %s, not %s", sum, swapped.KubeletSHA256, source.KubeletSHA256)
	}
	if !bytes.Equal(fileOf(t, e, source.Image, "/usr/bin/kubeadm"), fileOf(t, e, swapped.Image, "/usr/bin/kubeadm")) {
		t.Error("kubeadm has changed")
	}
	// In an image of an older release, the kubelet keeps the tag that it was built from.
	older := testImage(t, e, "older")
	if err := e.Derive(t.Context(), source.Image, older, tarOf(t, imagefile.File{Path: "/kind/version", Data: []byte("v1.37.0\n")}), stopSignal); err != nil {
		t.Fatal(err)
	}
	got := build(t, Options{Repo: r, Arm: verdict.Fixed, From: FromImage, Source: older, Image: testImage(t, e, "swapped-older")})
	spdx := fileOf(t, e, got.Image, DocDir+"/spdx.json")
	if got.Kubernetes != "v1.37.0" || got.KubeletKubernetes != source.Kubernetes || !bytes.Contains(spdx, []byte("Kubernetes "+source.Kubernetes+" with the patches")) {
		t.Errorf("%+v", got)
	}
	_, err := Build(t.Context(), Options{Repo: r, Arm: verdict.Fixed, Minor: "v1.36", From: FromImage, Source: source.Image})
	if err == nil || !strings.Contains(err.Error(), "want the same minor (--kubernetes v1.37") {
		t.Errorf("another minor: %v", err)
	}
	// An image that is not a node image.
	empty := testImage(t, e, "empty")
	if err := e.Import(t.Context(), tarOf(t, imagefile.File{Path: "/x", Data: []byte("x")}), empty, `ENTRYPOINT ["/x"]`); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), Options{Repo: r, Arm: verdict.Fixed, From: FromImage, Source: empty}); err == nil {
		t.Error("an image without a shell or a kubelet is accepted as a node's")
	}
	if _, err := Build(t.Context(), Options{Repo: r, Arm: verdict.Fixed, From: FromImage, Source: "kgrace.test/none:v1"}); err == nil || !strings.Contains(err.Error(), "cannot be pulled") {
		t.Errorf("a missing image: %v", err)
	}
}

func tarOf(t *testing.T, entries ...imagefile.File) io.Reader {
	t.Helper()
	l, err := imagefile.Files(entries).Pack(filepath.Join(t.TempDir(), "layer"), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(l.File)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// In an image of another architecture, whose programs cannot run here, the kubelet is found by the PATH.
func TestRealForeignImage(t *testing.T) {
	r, e := real(t)
	foreign := map[string]string{"amd64": "arm64", "arm64": "amd64"}[e.Arch]
	name := testImage(t, e, "foreign")
	dir := t.TempDir()
	layer, err := imagefile.Files{{Path: "/opt/k8s/kubelet", Mode: 0o755, Data: []byte("x")},
		{Path: "/kind/version", Data: []byte("v1.37.1\n")}, {Path: "/var/lib/dpkg/status", Data: []byte("Package: bash\nStatus: install ok installed\nVersion: 5\n")}}.Pack(filepath.Join(dir, "layer"), time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeImages(filepath.Join(dir, "image"), time.Unix(0, 0), []imagefile.Image{{Names: []string{name}, Arch: foreign, Layers: []imagefile.Layer{layer},
		Env: []string{"PATH=/sbin:/opt/k8s"}, Entrypoint: []string{"/init"}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Docker(t.Context(), "load", "--input", filepath.Join(dir, "image")); err != nil {
		t.Fatal(err)
	}
	b := &builder{o: Options{Repo: r, Source: name, Arch: foreign}, e: e, arch: foreign, token: docker.Token(), manifest: &Manifest{}}
	image, err := b.takeSource(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kubelet, version, err := b.lookInside(t.Context(), image)
	if err != nil || kubelet != "/opt/k8s/kubelet" || version != "v1.37.1" || b.manifest.Arch != foreign || len(b.manifest.Debian) != 1 {
		t.Errorf("%s, %s, %v, %+v", kubelet, version, err, b.manifest)
	}
	b.o.Arch = e.Arch
	if _, err := b.takeSource(t.Context()); err == nil {
		t.Error("an image of another architecture than the requested one is accepted")
	}
}

// From a tarball: one of our own in the form of the official one, with our base image in place of kind's.
func TestRealTarball(t *testing.T) {
	r, e := real(t)
	build(t, Options{Repo: r, Arm: verdict.Stock, From: FromModules}) // builds the programs and the root filesystem
	tarball, base := serverTarball(t, r, e)
	o := Options{Repo: r, Arm: verdict.Fixed, From: FromTarball, Source: tarball, Base: base, Image: testImage(t, e, "tarball"), SHA512: strings.Repeat("0", 128)}
	if _, err := Build(t.Context(), o); err == nil || !strings.Contains(err.Error(), "want 000") {
		t.Errorf("a wrong checksum: %v", err)
	}
	sum, err := exec.Command("sha512sum", tarball).Output()
	if err != nil {
		t.Fatal(err)
	}
	o.SHA512 = ""
	if err := os.WriteFile(tarball+".sha512", sum, 0o644); err != nil {
		t.Fatal(err)
	}
	got := build(t, o)
	if sum := sha256OfBytes(fileOf(t, e, got.Image, "/usr/bin/kubelet")); sum != got.KubeletSHA256 {
		t.Errorf("the kubelet is %s, want %s", sum, got.KubeletSHA256)
	}
	if v := strings.TrimSpace(string(fileOf(t, e, got.Image, "/kind/version"))); v != got.Kubernetes {
		t.Errorf("it is of %s, want %s", v, got.Kubernetes)
	}
}

func serverTarball(t *testing.T, r *kubetree.Repo, e *docker.Engine) (tarball, base string) {
	t.Helper()
	ctx := t.Context()
	o := Options{Repo: r, Arm: verdict.Stock, From: FromModules, Progress: os.Stderr}
	m, err := o.complete()
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{o: o, m: m, e: e, arch: e.Arch, bin: map[string]string{}, dir: filepath.Join(r.Output, "image"), tmp: t.TempDir()}
	var c *contents
	var entries []imagefile.File
	for _, do := range []func() (err error){
		func() (err error) { b.manifest, err = b.newManifest(ctx); return },
		func() error {
			return b.binaries(ctx, append(append([]string{kubelet}, kubePrograms...), modulePrograms...))
		},
		func() error { return b.takeKind(ctx) },
		func() error {
			root, err := b.rootfs(ctx)
			if err == nil {
				c, err = b.prepare(ctx, root)
			}
			return err
		},
		func() (err error) { tarball, err = b.serverTarball(ctx, c, b.manifest.date); return },
		func() (err error) { entries, err = baseEntries(ctx, b.kindDir, b.bin); return },
		func() error {
			base = testImage(t, e, "base")
			return importBase(ctx, e, base, c.root, entries, b.manifest.date)
		},
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	return tarball, base
}

// After an interrupt during kind's work nothing is left, and the image that had the name still has it.
func TestRealInterrupt(t *testing.T) {
	r, e := real(t)
	before := build(t, Options{Repo: r, Arm: verdict.Fixed, From: FromModules})
	events := exec.CommandContext(t.Context(), "docker", "events", "--filter", "type=container", "--filter", "event=start", "--format", "{{.Actor.Attributes.name}}")
	out, err := events.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := events.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "kind-build-") {
				cancel()
			}
		}
	}()
	_, err = Build(ctx, Options{Repo: r, Arm: verdict.Fixed, From: FromModules, Rebuild: true, Progress: os.Stderr})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	checkNothingIsLeft(t, e)
	if image, err := e.Inspect(t.Context(), before.Image); err != nil || image == nil || image.ID != before.ID {
		t.Errorf("%s is %+v, %v; it was %s", before.Image, image, err, before.ID)
	}
}
