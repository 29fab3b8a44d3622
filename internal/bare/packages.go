// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// need is a program and the Debian package that contains it.
type need struct{ program, pkg string }

// The needs of an engine, and the further needs of building an image from modules.
var (
	engineNeeds = []need{{"dockerd", "docker.io"}, {"docker", "docker.io"}, {"runc", "runc"}, {"iptables-save", "iptables"}, {"ip", "iproute2"}}
	imageNeeds  = []need{{"mmdebstrap", "mmdebstrap"}, {"pigz", "pigz"}}
)

// missing returns the packages whose programs are missing.
func missing(needs []need, look func(string) (string, error)) []string {
	var packages []string
	for _, n := range needs {
		if _, err := look(n.program); err != nil && !slices.Contains(packages, n.pkg) {
			packages = append(packages, n.pkg)
		}
	}
	return packages
}

// install installs Debian packages. An interrupt waits for apt-get: killed half-way, it would leave packages half
// installed, and apt unusable.
func install(ctx context.Context, packages []string, progress io.Writer) error {
	if len(packages) == 0 {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("this is not Debian; install the content of these Debian packages by hand:  %s", strings.Join(packages, " "))
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("not root; run: sudo apt-get install %s", strings.Join(packages, " "))
	}
	say(progress, "installing %s", strings.Join(packages, " "))
	apt := func(args ...string) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := tool.Run(context.WithoutCancel(ctx), tool.Cmd{Dir: os.TempDir(), Env: append(os.Environ(), "DEBIAN_FRONTEND=noninteractive"), Args: append([]string{"apt-get"}, args...)})
		return err
	}
	args := append([]string{"install", "--yes", "--no-install-recommends"}, packages...)
	if err := apt(args...); err == nil || ctx.Err() != nil {
		return errors.Join(err, ctx.Err())
	}
	// The usual reason is a package list that is missing or outdated.
	if err := apt("update"); err != nil {
		return err
	}
	return apt(args...)
}

// say writes one progress line.
func say(w io.Writer, format string, args ...any) {
	if w != nil {
		_, _ = io.WriteString(w, "docker: "+fmt.Sprintf(format, args...)+"\n")
	}
}
