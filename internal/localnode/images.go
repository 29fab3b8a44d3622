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

	"github.com/kgrace/kgrace/internal/imagefile"
)

// WriteImages writes an image file that contains ActorImage and PauseImage, built from the static program at actor
// (BuildActor), for a node of this package or for another runtime. The same program yields the same bytes.
func WriteImages(file, actor string) error {
	program := &imagefile.Files{{Path: "/actor", Mode: 0o755, From: actor}}
	image := func(name string, entrypoint ...string) imagefile.Image {
		return imagefile.Image{Names: []string{name}, Layers: []imagefile.Layer{program}, Entrypoint: entrypoint, WorkingDir: "/"}
	}
	return imagefile.WriteFile(file, time.Time{}, image(ActorImage, "/actor"), image(PauseImage, "/actor", "pause"))
}
