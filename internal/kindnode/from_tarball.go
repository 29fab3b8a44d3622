// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/kgrace/kgrace/internal/imagefile"
)

// fromTarball has kind build a node image from an official server tarball and adds the arm's kubelet.
func (b *builder) fromTarball(ctx context.Context) (*Result, error) {
	sum, err := checkTarball(b.o.Source, b.o.SHA512)
	if err != nil {
		return nil, err
	}
	b.manifest.Source.File, b.manifest.Source.SHA512 = filepath.Base(b.o.Source), sum
	tarball := filepath.Join(b.tmp, "server.tar.gz")
	done := b.step("read %s", b.o.Source)
	version, err := strip(b.o.Source, tarball)
	done()
	if err != nil {
		return nil, err
	}
	if semver.MajorMinor(version) != b.o.Minor {
		return nil, fmt.Errorf("%s contains Kubernetes %s, but the kubelet is %s: want the same minor (--kubernetes %s, or another tarball)",
			b.o.Source, version, b.m.Kubernetes, semver.MajorMinor(version))
	}
	b.manifest.Kubernetes = version
	if err := b.binaries(ctx, []string{kubelet, "kind"}); err != nil {
		return nil, err
	}
	if err := b.takeKubelet(b.bin[kubelet]); err != nil {
		return nil, err
	}
	if err := b.takeKind(ctx); err != nil {
		return nil, err
	}
	if b.o.Base != "" {
		b.manifest.Source.Ref = b.o.Base
	}
	raw := "kgrace.test/build:node-" + b.token
	defer b.e.Untag(ctx, raw)
	done = b.step("kind build node-image")
	err = b.kindBuild(ctx, tarball, b.o.Base, raw)
	done()
	if err != nil {
		return nil, err
	}
	return b.finish(ctx, raw)
}

var sum512 = regexp.MustCompile(`^[0-9a-f]{128}$`)

// checkTarball compares the file's sha512 with want, or with the checksum file beside it if want is "", and returns it. A
// tarball without a checksum is refused.
func checkTarball(file, want string) (string, error) {
	if want == "" {
		data, err := os.ReadFile(file + ".sha512")
		if errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("%s: no checksum; give --sha512, or put the release's .sha512 file in the same directory", file)
		}
		if err != nil {
			return "", err
		}
		fields := strings.Fields(string(data))
		if len(fields) == 0 {
			return "", fmt.Errorf("%s.sha512 is empty", file)
		}
		want = fields[0]
	}
	want = strings.ToLower(want)
	if !sum512.MatchString(want) {
		return "", fmt.Errorf("%q is not a sha512; want 128 hex digits", want)
	}
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha512.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	if have := hex.EncodeToString(h.Sum(nil)); have != want {
		return "", fmt.Errorf("%s: sha512 is %s, want %s: the file is a different one or damaged, and was not used", file, have, want)
	}
	return want, nil
}

// serverFiles are the files that kind reads from a server tarball.
var serverFiles = []string{"kubernetes/version", "kubernetes/server/bin/kube-apiserver.docker_tag", "kubernetes/server/bin/kubeadm", "kubernetes/server/bin/kubectl",
	"kubernetes/server/bin/kube-apiserver.tar", "kubernetes/server/bin/kube-controller-manager.tar",
	"kubernetes/server/bin/kube-scheduler.tar", "kubernetes/server/bin/kube-proxy.tar"}

// strip copies those files of a server tarball, except for its kubelet, and returns the Kubernetes version.
func strip(from, to string) (version string, err error) {
	f, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		return "", fmt.Errorf("%s: %w; want a kubernetes-server-linux-ARCH.tar.gz", from, err)
	}
	var found []string
	out, err := newTarball(to)
	if err != nil {
		return "", err
	}
	defer out.close()
	for r := tar.NewReader(gz); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", from, err)
		}
		name := strings.TrimPrefix(h.Name, "./")
		if h.Typeflag != tar.TypeReg || !slices.Contains(serverFiles, name) {
			continue
		}
		found = append(found, name)
		var body io.Reader = r
		if strings.HasSuffix(name, "version") || strings.HasSuffix(name, "docker_tag") {
			data, err := io.ReadAll(r)
			if err != nil {
				return "", err
			}
			if version == "" || strings.HasSuffix(name, "version") {
				version = strings.TrimSpace(string(data))
			}
			body = strings.NewReader(string(data))
		}
		if err := out.copy(h, body); err != nil {
			return "", err
		}
	}
	for _, want := range serverFiles[2:] {
		if !slices.Contains(found, want) {
			return "", fmt.Errorf("%s contains no %s; want a kubernetes-server-linux-ARCH.tar.gz", from, want)
		}
	}
	if !semver.IsValid(version) {
		return "", fmt.Errorf("%s contains no Kubernetes version (%q)", from, version)
	}
	if err := imagefile.WriteEntries(out.tw, time.Unix(0, 0), noKubelet); err != nil {
		return "", err
	}
	return version, out.close()
}
