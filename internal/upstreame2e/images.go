// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package upstreame2e

import (
	"fmt"
	"strings"
	"time"

	"github.com/kgrace/kgrace/internal/imagefile"
)

// Image is an image that specs may request.
type Image struct {
	Name string `json:"name"`
	// Made describes its content; empty if it is not supplied.
	Made string `json:"made,omitempty"`
	// Pods is the number of pods that requested it, on both arms.
	Pods int `json:"pods"`
}

// writeImages writes those of the named images that can be built into one file, and returns all of them.
func (s Selection) writeImages(file string, names []string, tools imagefile.Tools) ([]Image, error) {
	if err := tools.Check(); err != nil {
		return nil, err
	}
	base := tools.Base()
	agnhost, err := tools.AgnhostLayer()
	if err != nil {
		return nil, err
	}
	const search = "PATH=/bin:/usr/bin"
	recipes := map[string]imagefile.Image{
		"agnhost": {Layers: []imagefile.Layer{base, agnhost}, Entrypoint: []string{"/agnhost"}, Cmd: []string{"pause"}, Env: []string{search}},
		"busybox": {Layers: []imagefile.Layer{base}, Cmd: []string{"sh"}, Env: []string{search}},
		"nginx":   {Layers: []imagefile.Layer{base, agnhost}, Entrypoint: []string{"/agnhost", "netexec", "--http-port=80", "--udp-port=-1"}, Env: []string{search}},
		"pause":   {Layers: []imagefile.Layer{&imagefile.Files{{Path: "/pause", Mode: 0o755, From: tools.Actor}}}, Entrypoint: []string{"/pause", "pause"}, User: "65535:65535"},
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
