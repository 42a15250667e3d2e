#!/usr/bin/env bash
# Installs by name whatever a part of the work needs and the machine lacks. What is there already is left alone.
# usage: setup.sh [rust] [python] [c]
set -euo pipefail
source "$(dirname "$0")/lib.sh"
cd "$ROOT"

REQUIREMENTS="python/requirements-dev.txt"
CBINDGEN="0.29.4"

apt_updated=""
# apt_install PACKAGE: installs a Debian package.
apt_install() {
  have apt-get || die "install the package $1 (this machine has no apt-get to do it with)"
  if [[ -z "$apt_updated" ]]; then
    apt-get update -q
    apt_updated=yes
  fi
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$1"
}

# need COMMAND PACKAGE: installs the package if the command is missing.
need() {
  have "$1" || apt_install "$2"
}

setup_rust() {
  have cargo || die "cargo is missing; install Rust 1.95 or later"
  need cc gcc
  need git git
  if ! have cargo-nextest; then
    step "cargo-nextest"
    CARGO_TARGET_DIR="$CACHE/tools-target" cargo install cargo-nextest --locked --root "$TOOLS"
  fi
}

setup_python() {
  need python3 python3
  if [[ ! -x "$VENV/bin/python" ]]; then
    step "virtual environment"
    python3 -c 'import ensurepip' 2>/dev/null || apt_install python3-venv
    python3 -m venv "$VENV"
  fi
  # pip is asked only when something changed: the file says what was installed last.
  if ! cmp --silent "$REQUIREMENTS" "$VENV/.installed"; then
    step "maturin, pytest, mypy, cmake"
    "$VENV/bin/python" -m pip install --quiet --requirement "$REQUIREMENTS"
    cp "$REQUIREMENTS" "$VENV/.installed"
  fi
}

setup_c() {
  need gcc gcc
  need g++ g++
  need pkg-config pkg-config
  need valgrind valgrind
  need node nodejs # the example that reads the bash rows from another language
  if ! cbindgen --version 2>/dev/null | grep -qF "$CBINDGEN"; then
    step "cbindgen $CBINDGEN"
    CARGO_TARGET_DIR="$CACHE/tools-target" cargo install cbindgen --version "$CBINDGEN" --locked --root "$TOOLS"
  fi
}

for part in "${@:-rust}"; do
  case "$part" in
    rust | python | c) "setup_$part" ;;
    *) die "setup.sh knows rust, python and c, not $part" ;;
  esac
done
