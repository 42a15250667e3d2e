#!/usr/bin/env bash
# The C and C++ tests, against an installed copy: the header alone, the pkg-config file, the CMake package, what the
# library exports, and every program in tests/c, shared and static and once more under valgrind.
set -euo pipefail
# Unoptimised unless told otherwise: it is built in a fraction of the time, and its debug assertions are tests too.
export TOOLREEVE_PROFILE="${TOOLREEVE_PROFILE:-dev}"
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

prefix="$CACHE/prefix"
rm -rf "$prefix"
DESTDIR="" PREFIX="$prefix" scripts/install.sh

step "headers compile alone"
for header in "$prefix"/include/*.h; do
  gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c "$header"
done
for header in "$prefix"/include/*.h "$prefix"/include/*.hpp; do
  if [[ -e "$header" ]]; then
    g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ "$header"
  fi
done

step "exports"
foreign="$(nm -D --defined-only "$prefix/lib/libtoolreeve.so" | awk '$3 !~ /^toolreeve_/ {print $3}')"
[[ -z "$foreign" ]] || die "the library exports what is not its own: $foreign"

step "pkg-config"
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
[[ "$(pkg-config --modversion toolreeve)" == "$VERSION" ]] || die "toolreeve.pc does not say $VERSION"
# One program by hand, the way a Makefile would do it; all of them with CMake below.
programs=(tests/c/*.c)
[[ -e "${programs[0]}" ]] || die "tests/c holds no C program"
read -r -a flags < <(pkg-config --cflags --libs toolreeve)
gcc -std=c11 -Wall -Wextra -Werror "${programs[0]}" "${flags[@]}" -Wl,-rpath,"$prefix/lib" -o "$CACHE/by-hand"
"$CACHE/by-hand"

step "C and C++ tests"
build="$CACHE/c"
rm -rf "$build"
"$VENV/bin/cmake" -S tests/c -B "$build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug >"$CACHE/cmake.log" ||
  { cat "$CACHE/cmake.log" && die "cmake failed"; }
"$VENV/bin/cmake" --build "$build" --parallel 2 >>"$CACHE/cmake.log" ||
  { cat "$CACHE/cmake.log" && die "the C and C++ tests do not compile"; }
"$VENV/bin/ctest" --test-dir "$build" --output-on-failure --timeout 300
