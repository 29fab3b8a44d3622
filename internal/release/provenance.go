// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	slsa "github.com/in-toto/attestation/go/predicates/provenance/v1"
	intoto "github.com/in-toto/attestation/go/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

const (
	predicateType = "https://slsa.dev/provenance/v1"
	// project identifies what built the release, and how. A local build has no other identity; it is not signed.
	project   = "https://github.com/kgrace/kgrace"
	buildType = project + "/internal/release@v1"
)

// provenance returns an in-toto statement about the kubelets: what they were built from, and how. It has no times and names no
// machine, which would change the bytes of equal builds.
func (c *content) provenance(mbox, spdx []byte) ([]byte, error) {
	var subjects []*intoto.ResourceDescriptor
	var arches []any
	builds := map[string]any{}
	for _, k := range c.kubelets {
		if k.Recipe == nil {
			return nil, fmt.Errorf("%s was not built from a tree", k.name)
		}
		subjects = append(subjects, &intoto.ResourceDescriptor{Name: k.name, Digest: map[string]string{"sha256": k.program.SHA256}})
		arches = append(arches, k.Arch)
		builds[k.Arch] = map[string]any{"package": k.Recipe.Package, "toolchain": k.Recipe.Toolchain, "env": list(k.Recipe.Env), "flags": list(k.Recipe.Flags)}
	}
	if len(subjects) == 0 {
		return nil, errors.New("no kubelets")
	}
	recipe := c.kubelets[0].Recipe
	kubernetes := &intoto.ResourceDescriptor{Uri: "pkg:golang/k8s.io/kubernetes@" + c.Kubernetes}
	if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(c.sum, "h1:")); err == nil && len(raw) > 0 {
		kubernetes.Digest = map[string]string{"dirHash": hex.EncodeToString(raw)}
	}
	names := []any{}
	for _, p := range c.series.Patches {
		names = append(names, p.Name)
	}
	annotations, err := structpb.NewStruct(map[string]any{"hash": c.series.Hash(), "patches": names})
	if err != nil {
		return nil, err
	}
	external, err := structpb.NewStruct(map[string]any{"kubernetes": c.Minor, "arch": arches})
	if err != nil {
		return nil, err
	}
	internal, err := structpb.NewStruct(map[string]any{"version": c.Version, "builds": builds})
	if err != nil {
		return nil, err
	}
	p := &slsa.Provenance{
		BuildDefinition: &slsa.BuildDefinition{BuildType: buildType, ExternalParameters: external, InternalParameters: internal,
			ResolvedDependencies: []*intoto.ResourceDescriptor{
				kubernetes,
				{Name: seriesFile, Digest: map[string]string{"sha256": hashOf(mbox)}, Annotations: annotations},
				// The tree that the two above give.
				{Name: "tree", Digest: map[string]string{"gitCommit": recipe.Commit}},
				{Name: recipe.Toolchain, Uri: "pkg:generic/go@" + strings.TrimPrefix(recipe.Toolchain, "go")},
			}},
		RunDetails: &slsa.RunDetails{Builder: &slsa.Builder{Id: project + "/cmd/kgrace", Version: map[string]string{"kgrace": c.tool}},
			// It has the modules, with their checksums.
			Byproducts: []*intoto.ResourceDescriptor{{Name: spdxFile, Digest: map[string]string{"sha256": hashOf(spdx)}}}},
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	predicate := &structpb.Struct{}
	if err := convert(p, predicate); err != nil {
		return nil, err
	}
	s := &intoto.Statement{Type: intoto.StatementTypeUri, Subject: subjects, PredicateType: predicateType, Predicate: predicate}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	data, err := protojson.Marshal(s)
	if err != nil {
		return nil, err
	}
	// protojson puts spaces at random, so that nobody relies on its bytes.
	var out bytes.Buffer
	err = json.Indent(&out, data, "", "  ")
	out.WriteByte('\n')
	return out.Bytes(), err
}

func convert(from, to proto.Message) error {
	data, err := protojson.Marshal(from)
	if err != nil {
		return err
	}
	return protojson.Unmarshal(data, to)
}

func list(texts []string) []any {
	all := []any{}
	for _, t := range texts {
		all = append(all, t)
	}
	return all
}
