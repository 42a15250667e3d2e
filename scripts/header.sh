#!/usr/bin/env bash
# Writes include/toolreeve.h from ffi/src; with --check only says whether the checked-in header is up to date.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

have cbindgen || scripts/setup.sh c
generate=(cbindgen ffi --config ffi/cbindgen.toml --quiet)
if [[ "${1:-}" == --check ]]; then
  fresh="$(mktemp)"
  trap 'rm -f "$fresh"' EXIT
  "${generate[@]}" --output "$fresh" >/dev/null
  diff -u include/toolreeve.h "$fresh" || die "include/toolreeve.h is out of date; run: make header"
  echo "include/toolreeve.h is up to date"
else
  "${generate[@]}" --output include/toolreeve.h >/dev/null
fi
