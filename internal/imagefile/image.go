// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package imagefile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"time"
)

// Image is one image of the file.
type Image struct {
	// Names are the full references with a tag: "example.org/name:tag".
	Names []string
	// Layers from lowest to highest.
	Layers []Layer
	// Entrypoint, Cmd, Env, User, WorkingDir and Labels are those of an image's configuration.
	Entrypoint, Cmd, Env []string
	User, WorkingDir     string
	Labels               map[string]string
	// Arch is the architecture as GOARCH; "" means that of this program.
	Arch string
}

// check returns an error for an image that a runtime would refuse later, with a less clear message.
func (i Image) check() error {
	if len(i.Names) == 0 || len(i.Layers) == 0 {
		return fmt.Errorf("image %v: want a name and a layer", i.Names)
	}
	for _, name := range i.Names {
		if _, tag := split(name); tag == "" || strings.ContainsAny(name, " @") {
			return fmt.Errorf("image %q: want name:tag, without a digest", name)
		}
	}
	return nil
}

// split splits a name into repository and tag. The tag follows the last colon after the last slash, because a registry may
// have a port.
func split(name string) (repository, tag string) {
	colon := strings.LastIndexByte(name, ':')
	if colon <= strings.LastIndexByte(name, '/') {
		return name, ""
	}
	return name[:colon], name[colon+1:]
}

// config is an image's configuration. Equal images have equal ids, so the order of the fields matters.
type config struct {
	Architecture string    `json:"architecture"`
	OS           string    `json:"os"`
	Created      time.Time `json:"created,omitzero"`
	Config       struct {
		User       string            `json:"User,omitempty"`
		Entrypoint []string          `json:"Entrypoint,omitempty"`
		Cmd        []string          `json:"Cmd,omitempty"`
		Env        []string          `json:"Env,omitempty"`
		WorkingDir string            `json:"WorkingDir,omitempty"`
		Labels     map[string]string `json:"Labels,omitempty"`
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
}

// config returns the marshalled configuration; diffs are the layers' DiffIDs.
func (i Image) config(at time.Time, diffs []string) ([]byte, error) {
	c := config{Architecture: cmp.Or(i.Arch, runtime.GOARCH), OS: "linux", Created: at.UTC()}
	c.Config.User, c.Config.WorkingDir, c.Config.Labels = i.User, i.WorkingDir, i.Labels
	c.Config.Entrypoint, c.Config.Cmd, c.Config.Env = i.Entrypoint, i.Cmd, i.Env
	c.RootFS.Type, c.RootFS.DiffIDs = "layers", diffs
	return json.Marshal(c)
}
