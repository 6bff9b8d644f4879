# make help lists the targets and how long each takes on two cores.

SHELL := /bin/bash
.DEFAULT_GOAL := help

GO        ?= go
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT    ?= $(shell git rev-parse HEAD 2>/dev/null)
LDFLAGS   := -X main.version=$(VERSION) -X main.commit=$(COMMIT)
TOOLS     := .ci/tools/go.mod
FUZZTIME  ?= 10s
SEEDS     ?= 10000
RUN_FLAGS ?=

# The race detector needs a C compiler. RACE=off leaves it out, RACE=on insists.
RACE ?= auto
CC_FOUND := $(shell command -v $${CC:-gcc} 2>/dev/null || command -v clang 2>/dev/null)
# It watches our code, and not SQLite's, which is C made into Go and most of the
# cost; and it does not hold up the end of each process for a second.
RACE_ON := -race -gcflags=modernc.org/...=-race=false
ifeq ($(RACE),on)
RACE_FLAG := $(RACE_ON)
else ifeq ($(RACE),off)
RACE_FLAG :=
else
RACE_FLAG := $(if $(CC_FOUND),$(RACE_ON),)
endif
ifneq ($(RACE_FLAG),)
export CGO_ENABLED := 1
export GORACE := atexit_sleep_ms=0
endif

# Tests wait more than they compute: for processes, and for one another.
PARALLEL := -parallel 4

.PHONY: help run build test test-long test-github-contract bench simulate-long guards lint vuln fuzz-short cover schemas-update tidy-check

help: ## what each target does, and how long it takes
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-21s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## reviews the newest commit of this checkout with the embedded engine (4 min the first time, then 5 s)
	@bin/reviewctl review . --fail-on never $(RUN_FLAGS)

build: ## builds bin/reviewctl (4 min the first time, then 5 s)
	@mkdir -p bin
	@$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/reviewctl ./cmd/reviewctl

test: ## gofmt, go vet, all tests with short samples, the race detector where a C compiler is (15 min with it)
	@bad=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
	if [ -n "$$bad" ]; then echo "gofmt would change:"; echo "$$bad"; exit 1; fi
	@$(GO) vet ./...
	@if [ -z "$(RACE_FLAG)" ]; then echo "race detector: off (it needs a C compiler: install gcc, or RACE=on to insist)"; else echo "race detector: on"; fi
	$(GO) test -short -timeout 30m $(PARALLEL) $(RACE_FLAG) ./...

test-long: ## all tests with their full samples (15 min)
	$(GO) test -timeout 60m $(PARALLEL) $(RACE_FLAG) ./...

test-github-contract: ## holds the fake GitHub and our requests against what GitHub publishes; needs npm (3 min)
	@.ci/github-contract

bench: ## the benchmarks, each once with its counts (5 min)
	$(GO) test -run '^$$' -bench . -benchmem -timeout 30m ./...

simulate-long: ## the simulation over SEEDS=10000 seeds (1 h)
	$(GO) test -run '^TestSimulate$$' -timeout 4h -v ./actors -sim.seeds $(SEEDS)

guards: ## removes each marked guard in turn and shows the test that fails (15 min; ONLY=REGEXP for some)
	@$(GO) run ./actors/virtual/guards $(if $(ONLY),-only '$(ONLY)')

lint: ## golangci-lint (first time 3 to 6 min to build it, then 1 min)
	@.ci/lint

vuln: ## govulncheck, where its database can be reached (1 min)
	@.ci/vuln

fuzz-short: ## each fuzz target for FUZZTIME=10s (2 min)
	@set -e; for package in $$(git grep -l '^func Fuzz' -- '*_test.go' | xargs -n1 dirname | sort -u); do \
		for target in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$package/*_test.go | cut -d' ' -f2); do \
			echo "$$package $$target"; \
			$(GO) test ./$$package -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x | tail -n 2; \
		done; \
	done

cover: ## tests with coverage; prints the total and writes bin/cover.html (4 min)
	@mkdir -p bin
	@$(GO) test -short -timeout 30m -coverpkg ./... -coverprofile bin/cover.out ./... > bin/cover.txt || { tail -n 50 bin/cover.txt; exit 1; }
	@$(GO) tool cover -html bin/cover.out -o bin/cover.html
	@$(GO) tool cover -func bin/cover.out | tail -n 1

schemas-update: ## writes the schemas of events and golden renderings anew; golden lists only grow (20 s)
	$(GO) test ./events -run 'TestSchemas|TestStored' -update
	$(GO) test ./cmd/reviewctl -run 'TestReviewRenderings' -update

tidy-check: ## go.mod and go.sum say what the code needs (10 s)
	@$(GO) mod tidy -diff
