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

package kindnode

import (
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/verdict"
	"github.com/kgrace/kgrace/internal/versions"
)

// From is where an image comes from.
type From string

const (
	// FromModules makes everything from Go modules and Debian packages.
	FromModules From = "modules"
	// FromImage replaces the kubelet in a kind node image.
	FromImage From = "image"
	// FromTarball takes Kubernetes' official server tarball, and kind's own base image.
	FromTarball From = "tarball"
)

// Options say which image to build.
type Options struct {
	// Repo is the checkout that the kubelet, and from modules everything else, is built from.
	Repo *kubetree.Repo
	// Minor is the Kubernetes minor; "" is the default one.
	Minor string
	// Arm is whose kubelet the image holds.
	Arm verdict.Arm
	// From is the source, and Source the image or the tarball it names; none from modules.
	From   From
	Source string
	// SHA512 is what the tarball must have, in hex; "" means the first word of the file beside it with .sha512 behind its name.
	SHA512 string
	// Base is the base image for a tarball; "" means the one that kind pulls.
	Base string
	// Image is the name and tag of the result; "" means DefaultImage.
	Image string
	// Arch is amd64 or arm64; "" means the engine's.
	Arch string
	// Push pushes the image to the registry in its name.
	Push bool
	// Refresh makes the root filesystem anew, with the Debian packages of today.
	Refresh bool
	// Rebuild makes what both arms share anew, even if the engine has it.
	Rebuild bool
	// Progress gets a line a step; nil is silent.
	Progress io.Writer
}

// Arches are the architectures that kind knows.
var Arches = []string{"amd64", "arm64"}

// Repository is the part of DefaultImage before the tag. The domain is reserved: it can never be a registry.
const Repository = "kgrace.test/kind-node"

// DefaultImage is the name of an arm's image: kgrace.test/kind-node:v1.37.2-stock, or :v1.37.2_grace.1 for the fixed arm,
// whose version has a plus where a tag cannot have one.
func DefaultImage(m versions.Minor, arm verdict.Arm) string {
	if arm == verdict.Stock {
		return Repository + ":" + m.Kubernetes + "-stock"
	}
	return Repository + ":" + strings.ReplaceAll(m.FixedVersion(), "+", "_")
}

// imageName is a name with an optional registry and a tag, as the engine takes it.
var imageName = regexp.MustCompile(`^(?:[a-zA-Z0-9.-]+(?::[0-9]+)?/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`)

// Check refuses options that do not fit together. It touches nothing.
func (o Options) Check() error {
	_, err := o.complete()
	return err
}

// complete fills in what was left out and refuses what cannot be built. It touches nothing.
func (o *Options) complete() (versions.Minor, error) {
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
	if o.Image == "" {
		o.Image = DefaultImage(m, o.Arm)
	}
	if !imageName.MatchString(o.Image) {
		return m, fmt.Errorf("image name %q; want [registry/]name:tag, the name in lower case", o.Image)
	}
	if o.Push {
		if err := checkRegistry(o.Image); err != nil {
			return m, err
		}
	}
	if o.Arch != "" && !slices.Contains(Arches, o.Arch) {
		return m, fmt.Errorf("architecture %q; kind has node images for %s", o.Arch, strings.Join(Arches, " and "))
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
			return m, fmt.Errorf("from modules nothing is named, got %q", o.Source)
		}
		return m, fmt.Errorf("from %s: name the %[1]s", o.From)
	}
	if o.From == FromModules && semver.Compare(m.Kubernetes, "v1.23.0") < 0 {
		return m, fmt.Errorf("from modules there is no node of Kubernetes %s: its kubelet speaks a CRI (v1alpha2) that the pinned containerd no longer does; "+
			"replace the kubelet of an image of its time: --from image KIND_NODE_IMAGE", m.Kubernetes)
	}
	if o.From != FromTarball && (o.SHA512 != "" || o.Base != "") {
		return m, fmt.Errorf("a checksum and a base image belong to a tarball, not to %s", o.From)
	}
	if o.From != FromImage && o.Arch != "" && o.Arch != runtime.GOARCH {
		return m, fmt.Errorf("from %s an image for %s is built on a machine of that kind only, since programs of the image are run while it is built; "+
			"what crosses over is the kubelet: kgrace image build --arch %[2]s --from image KIND_NODE_IMAGE", o.From, o.Arch)
	}
	return m, nil
}

// checkRegistry refuses to push under a name that leads nowhere, or to a registry that nobody named.
func checkRegistry(image string) error {
	first, _, ok := strings.Cut(image, "/")
	if !ok || !strings.ContainsAny(first, ".:") && first != "localhost" {
		return fmt.Errorf("pushing: %s names no registry, and none is assumed; want registry.example/name:tag (--image)", image)
	}
	if host, _, _ := strings.Cut(first, ":"); strings.HasSuffix(host, ".test") || strings.HasSuffix(host, ".invalid") {
		return fmt.Errorf("pushing: %s is a reserved name and never a registry; name yours (--image)", first)
	}
	return nil
}
