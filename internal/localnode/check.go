// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package localnode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/moby/sys/capability"
	"golang.org/x/sys/unix"
)

// Check reports every privilege, program and kernel feature that a node needs and that this machine or process lacks, each
// with a remedy. It changes nothing and leaves nothing running. With a nil Bin it checks only the machine, so it can be
// called before the programs are built.
func Check(ctx context.Context, c Config) error {
	if err := c.complete(); err != nil {
		return err
	}
	return check(ctx, &c)
}

func check(ctx context.Context, c *Config) error {
	problems := checkTools(nodePath, exec.LookPath)
	// containerd gives every hostNetwork pod a copy.
	if _, err := os.Stat("/etc/hosts"); err != nil {
		problems = append(problems, fmt.Errorf("%w: write one (echo 127.0.0.1 localhost >/etc/hosts)", err))
	}
	if c.Bin != nil {
		problems = append(checkPrograms(c.Bin), problems...)
	}
	own, err := capability.NewPid2(0)
	if err == nil {
		err = own.Load()
	}
	if err != nil {
		return fmt.Errorf("capabilities of this process: %w", err)
	}
	rights := checkRights(os.Geteuid(), own)
	problems = append(problems, rights...)

	all, err := hierarchies()
	if err != nil {
		problems = append(problems, err)
	}
	if err == nil && len(rights) == 0 { // without privileges, every consequence would be listed too
		problems = append(problems, checkHierarchies(all, func(dir string) error { return unix.Access(dir, unix.W_OK) })...)
		if err := probe(ctx, c.Name); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return &CheckError{Problems: problems}
	}
	return nil
}

// CheckError lists every unmet requirement.
type CheckError struct{ Problems []error }

func (e *CheckError) Error() string {
	var b strings.Builder
	b.WriteString("a node cannot start here:")
	for _, p := range e.Problems {
		b.WriteString("\n  - " + p.Error())
	}
	return b.String()
}

func (e *CheckError) Unwrap() []error { return e.Problems }

// debianPackages maps programs to the Debian packages that contain them. The Kubernetes programs are in none.
var debianPackages = map[string]string{
	ProgramEtcd: "etcd-server", ProgramContainerd: "containerd", ProgramShim: "containerd", ProgramCtr: "containerd", ProgramRunc: "runc",
}

func checkPrograms(bin map[string]string) []error {
	var problems []error
	for _, name := range []string{
		ProgramKubelet, ProgramAPIServer, ProgramEtcd, ProgramContainerd, ProgramShim, ProgramCtr, ProgramRunc, ProgramActor,
	} {
		wayOut := "build it with `kgrace build`"
		if p := debianPackages[name]; p != "" {
			wayOut += ", or use the one from Debian package " + p
		}
		path := bin[name]
		switch info, err := os.Stat(path); {
		case path == "":
			problems = append(problems, fmt.Errorf("program %s: no path given: %s", name, wayOut))
		case !filepath.IsAbs(path):
			problems = append(problems, fmt.Errorf("program %s: %s is not an absolute path", name, path))
		case err != nil:
			problems = append(problems, fmt.Errorf("program %s: %w: %s", name, err, wayOut))
		case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
			problems = append(problems, fmt.Errorf("program %s: %s is not an executable file: %s", name, path, wayOut))
		case name == ProgramRunc:
			// The only program with shared libraries.
			if out, err := exec.Command(path, "--version").CombinedOutput(); err != nil {
				problems = append(problems, fmt.Errorf("program runc: %s --version: %w: %s (a missing libseccomp.so.2 is in Debian package libseccomp2)",
					path, err, strings.TrimSpace(string(out))))
			}
		}
	}
	return problems
}

// checkTools looks for the tools that the kubelet itself executes.
func checkTools(path string, look func(string) (string, error)) []error {
	var problems []error
	for _, tool := range []string{"mount", "umount"} {
		found := slices.ContainsFunc(filepath.SplitList(path), func(dir string) bool {
			_, err := look(filepath.Join(dir, tool))
			return err == nil
		})
		if !found {
			problems = append(problems, fmt.Errorf("the kubelet runs `%s`, which is not in %s: install Debian package mount", tool, path))
		}
	}
	return problems
}

// capabilities that the node's programs use. CAP_SYS_RESOURCE is not needed.
var capabilities = []capability.Cap{
	capability.CAP_CHOWN, capability.CAP_DAC_OVERRIDE, capability.CAP_FOWNER, capability.CAP_KILL, capability.CAP_SETGID, capability.CAP_SETUID,
	capability.CAP_SETPCAP, capability.CAP_NET_ADMIN, capability.CAP_SYS_CHROOT, capability.CAP_SYS_PTRACE, capability.CAP_SYS_ADMIN, capability.CAP_MKNOD,
}

func checkRights(euid int, process capability.Capabilities) []error {
	if euid != 0 {
		return []error{errors.New("namespaces, cgroups and containers need root: run as root, or with sudo")}
	}
	var missing []string
	for _, c := range capabilities {
		if !process.Get(capability.EFFECTIVE, c) {
			missing = append(missing, "CAP_"+strings.ToUpper(c.String()))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []error{fmt.Errorf("root lacks %s here: run on the machine itself, or in a container started with --privileged", strings.Join(missing, ", "))}
}

// probe creates the namespaces, mounts and device of a node for a moment, because nothing but an attempt gives an answer:
// container runtimes, seccomp and LSMs each refuse in their own way. It creates no file.
func probe(ctx context.Context, name string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	p, err := startInit(null, null)
	if err != nil {
		return err
	}
	defer p.kill()
	if err := p.call(ctx, "Setup", Setup{Hostname: name, Probe: true}, &None{}); err != nil {
		return fmt.Errorf("prepare namespaces: %w", err)
	}
	return nil
}
