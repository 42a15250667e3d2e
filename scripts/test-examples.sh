#!/usr/bin/env bash
# Builds the examples in Rust, C and C++ and has pytest run them and the Python ones: the demo must give the same results
# in all four. Also runs the one in Node, which needs the program. Needs what test-python.sh and test-c.sh installed.
set -euo pipefail
# Unoptimised unless told otherwise: it is built in a fraction of the time, and its debug assertions are tests too.
export TOOLREEVE_PROFILE="${TOOLREEVE_PROFILE:-dev}"
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

prefix="$CACHE/prefix"
[[ -d "$prefix" ]] || DESTDIR="" PREFIX="$prefix" scripts/install.sh
export TOOLREEVE_EXAMPLES="$CACHE/examples"
rm -rf "$TOOLREEVE_EXAMPLES"
mkdir -p "$TOOLREEVE_EXAMPLES"/{rust,c,cpp}

step "examples in Rust, C and C++, and the program that the one in Node runs"
# The same selection of crates as in test-rust.sh, so that nothing is compiled twice.
cargo build --workspace --examples --bins --locked --quiet
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
read -r -a flags < <(pkg-config --cflags --libs toolreeve)
for source in examples/*.rs; do
  name="$(basename "$source" .rs)"
  cp "$CARGO_TARGET_DIR/debug/examples/$name" "$TOOLREEVE_EXAMPLES/rust/"
done
for source in examples/*.c; do
  gcc -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror "$source" "${flags[@]}" -Wl,-rpath,"$prefix/lib" \
    -o "$TOOLREEVE_EXAMPLES/c/$(basename "$source" .c)"
done
for source in examples/*.cpp; do
  g++ -std=c++17 -Wall -Wextra -Werror "$source" "${flags[@]}" -Wl,-rpath,"$prefix/lib" \
    -o "$TOOLREEVE_EXAMPLES/cpp/$(basename "$source" .cpp)"
done

step "examples"
"$VENV/bin/python" -m pytest tests/examples
