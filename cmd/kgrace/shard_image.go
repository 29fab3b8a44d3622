// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/distribution/reference"
	"github.com/spf13/cobra"

	"github.com/kgrace/kgrace/internal/imagefile"
	"github.com/kgrace/kgrace/internal/kubetree"
	"github.com/kgrace/kgrace/internal/shard"
	"github.com/kgrace/kgrace/internal/simbuild"
	"github.com/kgrace/kgrace/internal/tool"
	"github.com/kgrace/kgrace/internal/verdict"
)

// Paths in the image.
const (
	shardImageProgram = "/kgrace"
	shardImageSuites  = "/suites"
)

func newShardCommand(app *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "shard",
		Short: "Split a run at the sim level over the nodes of a cluster",
		Long: `Split a run at the sim level over the nodes of a cluster: ci/indexed-job runs the catalogue and the random scenarios as an Indexed
Job. Its pods need no network, compiler or checkout, only the image that ` + "`kgrace shard image`" + ` builds.

` + "`kgrace regress --level sim --shard i/n` and `kgrace properties --shard i/n`" + ` run the parts; ` + "`kgrace report merge`" + ` merges them.`,
		Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newShardImageCommand(app))
	return cmd
}

func newShardImageCommand(app *app) *cobra.Command {
	var minor, name, file string
	cmd := &cobra.Command{
		Use:   "image --image NAME:TAG --file FILE",
		Short: "Build the image with the compiled suites",
		Long: `Build an image of static programs: kgrace and the compiled suites of both arms. It is written as a file in the format of
docker save, without Docker; ` + "`docker load`, `ctr images import` and `kind load image-archive`" + ` accept it. Equal inputs give equal bytes.

The image runs as an unprivileged user and writes only to $TMPDIR and $ARTIFACTS. Prints the file's path and its digest.`,
		Example: "  kgrace shard image --image kgrace-shards:v1.37 --file _output/kgrace-shards.tar",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			full, err := reference.ParseNormalizedNamed(name)
			if err == nil && reference.IsNameOnly(full) {
				err = errors.New("it has no tag")
			}
			if err != nil {
				return usage(fmt.Errorf("--image %q: want a name and a tag, such as kgrace-shards:v1.37: %w", name, err))
			}
			if file == "" {
				return usage(errors.New("--file is missing: name the file for the image"))
			}
			r, minor, err := app.seriesOf(minor)
			if err != nil {
				return err
			}
			return app.shardImage(cmd.Context(), r, minor, full.String(), file)
		},
	}
	addMinorFlag(cmd, &minor)
	cmd.Flags().StringVar(&name, "image", "", "name and tag of the image")
	cmd.Flags().StringVarP(&file, "file", "f", "", "file to write")
	return cmd
}

func (a *app) shardImage(ctx context.Context, r *kubetree.Repo, minor, name, file string) error {
	paths := map[verdict.Arm]string{}
	for _, arm := range verdict.Arms() {
		suite, err := simbuild.Build(ctx, r, minor, arm)
		if err != nil {
			return err
		}
		paths[arm] = suite
	}
	program := filepath.Join(r.Output, "bin", "kgrace-static")
	toolchain := r.Versions.Minors[r.Versions.Default].Go
	if _, err := tool.Go(ctx, r.Root, toolchain, nil, "build", "-ldflags", "-s -w -buildid=", "-o", program, "./cmd/kgrace"); err != nil {
		return err
	}
	layers, err := shardLayers(minor, program, paths)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	// No user has the ID 65532; distributions that name it call it nonroot.
	if err := imagefile.WriteFile(file, time.Time{}, imagefile.Image{Names: []string{name}, Layers: layers, User: "65532:65532", WorkingDir: "/",
		Entrypoint: []string{shardImageProgram}}); err != nil {
		return err
	}
	digest, err := shard.Digest(file)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.output, "%s %s\n", file, digest)
	return nil
}

// shardLayers returns the image's layers: kgrace above the suites, since it changes more often.
func shardLayers(minor, program string, paths map[verdict.Arm]string) ([]imagefile.Layer, error) {
	made, err := shard.NewSuites(minor, paths)
	if err != nil {
		return nil, err
	}
	list, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return nil, err
	}
	suites := imagefile.Files{{Path: shardImageSuites + "/" + shard.SuitesFile, Data: append(list, '\n')},
		{Path: "/tmp", Dir: true, Mode: 0o1777},
		// The kubelet looks up its own user in these files and does not start without them; it need not find one.
		{Path: "/etc/passwd", Data: []byte("root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n")},
		{Path: "/etc/group", Data: []byte("root:x:0:\nnonroot:x:65532:\n")}}
	for _, arm := range verdict.Arms() {
		suites = append(suites, imagefile.File{Path: path.Join(shardImageSuites, filepath.ToSlash(made.Files[arm])), Mode: 0o755, From: paths[arm]})
	}
	return []imagefile.Layer{&suites, &imagefile.Files{{Path: shardImageProgram, Mode: 0o755, From: program}}}, nil
}
