#!/usr/bin/env bash
# Everything that is judged without running it: format, clippy, the purity of the pure crates, the scripts, the recorded
# streams of the demo.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

step "rustfmt"
cargo fmt --all --check

step "clippy"
cargo clippy --workspace --all-targets --locked -- -D warnings

step "purity of core/shell and core/permission"
scripts/check-purity.sh

step "scripts"
for script in scripts/*.sh .ci/run; do
  bash -n "$script"
done
if have shellcheck; then
  shellcheck -x -P SCRIPTDIR scripts/*.sh .ci/run
fi

step "recorded streams"
python3 examples/fix_failing_test/record.py --check
