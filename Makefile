# Every target calls cmd/ or hack/, which do the work.

# The toolchain that versions.yaml pins for its default minor.
export GOTOOLCHAIN := $(shell hack/go-toolchain.sh)
ifeq ($(GOTOOLCHAIN),)
$(error versions.yaml names no toolchain: see above)
endif
export GOFLAGS := -trimpath -buildvcs=false
# As in the kubelets, so that their packages are compiled once. What needs cgo (runc, the race detector) asks for it.
export CGO_ENABLED := 0

# make turns every failure into its own exit code, 2. To see kgrace's (kgrace --help), run this program.
OUTPUT := $(or $(KGRACE_OUTPUT),_output)
KGRACE := $(OUTPUT)/bin/kgrace

# MINOR=v1.36 selects another minor. A target that works on one kubelet takes it; any other refuses it.
FOR_MINOR = $(if $(MINOR),--kubernetes $(MINOR))
TAKE_MINOR := tree build intree matrix regression regression-node e2e e2e-smoke properties properties-soak mutants mutants-node bench \
 e2e-node image release soak scale scale-smoke scale-sim upstream-e2e
NEED_NO_MINOR := setup kgrace help
ifneq ($(MINOR),)
$(foreach target,$(filter-out $(TAKE_MINOR) $(NEED_NO_MINOR),$(or $(MAKECMDGOALS),help)),$(error make $(target) takes no MINOR; these do: $(TAKE_MINOR)))
endif

.DEFAULT_GOAL := help
# Concurrent go builds only compete for memory.
.NOTPARALLEL:
.PHONY: kgrace clusters help setup tree build lint verify update unit intree matrix matrix-default regression regression-node record properties properties-soak fuzz soak scale scale-smoke scale-sim mutants mutants-node bench e2e-node node conformance upstream-e2e page test clean e2e e2e-smoke check check-test release release-test install-test image image-setup image-teardown image-test

##@ Begin

help: ## print this help
	@awk -F ':.*## ' '/^##@ / {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9][a-z0-9-]*:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@printf '\nMINOR=v1.36 selects another Kubernetes minor, for:\n  %s\n' '$(TAKE_MINOR)'
	@printf 'A target that fails exits with 2, whatever failed; $(KGRACE) has exit codes that tell (--help).\n'

setup: ## install the Debian packages for builds and nodes (root)
	hack/setup.sh

kgrace: ## build the program that the targets run: _output/bin/kgrace
	go build -o $(KGRACE) ./cmd/kgrace

regression: kgrace ## the main job: run every scenario on both arms, simulated, in virtual time (no root)
	$(KGRACE) regress --level sim $(FOR_MINOR)

test: ## run the main checks one after the other, and print their times
	@# STEP=fixed: matrix-default proves the stock and windows steps of intree patch by patch.
	STEP=fixed hack/steps.sh lint verify unit intree matrix-default regression properties regression-node node conformance scale-smoke page e2e-smoke

clean: ## remove built files (not while a node is up)
	hack/clean.sh

##@ Prove the patches

intree: kgrace ## upstream's tests of the touched packages on the fixed tree; the series' own must fail on stock; STEP=fixed for one step
	$(KGRACE) intree $(FOR_MINOR) $(if $(STEP),--step $(STEP))

matrix: kgrace ## prove every patch on every minor: applies, builds, tests red without it and green with it, scenarios (hours at first; results are kept)
	$(KGRACE) matrix $(FOR_MINOR)

matrix-default: kgrace ## the same for the default minor only
	$(KGRACE) matrix --kubernetes default

properties: kgrace ## run 5,000 random scenarios on each arm, simulated, and compare 5,000 unhurried ones with stock; the same ones each time
	$(KGRACE) properties $(FOR_MINOR)
	$(KGRACE) properties --kind requests --arm fixed --runtime crio $(FOR_MINOR)
	$(KGRACE) properties --kind unhurried --runtime crio $(FOR_MINOR)

properties-soak: kgrace ## the same with other scenarios each time: the seed is from the clock and printed; HISTORIES=100000 for more
	$(KGRACE) properties --seed 0 $(FOR_MINOR) $(if $(HISTORIES),--histories $(HISTORIES))

fuzz: ## run every fuzz target for FUZZTIME each (default 1m); TARGETS="FuzzRead ..." for some of them
	FUZZTIME=$(or $(FUZZTIME),1m) hack/fuzz.sh $(TARGETS)

mutants: kgrace ## apply one deliberate bug at a time to the fix: each must be caught
	$(KGRACE) mutants $(FOR_MINOR)

bench: kgrace ## benchmark UpdatePod on both arms: no slowdown above 5 % (needs an idle machine)
	$(KGRACE) bench $(FOR_MINOR)

##@ On real nodes and clusters

regression-node: kgrace ## run every scenario on both arms on a real node (root)
	$(KGRACE) regress --level node $(FOR_MINOR)

scale: kgrace ## end 60 pods of one node at once: stock, fixed, and the runtime alone (root); PODS=60,110,250,500 for more
	$(KGRACE) scale $(if $(PODS),--pods $(PODS)) $(FOR_MINOR)

scale-smoke: kgrace ## the same with 20 pods on the fixed arm and by the runtime alone (root)
	$(KGRACE) scale --pods 20 --arm fixed $(FOR_MINOR)

scale-sim: kgrace ## shorten 100, 300 and 1,000 pods of one simulated node at random, and compare how the time grows
	$(KGRACE) scale --level sim $(FOR_MINOR)

soak: kgrace ## end random pods on a real node of the fixed arm for FOR (default 30m) and disturb it; SEED=7 for the same pods again (root)
	$(KGRACE) soak --for $(or $(FOR),30m) $(if $(SEED),--seed $(SEED)) $(FOR_MINOR)

mutants-node: kgrace ## the same with real kubelets on real nodes: each bug must be red in the scenarios that it names (root)
	$(KGRACE) mutants --level node $(FOR_MINOR)

e2e-node: kgrace ## run Kubernetes' own node e2e suite on real nodes of both arms: the series' and upstream's specs (root)
	hack/setup.sh busybox-static && $(KGRACE) e2e-node $(FOR_MINOR)

e2e: kgrace ## run every scenario of the kind level on a kind cluster for each arm (root; starts a Docker engine if none runs)
	$(KGRACE) e2e --setup $(FOR_MINOR)

e2e-smoke: kgrace ## run three of them: force delete a pod, one with a hook and one of a StatefulSet
	$(KGRACE) e2e --setup --smoke $(FOR_MINOR)

upstream-e2e: kgrace ## run upstream's e2e specs about pod termination on kind clusters of both arms (root, Docker)
	hack/setup.sh busybox-static && $(KGRACE) upstream-e2e $(FOR_MINOR)

##@ Build

tree: kgrace ## lay out the source trees, stock and fixed
	$(KGRACE) tree $(FOR_MINOR)

build: kgrace ## build the programs of a node, both kubelets included
	$(KGRACE) build $(FOR_MINOR)

image: kgrace ## build kind node images with the stock and the fixed kubelet from Go modules and Debian packages (root, Docker)
	$(KGRACE) image build --from modules --arm stock $(FOR_MINOR) && $(KGRACE) image build --from modules --arm fixed $(FOR_MINOR)

release: kgrace ## write a directory to install the fixed kubelet from: _output/release/MINOR
	$(KGRACE) release $(FOR_MINOR)

image-setup: kgrace ## install and start a Docker engine if none runs (root)
	$(KGRACE) image setup

image-teardown: kgrace ## stop the engine that image-setup started, and restore packet filter, bridges and forwarding
	$(KGRACE) image teardown

check: ## build the cluster check, one static program: _output/check/kubectl-kgrace
	go build -C cmd/kubectl-kgrace -o $(abspath $(OUTPUT))/check/kubectl-kgrace .

##@ Work on kgrace

lint: ## gofmt, go vet, shellcheck, actionlint
	hack/verify-lint.sh

verify: kgrace ## check that patches, copied and generated files agree
	$(KGRACE) verify

update: kgrace ## update copied and generated files
	$(KGRACE) update

unit: ## unit tests of this project: no root, no trees, virtual time
	go test ./cmd/... ./internal/... ./pkg/... github.com/kgrace/kgrace/cmd/kubectl-kgrace/...

node: build ## test real nodes and the proxy: start, stop, crash; nothing is left (root)
	KGRACE_NODE_BIN=$(abspath $(OUTPUT))/bin go test -count=1 ./internal/localnode ./internal/criproxy

conformance: ## compare the simulated runtime with a real containerd: the same calls, the same trace (root)
	hack/setup.sh busybox-static
	KGRACE_CONFORMANCE=1 go test -count=1 ./internal/sim/conformance

clusters: image ## test real kind clusters: start, disturb, interrupt; nothing is left (root, Docker)
	KGRACE_CLUSTERS=1 go test -count=1 -timeout=20m ./internal/kindcluster

image-test: image ## test node images from every source, an interrupt, a cluster, and a Docker engine in a network of its own (root)
	KGRACE_IMAGE=1 go test -count=1 -timeout=30m ./internal/bare ./internal/kindnode

release-test: ## write a release twice, in two directories with two build caches, and compare (compiles each kubelet twice)
	KGRACE_RELEASE_TWICE=1 go test -count=1 -timeout=3h -run TestRealTwice ./internal/release

install-test: check release ## follow a release's INSTALL.md on a stock kind cluster: install, check, roll back (root, Docker)
	hack/setup.sh busybox-static && hack/build-kind-image.sh --from modules --arm stock
	KGRACE_CHECK_PROGRAM=$(CURDIR)/_output/check/kubectl-kgrace KGRACE_RELEASE=$(abspath $(OUTPUT))/release/$(shell awk '$$1 == "default:" { print $$2 }' versions.yaml) KGRACE_CHECK_CLUSTER=1 go test -count=1 -timeout=40m -run TestInstall ./test/check

check-test: build check ## test the cluster check on real nodes of both arms, on a kind cluster with one of each, and on twenty fake nodes (root, Docker)
	hack/setup.sh busybox-static && $(KGRACE) image build --from modules --arm stock
	KGRACE_CHECK_PROGRAM=$(abspath $(OUTPUT))/check/kubectl-kgrace go test -count=1 -run TestTwentyNodes github.com/kgrace/kgrace/cmd/kubectl-kgrace/check
	KGRACE_CHECK_PROGRAM=$(abspath $(OUTPUT))/check/kubectl-kgrace KGRACE_NODE_BIN=$(abspath $(OUTPUT))/bin KGRACE_CHECK_CLUSTER=1 go test -count=1 -timeout=40m ./test/check

page: ## test the report in a browser at desktop and phone size (installs chromium if missing)
	hack/setup.sh chromium && hack/verify-report.sh

record: kgrace ## record a scenario on real nodes for the judges' tests: make record SCENARIO=force-direct (root)
	hack/record.sh $(SCENARIO)
