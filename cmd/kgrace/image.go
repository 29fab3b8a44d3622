// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/kgrace/kgrace/internal/docker"
	"github.com/kgrace/kgrace/internal/kindnode"
	"github.com/kgrace/kgrace/internal/verdict"
)

func newImageCommand(app *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "image",
		Short: "Build kind node images, and manage the Docker engine they need",
		Example: "  kgrace image setup\n  kgrace image build --arm fixed\n" +
			"  kind create cluster --image kgrace.test/kind-node:v1.37.2_grace.2-amd64\n  kgrace image teardown",
		Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newImageBuildCommand(app), newImageSetupCommand(app), newImageTeardownCommand(app))
	return cmd
}

func newImageBuildCommand(app *app) *cobra.Command {
	var (
		o    kindnode.Options
		arm  string
		from string
		out  = newOutputFlag()
	)
	cmd := &cobra.Command{
		Use:   "build [IMAGE|TARBALL]",
		Short: "Build a kind node image",
		Long: `Build a kind node image with an arm's kubelet and leave it in the Docker engine. Missing programs are built first.

  --from image IMAGE      replace the kubelet in a kind node image, a kindest/node by digest for example: seconds
  --from tarball TARBALL  Kubernetes' official server tarball (its sha512 is checked) with kind's base image
  --from modules          everything from Go modules and Debian packages; no image is pulled (root)

Without --from: image, if the engine has kind's own node image of the version; else modules.

Prints the name, the ID, and the paths of the manifest of inputs and of the SPDX list; the image has both, too, in
` + kindnode.DocDir + `.

--file also writes the image to an archive, for machines without a network or with Podman: docker load --input FILE, podman
load --input FILE, or kind load image-archive FILE. If the command fails or is interrupted, it leaves only programs that were built.`,
		Example: "  kgrace image build\n  kgrace image build --arm stock --from modules -o json\n  kgrace image build --from image kindest/node@sha256:…\n" +
			"  kgrace image build --from tarball kubernetes-server-linux-amd64.tar.gz \\\n    --image registry.example/kind-node:v1 --push\n" +
			"  kgrace image build --arch arm64 --from image kindest/node@sha256:… \\\n    --file kind-node-arm64.tar",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := verdict.ParseArm(arm)
			if err != nil {
				return usage(err)
			}
			if o.Repo, err = app.repo(); err != nil {
				return err
			}
			o.Arm, o.From, o.Progress = a, kindnode.From(from), app.errs
			if len(args) > 0 {
				o.Source = args[0]
			}
			if err := o.CheckNames(); err != nil {
				return usage(err)
			}
			if from == "" {
				if o.Source != "" {
					return usage(fmt.Errorf("%s needs --from image or --from tarball", o.Source))
				}
				if err := atHand(cmd.Context(), &o, app); err != nil {
					return err
				}
			}
			if err := o.Check(); err != nil {
				return usage(err)
			}
			r, err := kindnode.Build(cmd.Context(), o)
			if err != nil {
				return err
			}
			rows := [][]string{{"id", r.ID}, {"kubelet", fmt.Sprintf("%s (%s, of Kubernetes %s), sha256 %s", r.Kubelet, r.Arm, r.KubeletKubernetes, r.KubeletSHA256)}, {"other programs", "Kubernetes " + r.Kubernetes},
				{"architecture", r.Arch}, {"size", fmt.Sprintf("%d MiB", r.Size>>20)}, {"manifest", r.Manifest}, {"SPDX", r.SPDX}, {"took", fmt.Sprintf("%.1f s", r.Seconds)}}
			if r.Digest != "" {
				rows = append(rows, []string{"digest", r.Digest})
			}
			if r.File != "" {
				rows = append(rows, []string{"file", r.File})
			}
			return out.write(app.output, r, []string{"IMAGE", r.Image}, rows)
		},
	}
	addMinorFlag(cmd, &o.Minor)
	cmd.Flags().StringVar(&arm, "arm", string(verdict.Fixed), "arm of the kubelet: stock or fixed")
	cmd.Flags().StringVar(&from, "from", "", "source of the image: image, tarball or modules")
	cmd.Flags().StringVar(&o.Image, "image", "", "name and tag of the image (default: "+kindnode.Repository+", tagged with the kubelet's version and the architecture)")
	cmd.Flags().StringVar(&o.Arch, "arch", "", "amd64 or arm64 (default: the engine's)")
	cmd.Flags().StringVar(&o.SHA512, "sha512", "", "checksum of the tarball (default: read from TARBALL.sha512)")
	cmd.Flags().StringVar(&o.Base, "base-image", "", "base image for a tarball (default: kind's, which is pulled)")
	cmd.Flags().StringVar(&o.File, "file", "", "also write the image to this archive")
	cmd.Flags().BoolVar(&o.Push, "push", false, "push the image to the registry in its name")
	cmd.Flags().BoolVar(&o.Refresh, "refresh", false, "rebuild the root filesystem with current Debian packages")
	cmd.Flags().BoolVar(&o.Rebuild, "rebuild", false, "rebuild what both arms share, even if the engine has it")
	cmd.Flags().VarP(&out, "output", "o", "output format")
	return cmd
}

// atHand sets the source if none is given: kind's node image of the same version if the engine has it, else modules.
func atHand(ctx context.Context, o *kindnode.Options, app *app) error {
	o.From = kindnode.FromModules
	m, err := o.Repo.Versions.Minor(o.Minor)
	if err != nil {
		return usage(err)
	}
	e, err := docker.Find(ctx)
	if err != nil {
		return err
	}
	repository, _, ok := strings.Cut(defaults.Image, ":")
	if !ok {
		return errors.New("kind's default node image has no tag: " + defaults.Image)
	}
	ref := repository + ":" + m.Kubernetes
	image, err := e.Inspect(ctx, ref)
	if err != nil {
		return err
	}
	if image != nil {
		o.From, o.Source = kindnode.FromImage, ref
	}
	fmt.Fprintf(app.errs, "image: from %s %s\n", o.From, o.Source)
	return nil
}
