# Shared by the other scripts: where things are, and how a step is announced. Sourced, never run.
# shellcheck shell=bash

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
export ROOT

# Build products may live outside the clone, so that a second clone finds them again.
if [[ -n "${CI:-}" ]]; then
  CACHE="${TOOLREEVE_CACHE:-/var/tmp/toolreeve-cache}"
  export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-/var/tmp/toolreeve-target}"
else
  CACHE="${TOOLREEVE_CACHE:-$ROOT/.test}"
  export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$ROOT/target}"
fi
export CACHE

# Tools that the scripts install for themselves; nothing is put into the user's own folders.
TOOLS="$CACHE/tools"
export TOOLS
export PATH="$TOOLS/bin:$PATH"

# The virtual environment that holds maturin, pytest, mypy and the wheel under test.
VENV="$ROOT/.venv"
export VENV

# How the libraries are built: release is what users get; the tests choose otherwise.
PROFILE="${TOOLREEVE_PROFILE:-release}"
export PROFILE

# The folder that cargo names after the profile.
profile_dir() {
  if [[ "$PROFILE" == dev ]]; then echo debug; else echo "$PROFILE"; fi
}

VERSION="$(sed -n 's/^version = "\(.*\)"$/\1/p' "$ROOT/Cargo.toml" | head -n 1)"
export VERSION

# Announces a step, with the seconds since the script began.
step() {
  printf '\n==> [%3ss] %s\n' "$SECONDS" "$*"
}

# Ends the script with one sentence.
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

have() {
  command -v "$1" >/dev/null 2>&1
}
