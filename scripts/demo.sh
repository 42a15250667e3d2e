#!/usr/bin/env bash
# The demo: a recorded model fixes a failing test in a copy of a small project. The answers stream at the pace of
# pace.json; the tools really run. Everything happens in a temporary folder.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

scripts/setup.sh rust
step "build"
cargo build --package toolreeve --bin toolreeve --locked --quiet

demo="$ROOT/examples/fix_failing_test"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 "$demo/prepare.py" "$work/project"

prompt="$(cat "$demo/prompt.txt")"
step "demo: $prompt"
# The one command that the settings neither allow nor deny is approved here, as a person would.
"$CARGO_TARGET_DIR/debug/toolreeve" run "$demo"/turn-*.sse --cwd "$work/project" --settings "$demo/settings.json" \
  --prompt "$prompt" --pace "$demo/pace.json" --approve 'Bash(python3 run_tests.py)'

step "the project's tests, run once more from outside"
python3 "$work/project/run_tests.py"
