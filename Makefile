# Five commands, the same for people and for CI. `make` alone lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
# npm puts a Node 24 beside our tools on machines that come with an older one.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

INSTALLED := node_modules/.installed
PAGE := apps/dashboard/dist/index.html
PAGE_SOURCES := $(shell git ls-files apps/dashboard packages/contract/src 2>/dev/null)
RESULTS := bench-results
# How often, how long: `make test` runs samples of these.
FAULTS := LEADER_KILLS=20 JOINT_STARTS=20 OUTAGE_SECONDS=60 PART_KILLS=10 LINE_CUTS=100 STORM_SECONDS=60 FREEZES=5
MINUTES ?= 30
# The image that the charts ask for unless they are told otherwise.
VERSION := $(shell sed -n 's/^  "version": "\(.*\)",/\1/p' package.json)
IMAGE ?= bourse:$(VERSION)
# Where run-embedded keeps its ledger and its certificates.
DIR ?= .

.PHONY: help run build check test tools kubernetes cluster bench soak soak-faults soak-peering soak-reflector soak-hostile soak-load docs \
  manifests install uninstall run-broker run-embedded helm format clean packages page lock image schemathesis client release

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-14s %s\n", $$1, $$2 }'

run: $(INSTALLED) $(PAGE) ## start a broker and a demo federation; Ctrl-C stops all of it
	@exec bin/bourse demo $(ARGS)

build: $(INSTALLED) $(PAGE) ## bundle the executable, the live page and a list of what is in them into dist/
	node tools/build.ts

client: $(INSTALLED) ## build @bourse/client for others, JavaScript with types, into packages/client/dist
	node tools/client/build-client.ts

release: build client ## pack dist/, the client and a krew manifest into release/ (HOMEPAGE=https://… of the project)
	@[[ "$(HOMEPAGE)" == https://* ]] || { \
	  echo 'Say where releases are published: make release HOMEPAGE=https://…' >&2; exit 2; }
	node tools/release.ts $(HOMEPAGE)
	npm pack ./packages/client/dist --pack-destination release --loglevel=error

image: ## build the container image (NODE_DIGEST=sha256:… of the base image; IMAGE=name:tag)
	@[[ "$(NODE_DIGEST)" =~ ^sha256:[0-9a-f]{64}$$ ]] || { \
	  echo 'Say which base image, by its digest: make image NODE_DIGEST=sha256:…' >&2; \
	  echo 'docs/installation.md says how to look it up.' >&2; exit 2; }
	docker build --build-arg NODE_DIGEST=$(NODE_DIGEST) --tag $(IMAGE) .

check: $(INSTALLED) ## types, lint, tidy, docs and unit tests
	@STORIES=64 node test/stages.ts check

test: $(INSTALLED) ## everything: check, then real processes, kills, a browser, Kubernetes
	@node test/stages.ts

tools: kubernetes ## build the Kubernetes and the Liqo that tests run on: once, 12 to 17 minutes
	@tools/build-liqo

kubernetes: $(INSTALLED) ## build only that Kubernetes: once, 7 to 10 minutes on two cores
	@tools/build-kubernetes

cluster: $(INSTALLED) kubernetes ## start a Kubernetes to play with (ARGS="--nodes=3"); Ctrl-C stops it
	@exec node packages/testkit/scripts/cluster.ts $(ARGS)

bench: build tools ## measure against the floor; JSON in bench-results/ (ARGS="name…" for some)
	node test/bench/main.ts $(ARGS)

soak: $(INSTALLED) $(PAGE) soak-faults soak-peering soak-reflector soak-hostile soak-load ## the long versions: kills, faults, an hour of load
	KILLS=500 vitest run --project journeys test/journeys/kill.test.ts
	$(MAKE) build
	BENCH_SOAK=10m node test/bench/main.ts memory

.PHONY: simulate planted
simulate: $(INSTALLED) ## stories of the ledger beside a model of it, without end (SECONDS=60 SEED=1 STORIES=1 KEEP=1)
	@SECONDS=$(SECONDS) SEED=$(SEED) STORIES=$(STORIES) LENGTH=$(LENGTH) KEEP=$(KEEP) node test/simulation/main.ts

planted: $(INSTALLED) ## plant bugs, one at a time, and see each found by the simulation
	PLANTED=all vitest run --project unit test/simulation/planted.test.ts

soak-faults: $(INSTALLED) $(PAGE) kubernetes ## every fault of brokers on Kubernetes, in full (ARGS="-t frozen" for one)
	$(FAULTS) vitest run --project cluster test/journeys/leadership/faults.cluster.test.ts $(ARGS)

soak-peering: $(INSTALLED) $(PAGE) tools ## kill either agent at every step of peering and back (ARGS="-t paris" for some)
	PEERING_KILLS=all vitest run --project cluster test/journeys/peering/kills.cluster.test.ts $(ARGS)

# One file at a time: what one attack takes, another would miss.
soak-hostile: $(INSTALLED) $(PAGE) packages schemathesis kubernetes ## every attack in full (ARGS="silent" for one)
	HOSTILE=full vitest run --project journeys --project cluster --no-file-parallelism test/journeys/hostile/$(ARGS)

soak-load: build ## a large federation on one broker for half an hour, then overload (MINUTES=3 for less)
	node test/soak/load.ts $(MINUTES)

soak-reflector: $(INSTALLED) kubernetes ## a watch stays flat in memory for half an hour (MINUTES=5 for less)
	node test/soak/reflector.ts $(MINUTES)

docs: $(INSTALLED) ## write docs/api.md, docs/openapi.json and docs/reference from the sources
	node tools/write-docs.ts

manifests: $(INSTALLED) helm ## write config/, CRDs included, from the schemas and the charts
	node packages/contract/scripts/write-manifests.ts
	node tools/render-config.ts "$$(tools/install-helm --where)"

install: ## install the CRDs into the cluster of the current kubeconfig
	kubectl apply --server-side --filename=config/crd/bases

run-broker: $(INSTALLED) $(PAGE) ## run a broker on the cluster of the current kubeconfig, after make install (ARGS="flags")
	@[ -r "$${KUBECONFIG:-$$HOME/.kube/config}" ] || { \
	  echo "$${KUBECONFIG:-$$HOME/.kube/config} cannot be read, so there is no cluster to run on." >&2; \
	  echo 'make cluster starts a Kubernetes to try; make run-embedded runs a broker without one.' >&2; exit 2; }
	@exec bin/broker --broker-interface=kubernetes \
	  --kubeconfig="$${KUBECONFIG:-$$HOME/.kube/config}" $(ARGS)

run-embedded: $(INSTALLED) $(PAGE) ## run a broker without Kubernetes; certificates and ledger in DIR (ARGS="flags")
	@tools/make-certificates "$(DIR)"
	@exec bin/broker --broker-interface=http --http-cert-path="$(DIR)/pki/broker" --data-dir="$(DIR)/data" $(ARGS)

uninstall: ## take every object and CRD of bourse out of it again, the ledger included
	tools/uninstall-kinds

format: $(INSTALLED) ## format and fix what can be fixed
	biome check --write .

clean: ## remove what was built, not what was installed
	rm -rf dist apps/dashboard/dist packages/client/dist release $(RESULTS)

page: $(PAGE) ## build the live page

# Only for rendering and checking the chart; the cache is shared by all work trees.
helm:
	@tools/install-helm

# Only for the journey that attacks the API with it; the cache is shared by all work trees.
schemathesis:
	@tools/install-schemathesis

packages: ## install the Debian packages that the tests use
	@tools/install-test-packages

# Exactly what the lock has, by its hashes. `npm install NAME`, then `make lock`, changes the lock.
$(INSTALLED): package.json package-lock.json .npmrc $(wildcard apps/*/package.json packages/*/package.json)
	npm ci --loglevel=error
	@touch $@

lock: ## complete package-lock.json after `npm install` has changed it
	npm install --package-lock-only --loglevel=error
	node tools/supply/complete-lock.ts

$(PAGE): $(INSTALLED) $(PAGE_SOURCES)
	@cd apps/dashboard && vite build --logLevel warn
