// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package kindnode

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kgrace/kgrace/internal/kubebuild"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// From is the source of an image.
type From string

const (
	// FromModules builds everything from Go modules and Debian packages.
	FromModules From = "modules"
	// FromImage replaces the kubelet in a kind node image.
	FromImage From = "image"
	// FromTarball uses Kubernetes' official server tarball and kind's own base image.
	FromTarball From = "tarball"
)

// Options describe the image to build.
type Options struct {
	// Repo is the checkout that the kubelet, and for FromModules everything else, is built from.
	Repo *kubetree.Repo
	// Minor is the Kubernetes minor; "" means the default one.
	Minor string
	// Arm is the arm of the image's kubelet.
	Arm verdict.Arm
	// From is the source. Source is the image or the tarball; empty for FromModules.
	From   From
	Source string
	// SHA512 is the expected checksum of the tarball, in hex; "" means the first word of the file with the tarball's name and
	// the suffix .sha512.
	SHA512 string
	// Base is the base image for a tarball; "" means the one that kind pulls.
	Base string
	// Image is the name and tag of the result; "" means DefaultImage.
	Image string
	// Arch is amd64 or arm64; "" means the engine's.
	Arch string
	// File receives an archive of the image, which docker load, podman load and kind load image-archive read; "" means none.
	File string
	// Push pushes the image to the registry in its name.
	Push bool
	// Refresh rebuilds the root filesystem with the current Debian packages.
	Refresh bool
	// Rebuild rebuilds what both arms share, even if the engine has it.
	Rebuild bool
	// Progress receives one line per step; nil discards them.
	Progress io.Writer
}

// Arches are the architectures that kind supports.
var Arches = kubebuild.Arches

// Repository is the part of DefaultImage before the tag. The domain is reserved, so it can never be a registry.
const Repository = "kgrace.test/kind-node"

// DefaultImage returns the name of an arm's image for an architecture: kgrace.test/kind-node:v1.37.2-stock-amd64, or
// :v1.37.2_grace.1-amd64 for the fixed arm, whose version contains a plus, which a tag cannot.
func DefaultImage(m versions.Minor, arm verdict.Arm, arch string) string {
	version := strings.ReplaceAll(m.FixedVersion(), "+", "_")
	if arm == verdict.Stock {
		version = m.Kubernetes + "-stock"
	}
	return Repository + ":" + version + "-" + arch
}

// imageName matches a name with an optional registry and a tag, as the engine accepts it.
var imageName = regexp.MustCompile(`^(?:[a-zA-Z0-9.-]+(?::[0-9]+)?/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)

// Check returns an error if the options conflict. It changes nothing.
func (o Options) Check() error {
	_, err := o.complete()
	return err
}

// CheckNames is the part of Check that needs no source: without one, the engine is asked for one first.
func (o Options) CheckNames() error {
	_, err := o.names()
	return err
}

// names sets the default names and returns an error for wrong ones.
func (o *Options) names() (versions.Minor, error) {
	if o.Minor == "" {
		o.Minor = o.Repo.Versions.Default
	}
	m, err := o.Repo.Versions.Minor(o.Minor)
	if err != nil {
		return m, err
	}
	if _, err := verdict.ParseArm(string(o.Arm)); err != nil {
		return m, err
	}
	image := o.Image
	if image == "" {
		image = DefaultImage(m, o.Arm, runtime.GOARCH) // Build knows the architecture
	}
	if !imageName.MatchString(image) {
		return m, fmt.Errorf("image name %q; want [registry/]name:tag, the name in lower case", image)
	}
	if o.Push {
		if err := checkRegistry(image); err != nil {
			return m, err
		}
	}
	if o.File != "" {
		if info, err := os.Stat(filepath.Dir(o.File)); err != nil || !info.IsDir() {
			return m, fmt.Errorf("file %s: its directory does not exist", o.File)
		}
	}
	if o.Arch != "" && !slices.Contains(Arches, o.Arch) {
		return m, fmt.Errorf("architecture %q; kind has node images for %s", o.Arch, strings.Join(Arches, " and "))
	}
	return m, nil
}

// complete sets defaults and returns an error for options that cannot be built. It changes nothing else.
func (o *Options) complete() (versions.Minor, error) {
	m, err := o.names()
	if err != nil {
		return m, err
	}
	switch o.From {
	case "":
		o.From = FromModules
	case FromModules, FromImage, FromTarball:
	default:
		return m, fmt.Errorf("source %q; there are modules, image and tarball", o.From)
	}
	if named := o.Source != ""; named != (o.From != FromModules) {
		if named {
			return m, fmt.Errorf("from modules there is no source to name, got %q", o.Source)
		}
		return m, fmt.Errorf("from %s: name the %[1]s", o.From)
	}
	if o.From == FromModules && semver.Compare(m.Kubernetes, "v1.23.0") < 0 {
		return m, fmt.Errorf("a node of Kubernetes %s cannot be built from modules: its kubelet speaks CRI v1alpha2, which the pinned containerd does not serve; "+
			"replace the kubelet of an image of that minor:  --from image KIND_NODE_IMAGE", m.Kubernetes)
	}
	if o.From != FromTarball && (o.SHA512 != "" || o.Base != "") {
		return m, fmt.Errorf("a checksum and a base image apply to a tarball, not to %s", o.From)
	}
	if o.From != FromImage && o.Arch != "" && o.Arch != runtime.GOARCH {
		return m, fmt.Errorf("from %s an image for %s can only be built on a machine of that architecture, because the build runs programs of the image; "+
			"only the kubelet can be built for another architecture:  kgrace image build --arch %[2]s --from image KIND_NODE_IMAGE", o.From, o.Arch)
	}
	return m, nil
}

// checkRegistry refuses to push under a name without a registry, or with a reserved one.
func checkRegistry(image string) error {
	first, _, ok := strings.Cut(image, "/")
	if !ok || !strings.ContainsAny(first, ".:") && first != "localhost" {
		return fmt.Errorf("pushing: %s names no registry, and there is no default; want registry.example/name:tag (--image)", image)
	}
	if host, _, _ := strings.Cut(first, ":"); strings.HasSuffix(host, ".test") || strings.HasSuffix(host, ".invalid") {
		return fmt.Errorf("pushing: %s is a reserved name and never a registry; name your registry (--image)", first)
	}
	return nil
}
