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
