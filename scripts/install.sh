#!/usr/bin/env bash
# Installs the C library: headers, shared and static library, pkg-config file, CMake package.
# DESTDIR (staging folder) and PREFIX (default /usr/local) come from the environment.
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

PREFIX="${PREFIX:-/usr/local}"
[[ "$PREFIX" == /* ]] || die "PREFIX must be an absolute path, not $PREFIX"
to="${DESTDIR:-}$PREFIX"
# Before 1.0 the second number may change the ABI, so it is part of the name that programs link to (ffi/build.rs).
abi="${VERSION%.*}"

step "C library ($PROFILE)"
# Without the crate type rlib: cargo optimises across crates only when it is not asked for.
cargo rustc --package toolreeve-ffi --lib --profile "$PROFILE" --locked --crate-type cdylib,staticlib

step "install to $to"
built="$CARGO_TARGET_DIR/$(profile_dir)"
install -d "$to/include" "$to/lib/pkgconfig" "$to/lib/cmake/toolreeve" "$to/share/doc/toolreeve"
install -m 644 include/*.h "$to/include/"
for header in include/*.hpp; do
  if [[ -e "$header" ]]; then install -m 644 "$header" "$to/include/"; fi
done
install -m 755 "$built/libtoolreeve_ffi.so" "$to/lib/libtoolreeve.so.$VERSION"
ln -sfn "libtoolreeve.so.$VERSION" "$to/lib/libtoolreeve.so.$abi"
ln -sfn "libtoolreeve.so.$abi" "$to/lib/libtoolreeve.so"
install -m 644 "$built/libtoolreeve_ffi.a" "$to/lib/libtoolreeve.a"
install -m 644 LICENSE-MIT LICENSE-APACHE CHANGELOG.md "$to/share/doc/toolreeve/"

# fill TEMPLATE FILE: writes a template with its values.
fill() {
  sed -e "s|@PREFIX@|$PREFIX|g" -e "s|@VERSION@|$VERSION|g" -e "s|@ABI@|$abi|g" "$1" >"$2"
}
fill scripts/templates/toolreeve.pc.in "$to/lib/pkgconfig/toolreeve.pc"
fill scripts/templates/toolreeveConfig.cmake.in "$to/lib/cmake/toolreeve/toolreeveConfig.cmake"
fill scripts/templates/toolreeveConfigVersion.cmake.in "$to/lib/cmake/toolreeve/toolreeveConfigVersion.cmake"
