#!/usr/bin/env bash
# The Rust tests: every crate, every example, the layer test, the documentation's examples.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

step "Rust tests"
cargo nextest run --workspace --locked --no-fail-fast

step "Rust documentation tests"
cargo test --doc --workspace --locked --quiet
