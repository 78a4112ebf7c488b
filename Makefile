# `make dev` and `make test` work on a fresh Debian machine with rustup's Rust and Node 20:
# whatever else they need, scripts/setup brings first.
SHELL := bash
MAKEFLAGS += --no-print-directory
tarball := build/mcp-sieve-$(shell sed -n 's/^version = "\(.*\)"$$/\1/p' Cargo.toml).tgz
.PHONY: help setup tools dev-tools build tracker dev package test fleet fuzz fuzz-filter stress crossings scale ceilings attack cluster misbehaving quality bench instructions sizes picture fmt lint deploy clean

help:    ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile

setup:   ## bring every tool that building and testing needs
	@scripts/setup test

build: worker/build/index.js pkg/dist/oauth.js pkg/dist/worker/index.js build/site/index.html  ## package, Worker and page

tracker: examples/tracker/build/index.js  ## the example that `make dev` serves

dev: tracker build/dev/site/index.html  ## serve the page and /mcp on 127.0.0.1:8787 (UPSTREAM=url CONFIG=file PORT=n)
	@UPSTREAM='$(UPSTREAM)' CONFIG='$(CONFIG)' PORT='$(PORT)' exec node scripts/serve.mjs

package: $(tarball)  ## the npm package as one file, a development build; npx runs it
	@printf '\n%s is ready. In any folder:\n\n  npx file:%s --help\n\n' '$(tarball)' '$(CURDIR)/$(tarball)'

test: setup  ## every check, as CI runs it
	@scripts/test

fleet: setup package  ## import a host with 39 servers of npm, PyPI and over HTTP, about three minutes
	@scripts/setup-fleet
	@SIEVE_FLEET=full node --test tests/first-use/import.test.mjs

fuzz:  ## mutations of the corpus for longer (TARGET=name SECONDS=n SEED=n)
	@TARGET='$(TARGET)' SECONDS='$(SECONDS)' SEED='$(SEED)' nice -n 19 cargo test --profile fuzz --test fuzz -- --ignored --nocapture on_demand

fuzz-filter:  ## filters beside their oracle, 10^8 random ones (CASES=n SEED=n)
	@CASES='$(CASES)' SEED='$(SEED)' nice -n 19 cargo test --profile fuzz --test properties -- --ignored --nocapture many_times

stress: setup build tracker  ## bad clients and servers at full size, two minutes; writes tests/stress/README.md
	@node tests/stress/run.mjs

crossings: setup worker/build/index.js  ## 10,000 requests of two callers to three servers that sign them in, a few minutes
	@CALLS=10000 node --test --test-force-exit tests/sign-in-crossing.test.mjs

scale: setup worker/build/index.js  ## growth curves and faulty servers at full size, about ten minutes; a section of benches/RESULTS.md (ONLY=pattern)
	@node benches/scale/run.mjs $(if $(ONLY),'$(ONLY)')

ceilings: setup build tracker  ## requests a second of one object of each class, three minutes; a section of benches/RESULTS.md (QUICK=1 prints it)
	@node benches/ceilings/run.mjs $(if $(QUICK),quick)

attack: setup build tracker  ## every class of attack at full size, about twenty minutes (SEED=n); writes tests/attacks/README.md
	@SEED='$(SEED)' node tests/attacks/run.mjs

cluster: setup build tracker  ## three nodes that share a bucket, under load and one fault after the other, ten minutes (MINUTES=n ONLY=pattern); a section of docs/scaling.md
	@MINUTES='$(MINUTES)' ONLY='$(ONLY)' node tests/cluster/run.mjs

misbehaving: setup build  ## servers that misbehave, at all clients and commands, about ten minutes; writes tests/upstream/README.md (ONLY=pattern CLIENTS=keep)
	@ONLY='$(ONLY)' CLIENTS='$(CLIENTS)' node tests/misbehaving/run.mjs

quality: setup build tracker  ## how well scanners and searches find, and the page's marks (SIEVE_DATA=folder for cases of others)
	@scripts/quality

bench: setup build tracker  ## ours beside the peers; writes benches/RESULTS.md (scripts/bench-scanners: scanners alone)
	@scripts/bench

instructions: setup  ## count the instructions of eleven cases beside benches/instructions/counts.json (UPDATE=1 writes it)
	@UPDATE='$(UPDATE)' node benches/instructions/run.mjs

sizes:   ## print the sizes of the built modules beside benches/sizes.json (UPDATE=1 writes it)
	@UPDATE='$(UPDATE)' node scripts/size.mjs

picture: setup build tracker  ## take the pictures of the page anew: tests/page.png and docs/budget-*.png
	@UPDATE_PICTURE=1 node --test --test-name-pattern 'has its picture taken' tests/page-look.test.mjs tests/page-budget.test.mjs

fmt:     ## format the Rust sources, the JavaScript of the package and the page, and the rows of the protocol
	@scripts/setup-npm tools
	@cargo fmt --all
	@tests/node_modules/@biomejs/cli-linux-x64/biome format --write .

lint: setup  ## formatting, clippy and rustdoc, warnings denied
	@scripts/lint

deploy: build  ## to Cloudflare, with wrangler's own login
	@scripts/setup-npm tools
	@scripts/deploy

clean:   ## remove what was built; the tools stay
	rm -rf target build pkg/dist worker/build examples/tracker/build tests/conformance/worker/build

# ---- what is built, and from what ----

tools:
	@scripts/setup build

dev-tools:
	@scripts/setup dev

engine := Cargo.toml Cargo.lock .cargo/config.toml $(shell find src crates/redact crates/gateway -type f)
bindings := $(shell find crates/bindings -type f)
worker := $(wildcard worker/Cargo.toml worker/deploy/Cargo.toml) $(shell find worker/src worker/deploy/src -type f)
tracker := examples/tracker/Cargo.toml $(shell find examples/tracker/src -type f)
oauth := $(wildcard worker/oauth/*.js) scripts/build-oauth scripts/package-lock.json
entry := $(wildcard worker/*.js) $(oauth) scripts/build-worker
shipped := worker/worker.js worker/wrangler.jsonc crates/gateway/src/config/sieve.schema.json docs/configuration.md docs/expressions.md scripts/deployment.mjs scripts/build-shipped
page := $(shell find web/page pkg -type f -not -path 'pkg/dist/*') scripts/build-page

pkg/dist/sieve_bg.wasm: $(engine) $(bindings) scripts/build-package $(wildcard scripts/split/Cargo.* scripts/split/src/*.rs) | tools
	scripts/build-package

pkg/dist/oauth.js: $(oauth) | tools
	scripts/build-oauth $@

worker/build/index.js: $(engine) $(worker) $(entry) | tools
	scripts/build-worker sieve-edge worker/build

examples/tracker/build/index.js: $(engine) $(worker) $(tracker) $(entry) | dev-tools
	scripts/build-tracker

pkg/dist/worker/index.js: worker/build/index.js $(shipped)
	scripts/build-shipped

# The page of the package, and the same page as a site.
pkg/dist/page/index.html: $(page) pkg/dist/sieve_bg.wasm | tools
	scripts/build-page

build/site/index.html: pkg/dist/page/index.html scripts/build-site README.md $(wildcard docs/*.md)
	scripts/build-site build/site

# What `make dev` serves: the same sources, compiled for a short wait.
build/dev/site/index.html: $(engine) $(bindings) $(oauth) $(page) scripts/build-dev scripts/build-site scripts/unpack | dev-tools
	scripts/build-dev

build/dev/worker/index.js: $(engine) $(worker) $(entry) | dev-tools
	scripts/build-worker sieve-edge build/dev/worker quick

$(tarball): build/dev/site/index.html build/dev/worker/index.js $(shipped) scripts/build-tarball
	scripts/build-tarball $@
