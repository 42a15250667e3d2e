#!/usr/bin/env bash
# Licences, sources, duplicates and advisories of all dependencies, by deny.toml. Needs the network for the advisories.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

have cargo-deny || die "cargo-deny is missing; install it with: cargo install cargo-deny --locked"
cargo deny check "$@"
