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

package bare

import (
	"os"
	"strings"
	"testing"
)

func TestMissingPackages(t *testing.T) {
	look := func(program string) (string, error) {
		if program == "runc" || program == "ip" {
			return "/usr/bin/" + program, nil
		}
		return "", os.ErrNotExist
	}
	if got := strings.Join(missing(engineNeeds, look), " "); got != "docker.io iptables" {
		t.Errorf("%s", got)
	}
}
