// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package imagefile writes container images to one file, in the format of `docker save`, without Docker. The images contain
// static programs and little or nothing of a distribution. `docker load`, `ctr images import`, kind's side-loading and
// `kind build node-image` can read the file.
//
// Layers, configuration and manifest are as runtimes expect them. Equal contents give equal bytes on any machine at any
// time: entries of layers are sorted, owned by root and dated by the caller. Whiteouts, images for more than one platform,
// pulling and pushing are not supported.
package imagefile
