// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package bare

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/kgrace/kgrace/internal/tool"
)

// forwarding is the setting that dockerd turns on and leaves on.
const forwarding = "/proc/sys/net/ipv4/ip_forward"

// host is the state of a machine that dockerd changes and does not restore.
type host struct {
	// IPTables and IP6Tables are the packet filters as printed by iptables-save and ip6tables-save.
	IPTables  string `json:"iptables"`
	IP6Tables string `json:"ip6tables"`
	// Forwarding is the content of /proc/sys/net/ipv4/ip_forward.
	Forwarding string `json:"forwarding"`
	// Links are the names of the network interfaces.
	Links []string `json:"links"`
}

// families are the two packet filters.
var families = []struct {
	save, restore string
	of            func(*host) *string
}{
	{"iptables-save", "iptables-restore", func(h *host) *string { return &h.IPTables }},
	{"ip6tables-save", "ip6tables-restore", func(h *host) *string { return &h.IP6Tables }},
}

// look records the state of the machine. It records a family that the kernel does not support as empty.
func look(ctx context.Context) (*host, error) {
	h := &host{}
	for _, f := range families {
		out, err := admin(ctx, "", f.save)
		if err != nil && f.save == "iptables-save" {
			return nil, err
		}
		*f.of(h) = out
	}
	data, err := os.ReadFile(forwarding)
	if err != nil {
		return nil, err
	}
	h.Forwarding = strings.TrimSpace(string(data))
	links, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	for _, l := range links {
		h.Links = append(h.Links, l.Name)
	}
	return h, nil
}

// dockerLink matches the names of dockerd's bridges.
var dockerLink = regexp.MustCompile(`^(docker0|br-[0-9a-f]{12})$`)

// rules returns the packet filter of a family, as recorded and now.
func (h *host) rules(now *host, of func(*host) *string) (was, is ruleset, err error) {
	if was, err = parseRules(*of(h)); err != nil {
		return was, is, err
	}
	is, err = parseRules(*of(now))
	return was, is, err
}

// putBack restores the state of the machine and checks the result. It does not touch other interfaces, but it does remove
// rules that others added while the engine ran; the documentation of Teardown says so.
func (h *host) putBack(ctx context.Context) error {
	now, err := look(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range families {
		was, is, err := h.rules(now, f.of)
		if err != nil {
			return err
		}
		if input := restoreInput(was, is); input != "" {
			if _, err := admin(ctx, input, f.restore); err != nil {
				errs = append(errs, err)
			}
		}
	}
	for _, name := range added(h.Links, now.Links) {
		if dockerLink.MatchString(name) {
			if _, err := admin(ctx, "", "ip", "link", "delete", name); err != nil {
				errs = append(errs, err)
			}
		}
	}
	if now.Forwarding != h.Forwarding {
		errs = append(errs, os.WriteFile(forwarding, []byte(h.Forwarding+"\n"), 0o644))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return h.compare(ctx)
}

// compare returns an error if the machine differs from the recorded state.
func (h *host) compare(ctx context.Context) error {
	now, err := look(ctx)
	if err != nil {
		return err
	}
	var left []string
	for _, f := range families {
		was, is, err := h.rules(now, f.of)
		if err != nil {
			return err
		}
		if d := difference(was, is); d != "" {
			left = append(left, f.save+": "+d)
		}
	}
	for _, name := range added(h.Links, now.Links) {
		if dockerLink.MatchString(name) {
			left = append(left, "interface "+name+" is left")
		}
	}
	if now.Forwarding != h.Forwarding {
		left = append(left, fmt.Sprintf("%s was %s, is %s", forwarding, h.Forwarding, now.Forwarding))
	}
	if len(left) > 0 {
		return fmt.Errorf("the machine differs from its state before the engine:\n%s", strings.Join(left, "\n"))
	}
	return nil
}

// added returns the names in now that are not in before.
func added(before, now []string) []string {
	known := map[string]bool{}
	for _, n := range before {
		known[n] = true
	}
	var all []string
	for _, n := range now {
		if !known[n] {
			all = append(all, n)
		}
	}
	return all
}

// admin runs a program that is in sbin, which may not be on PATH.
func admin(ctx context.Context, stdin, program string, args ...string) (string, error) {
	path, err := lookAdmin(program)
	if err != nil {
		return "", err
	}
	return tool.Run(ctx, tool.Cmd{Dir: os.TempDir(), Env: adminEnv(), Args: append([]string{path}, args...), Stdin: strings.NewReader(stdin)})
}

func lookAdmin(program string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/sbin", "/sbin"} {
		if path, err := exec.LookPath(dir + "/" + program); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is neither on PATH nor in /usr/sbin;  `kgrace image setup` installs it on Debian", program)
}

func adminEnv() []string {
	return append(os.Environ(), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
}
