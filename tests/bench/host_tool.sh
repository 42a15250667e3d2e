#!/usr/bin/env bash
# The cost of a host-written tool from C, against an installed release copy.
set -euo pipefail
source "$(dirname "$0")/../../scripts/lib.sh"
cd "$ROOT"

prefix="$CACHE/prefix"
[[ -d "$prefix" ]] || DESTDIR="" PREFIX="$prefix" scripts/install.sh
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
read -r -a flags < <(pkg-config --cflags --libs toolreeve)
gcc -std=c11 -O2 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror tests/bench/host_tool.c "${flags[@]}" \
  -Wl,-rpath,"$prefix/lib" -o "$CACHE/bench-host-tool"
"$CACHE/bench-host-tool" "$@"
