# The face of the project. Every target is one line that calls cmd/ or hack/; the work is there.

# One toolchain for everything: the one that versions.yaml pins for its default minor.
export GOTOOLCHAIN := $(shell hack/go-toolchain.sh)
export GOFLAGS := -trimpath -buildvcs=false
KGRACE = go run ./cmd/kgrace

.DEFAULT_GOAL := help
# Two go builds at a time only take each other's memory.
.NOTPARALLEL:
.PHONY: clusters help setup tree build lint verify ci-lint update unit intree matrix matrix-default regression regression-node record properties properties-soak mutants mutants-node bench e2e-node node conformance upstream-e2e page test clean e2e e2e-smoke check check-test image image-setup image-teardown image-test

help: ## print this help
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install the Debian packages that builds and nodes need (root)
	hack/setup.sh

tree: ## lay out the source trees, stock and fixed
	$(KGRACE) tree

build: ## build everything that a node runs, both kubelets included
	$(KGRACE) build

lint: ## gofmt, go vet, shellcheck
	hack/verify-lint.sh

verify: ## prove that patches, vendored and generated files agree with each other
	$(KGRACE) verify

ci-lint: ## actionlint on the workflows of ci/
	hack/verify-ci.sh

update: ## update vendored and generated files
	$(KGRACE) update

unit: ## this project's unit tests: no root, no tree, virtual time
	go test ./cmd/... ./internal/... ./pkg/...

intree: ## upstream's tests of the touched packages on the fixed tree; the series' own must fail on stock; STEP=fixed for a part
	$(KGRACE) intree $(if $(STEP),--step $(STEP))

matrix: ## prove every patch on every minor: applies, builds, its tests red without it and green with it, its scenarios (hours when cold; kept cells stay)
	$(KGRACE) matrix

matrix-default: ## the same for the default minor alone
	$(KGRACE) matrix --kubernetes default

regression: ## every scenario on both arms, simulated, in virtual time: needs Go and git, no root; MINOR=v1.36 for another minor
	$(KGRACE) regress --level sim $(if $(MINOR),--kubernetes $(MINOR))

regression-node: ## the main job: every scenario on both arms, on a real node (root); MINOR=v1.36 for another minor
	$(KGRACE) regress $(if $(MINOR),--kubernetes $(MINOR))

record: ## record a scenario on real nodes for the tests of the judges: make record SCENARIO=force-direct (root)
	hack/record.sh $(SCENARIO)

e2e: ## every scenario of the kind level on a kind cluster for each arm (root; a Docker engine is started where none runs)
	$(KGRACE) e2e --setup $(if $(MINOR),--kubernetes $(MINOR))

e2e-smoke: ## three scenarios of it: image build, cluster, force of a pod, a hook and a StatefulSet's pod
	$(KGRACE) e2e --setup --smoke

clusters: image ## kind clusters themselves, for real: up, disturbed, cut short, and nothing left behind (root, Docker)
	KGRACE_CLUSTERS=1 go test -count=1 -timeout=20m ./internal/kindcluster

properties: ## 5,000 random scenarios on each arm, simulated, judged by the same judges, and 5,000 that nobody hurries, compared with stock; the same ones each time
	$(KGRACE) properties
	$(KGRACE) properties --kind unhurried --runtime crio

properties-soak: ## the same with a seed from the clock, which is printed, so with other scenarios each time; HISTORIES=100000 for more
	$(KGRACE) properties --seed 0 $(if $(HISTORIES),--histories $(HISTORIES))

mutants: ## apply one deliberate bug at a time to the fix: each must be caught
	$(KGRACE) mutants

mutants-node: ## the same with real kubelets on real nodes: each bug must be red in the scenarios that it names (root)
	$(KGRACE) mutants --level node

bench: ## UpdatePod of both arms by turns, compared by benchstat: no slowdown above 5 % (let the machine rest)
	$(KGRACE) bench

e2e-node: ## Kubernetes' own node e2e suite on real nodes of both arms: the series' specs and upstream's beside them (root)
	hack/setup.sh busybox-static && $(KGRACE) e2e-node

conformance: ## the simulated runtime against a real containerd: the same calls, the same trace (root)
	KGRACE_CONFORMANCE=1 go test -count=1 ./internal/sim/conformance

node: build ## the node itself and the proxy, for real: ups, downs, crashes, and nothing left behind (root)
	KGRACE_NODE_BIN=$(CURDIR)/_output/bin go test -count=1 ./internal/localnode ./internal/criproxy

check: ## build the check of clusters, one static program: _output/check/kubectl-kgrace
	CGO_ENABLED=0 go build -trimpath -o _output/check/kubectl-kgrace ./cmd/kubectl-kgrace

check-test: build check ## the check of clusters on real nodes of both arms, on a kind cluster with one of each, and on twenty fake nodes (root, Docker)
	hack/setup.sh busybox-static && hack/build-kind-image.sh --from modules --arm stock
	KGRACE_CHECK_PROGRAM=$(CURDIR)/_output/check/kubectl-kgrace go test -count=1 -run TestTwentyNodes ./internal/check
	KGRACE_CHECK_PROGRAM=$(CURDIR)/_output/check/kubectl-kgrace KGRACE_NODE_BIN=$(CURDIR)/_output/bin KGRACE_CHECK_CLUSTER=1 go test -count=1 -timeout=40m ./test/check

image: ## kind node images with the stock and the fixed kubelet, everything from Go modules and Debian packages (root, Docker)
	hack/build-kind-image.sh --from modules --arm stock && hack/build-kind-image.sh --from modules --arm fixed

image-setup: ## install and start a Docker engine if none runs (root)
	$(KGRACE) image setup

image-teardown: ## stop the engine that image-setup started, and restore packet filter, bridges and forwarding
	$(KGRACE) image teardown

image-test: image ## node images from every source, an interrupt, a cluster; a Docker engine up and down in a network of its own (root)
	KGRACE_IMAGE=1 go test -count=1 -timeout=30m ./internal/docker ./internal/kindnode

upstream-e2e: ## upstream's own end-to-end specs about the end of a pod on kind clusters of both arms (root, Docker)
	hack/setup.sh busybox-static && $(KGRACE) upstream-e2e

page: ## the report in a real browser, on a desk and on a phone (installs chromium where it is missing)
	hack/setup.sh chromium && hack/verify-report.sh

test: ## run all checks above one after the other, and print how long each took
	@# matrix-default proves patch by patch that the series' tests fail on stock and that it builds for Windows.
	STEP=fixed hack/steps.sh lint verify unit intree matrix-default regression properties regression-node node conformance page e2e-smoke

clean: ## remove what kgrace built (not while a node is up)
	hack/clean.sh
