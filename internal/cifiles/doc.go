// Copyright The kgrace Authors.
// SPDX-License-Identifier: Apache-2.0

// Package cifiles tests the files under ci/ and .github/: workflows, Prow jobs, Jobs with their kustomizations, Prometheus rules,
// scripts, issue forms. But for Targets it has no code but tests. Nothing here talks to a service that reads the files;
// cmd/kgrace tests the command lines of kgrace in them.
//
// Libraries check that a service can read its file: actionlint a workflow; kustomize and client-go's scheme, decoding strictly, a Job;
// the API server's own registry and Pod Security evaluator what is in it; promtool's parser the rules. Prow and GitHub have no library of
// a reasonable size for jobs and issue forms: types with the fields that the files use are decoded strictly.
//
// The rest are this project's own rules, which no schema knows: targets, scripts and files that a file names exist; no credentials,
// retries or rights beyond what is needed; artifacts are kept after a time-out; a disruption is not a failure. Each rule is tested with
// a file that breaks it.
package cifiles
