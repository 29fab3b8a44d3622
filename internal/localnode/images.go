// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"time"

	"github.com/kgrace/kgrace/internal/actor"
	"github.com/kgrace/kgrace/internal/imagefile"
)

// WriteImages writes an image file that contains actor.Image and actor.PauseImage, built from the static program
// (BuildActor), for a node of this package or for another runtime. The same program yields the same bytes.
func WriteImages(file, program string) error {
	layer := &imagefile.Files{{Path: actor.Path, Mode: 0o755, From: program}}
	image := func(name string, entrypoint ...string) imagefile.Image {
		return imagefile.Image{Names: []string{name}, Layers: []imagefile.Layer{layer}, Entrypoint: entrypoint, WorkingDir: "/"}
	}
	return imagefile.WriteFile(file, time.Time{}, image(actor.Image, actor.Path), image(actor.PauseImage, actor.Path, "pause"))
}
