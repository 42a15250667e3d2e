# The two commands that matter: `make demo` shows the main job, `make test` runs every test. Both set up what they need.
# Everything is done by the scripts in scripts/; this file only names it.

.DEFAULT_GOAL := help
.PHONY: oracle help demo test setup test-rust test-python test-c test-examples lint header header-check install bench audit

help:            ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

demo:            ## a recorded model fixes a failing test, live
	scripts/demo.sh

test:            ## set up, then run every test and lint
	$(MAKE) setup
	$(MAKE) lint
	$(MAKE) test-rust
	$(MAKE) test-python
	$(MAKE) header-check
	$(MAKE) test-c
	$(MAKE) test-examples

setup:           ## install what is missing
	scripts/setup.sh rust python c

test-rust:       ## Rust tests and documentation tests
	scripts/test-rust.sh

test-python:     ## Python tests on the built wheel
	scripts/test-python.sh

test-c:          ## C and C++ tests on an installed copy
	scripts/test-c.sh

test-examples:   ## the examples in all four languages
	scripts/test-examples.sh

lint:            ## format, clippy, purity, scripts
	scripts/lint.sh

header:          ## write include/toolreeve.h anew
	scripts/header.sh

header-check:    ## is include/toolreeve.h up to date?
	scripts/header.sh --check

install:         ## install the C library (DESTDIR, PREFIX)
	DESTDIR="$(DESTDIR)" PREFIX="$(or $(PREFIX),/usr/local)" scripts/install.sh

oracle:          ## fuzz the shell analyzer against real shells (SECONDS=120 SEED=1)
	tests/oracle/run.sh $(or $(SECONDS),120) $(or $(SEED),1)

bench:           ## run the benchmarks
	scripts/bench.sh

audit:           ## licences and advisories of the dependencies (needs cargo-deny)
	scripts/audit.sh
