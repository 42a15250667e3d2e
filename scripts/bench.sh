#!/usr/bin/env bash
# The benchmarks. Numbers and what they are held against: BENCHMARKS.md.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

step "Rust benchmarks"
cargo bench --workspace --locked --benches

for script in tests/bench/*.sh; do
  if [[ -e "$script" ]]; then
    step "$script"
    bash "$script"
  fi
done
