#!/usr/bin/env bash
# What a Python tool costs, on the release wheel that test-python.sh installs.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
cd "$ROOT"
"$VENV/bin/python" -c 'import toolreeve' 2>/dev/null || die "run make test-python first: it installs the wheel"
"$VENV/bin/python" tests/bench/python_tool.py
