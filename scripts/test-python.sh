#!/usr/bin/env bash
# The Python tests, against a wheel as users get it: built, installed into .venv, never imported from the source folder.
set -euo pipefail
# Unoptimised unless told otherwise: it is built in a fraction of the time, and its debug assertions are tests too.
export TOOLREEVE_PROFILE="${TOOLREEVE_PROFILE:-dev}"
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

step "wheel ($PROFILE)"
wheels="$CACHE/wheels"
rm -rf "$wheels"
"$VENV/bin/maturin" build --quiet --locked --profile "$PROFILE" --interpreter "$VENV/bin/python" --out "$wheels"
"$VENV/bin/python" -m pip install --quiet --no-deps --force-reinstall "$wheels"/toolreeve-*.whl

step "Python tests"
"$VENV/bin/python" -m pytest tests/python

step "types"
"$VENV/bin/python" -m mypy --strict python/toolreeve
"$VENV/bin/python" -m mypy.stubtest toolreeve
