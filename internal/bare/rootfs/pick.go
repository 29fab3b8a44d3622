// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package rootfs

import (
	"archive/tar"
	"io"
	"os"
	"path"
	"strings"
	"time"
)

// Pick writes a tar with exactly the files of the named packages and their dependencies, and the links that Debian's
// alternatives add for them. It sets all dates to at.
func Pick(file, to string, all []Package, wanted []string, at time.Time) error {
	picked, err := closure(all, wanted)
	if err != nil {
		return err
	}
	keep := map[string]bool{"/bin": true, "/sbin": true, "/lib": true, "/lib64": true, "/etc/alternatives": true}
	for _, p := range picked {
		for _, f := range p.files {
			keep[f] = true
			keep[merged(f)] = true
		}
	}
	// The targets of alternatives are known only after all links have been read.
	links := map[string]string{}
	if err := walk(file, func(h *tar.Header, _ io.Reader) error {
		if h.Typeflag == tar.TypeSymlink {
			links[path.Clean("/"+h.Name)] = h.Linkname
		}
		return nil
	}); err != nil {
		return err
	}
	for name, target := range links {
		if end, ok := links[target]; ok && strings.HasPrefix(target, "/etc/alternatives/") && keep[end] {
			keep[name], keep[target] = true, true
		}
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	tw := tar.NewWriter(out)
	if err := walk(file, func(h *tar.Header, r io.Reader) error {
		if name := path.Clean("/" + h.Name); name == "/" || !keep[name] || h.Typeflag == tar.TypeChar || h.Typeflag == tar.TypeBlock {
			return nil
		}
		h.ModTime, h.AccessTime, h.ChangeTime = at, time.Time{}, time.Time{}
		delete(h.PAXRecords, "mtime")
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		_, err := io.Copy(tw, r)
		return err
	}); err != nil {
		return err
	}
	if err := tw.Close(); err != nil {
		return err
	}
	return out.Close()
}

// merged returns the path of a package's file in a filesystem whose /bin, /sbin and /lib are links into /usr.
func merged(file string) string {
	for _, top := range []string{"/bin/", "/sbin/", "/lib/", "/lib64/"} {
		if strings.HasPrefix(file, top) {
			return "/usr" + file
		}
	}
	return file
}
