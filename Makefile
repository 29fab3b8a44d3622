# Every target calls cmd/ or hack/, which do the work.

# The toolchain that versions.yaml pins for its default minor.
export GOTOOLCHAIN := $(shell hack/go-toolchain.sh)
export GOFLAGS := -trimpath -buildvcs=false
KGRACE = go run ./cmd/kgrace

.DEFAULT_GOAL := help
# Concurrent go builds only compete for memory.
.NOTPARALLEL:
.PHONY: clusters help setup tree build lint verify update unit intree matrix matrix-default regression regression-node record properties properties-soak mutants mutants-node bench e2e-node node conformance upstream-e2e page test clean e2e e2e-smoke check check-test image image-setup image-teardown image-test

help: ## print this help
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install the Debian packages for builds and nodes (root)
	hack/setup.sh

tree: ## lay out the source trees, stock and fixed
	$(KGRACE) tree

build: ## build the programs of a node, both kubelets included
	$(KGRACE) build

lint: ## gofmt, go vet, shellcheck, actionlint
	hack/verify-lint.sh

verify: ## check that patches, copied and generated files agree
	$(KGRACE) verify

update: ## update copied and generated files
	$(KGRACE) update

unit: ## unit tests of this project: no root, no trees, virtual time
	go test ./cmd/... ./internal/... ./pkg/...

intree: ## upstream's tests of the touched packages on the fixed tree; the series' own must fail on stock; STEP=fixed for one step
	$(KGRACE) intree $(if $(STEP),--step $(STEP))

matrix: ## prove every patch on every minor: applies, builds, tests red without it and green with it, scenarios (hours at first; results are kept)
	$(KGRACE) matrix

matrix-default: ## the same for the default minor only
	$(KGRACE) matrix --kubernetes default

regression: ## run every scenario on both arms, simulated, in virtual time (no root); MINOR=v1.36 for another minor
	$(KGRACE) regress --level sim $(if $(MINOR),--kubernetes $(MINOR))

regression-node: ## the main job: run every scenario on both arms on a real node (root); MINOR=v1.36 for another minor
	$(KGRACE) regress $(if $(MINOR),--kubernetes $(MINOR))

record: ## record a scenario on real nodes for the judges' tests: make record SCENARIO=force-direct (root)
	hack/record.sh $(SCENARIO)

e2e: ## run every scenario of the kind level on a kind cluster for each arm (root; starts a Docker engine if none runs)
	$(KGRACE) e2e --setup $(if $(MINOR),--kubernetes $(MINOR))

e2e-smoke: ## run three of them: force delete a pod, one with a hook and one of a StatefulSet
	$(KGRACE) e2e --setup --smoke

clusters: image ## test real kind clusters: start, disturb, interrupt; nothing is left (root, Docker)
	KGRACE_CLUSTERS=1 go test -count=1 -timeout=20m ./internal/kindcluster

properties: ## run 5,000 random scenarios on each arm, simulated, and compare 5,000 unhurried ones with stock; the same ones each time
	$(KGRACE) properties
	$(KGRACE) properties --kind unhurried --runtime crio

properties-soak: ## the same with other scenarios each time: the seed is from the clock and printed; HISTORIES=100000 for more
	$(KGRACE) properties --seed 0 $(if $(HISTORIES),--histories $(HISTORIES))

mutants: ## apply one deliberate bug at a time to the fix: each must be caught
	$(KGRACE) mutants

mutants-node: ## the same with real kubelets on real nodes: each bug must be red in the scenarios that it names (root)
	$(KGRACE) mutants --level node

bench: ## benchmark UpdatePod on both arms: no slowdown above 5 % (needs an idle machine)
	$(KGRACE) bench

e2e-node: ## run Kubernetes' own node e2e suite on real nodes of both arms: the series' and upstream's specs (root)
	hack/setup.sh busybox-static && $(KGRACE) e2e-node

conformance: ## compare the simulated runtime with a real containerd: the same calls, the same trace; `kgrace conformance` does it with any (root)
	hack/setup.sh busybox-static
	KGRACE_CONFORMANCE=1 go test -count=1 ./internal/sim/conformance

node: build ## test real nodes and the proxy: start, stop, crash; nothing is left (root)
	KGRACE_NODE_BIN=$(CURDIR)/_output/bin go test -count=1 ./internal/localnode ./internal/criproxy

check: ## build the cluster check, one static program: _output/check/kubectl-kgrace
	CGO_ENABLED=0 go build -trimpath -o _output/check/kubectl-kgrace ./cmd/kubectl-kgrace

check-test: build check ## test the cluster check on real nodes of both arms, on a kind cluster with one of each, and on twenty fake nodes (root, Docker)
	hack/setup.sh busybox-static && hack/build-kind-image.sh --from modules --arm stock
	KGRACE_CHECK_PROGRAM=$(CURDIR)/_output/check/kubectl-kgrace go test -count=1 -run TestTwentyNodes ./internal/check
	KGRACE_CHECK_PROGRAM=$(CURDIR)/_output/check/kubectl-kgrace KGRACE_NODE_BIN=$(CURDIR)/_output/bin KGRACE_CHECK_CLUSTER=1 go test -count=1 -timeout=40m ./test/check

image: ## build kind node images with the stock and the fixed kubelet from Go modules and Debian packages (root, Docker)
	hack/build-kind-image.sh --from modules --arm stock && hack/build-kind-image.sh --from modules --arm fixed

image-setup: ## install and start a Docker engine if none runs (root)
	$(KGRACE) image setup

image-teardown: ## stop the engine that image-setup started, and restore packet filter, bridges and forwarding
	$(KGRACE) image teardown

image-test: image ## test node images from every source, an interrupt, a cluster, and a Docker engine in a network of its own (root)
	KGRACE_IMAGE=1 go test -count=1 -timeout=30m ./internal/docker ./internal/kindnode

upstream-e2e: ## run upstream's e2e specs about pod termination on kind clusters of both arms (root, Docker)
	hack/setup.sh busybox-static && $(KGRACE) upstream-e2e

page: ## test the report in a browser at desktop and phone size (installs chromium if missing)
	hack/setup.sh chromium && hack/verify-report.sh

test: ## run the main checks one after the other, and print their times
	@# STEP=fixed: matrix-default proves the stock and windows steps of intree patch by patch.
	STEP=fixed hack/steps.sh lint verify unit intree matrix-default regression properties regression-node node conformance page e2e-smoke

clean: ## remove built files (not while a node is up)
	hack/clean.sh
