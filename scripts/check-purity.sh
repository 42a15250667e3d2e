#!/usr/bin/env bash
# Proves that the lint which keeps core/shell and core/permission free of files, processes, network, clock, environment
# and terminal really bites: each forbidden line below, in a crate with their clippy.toml, must be reported; in a crate
# with the workspace's own clippy.toml none may be.
set -euo pipefail
source "$(dirname "$0")/lib.sh"

cmp "$ROOT/core/shell/clippy.toml" "$ROOT/core/permission/clippy.toml" ||
  die "core/shell/clippy.toml and core/permission/clippy.toml must be the same"
while read -r line; do
  grep -qxF -- "$line" "$ROOT/core/shell/clippy.toml" || die "core/shell/clippy.toml must repeat: $line"
done < <(grep -v '^#' "$ROOT/clippy.toml")

forbidden=(
  'let _ = std::fs::read("f");'
  'let _ = std::fs::read_to_string("f");'
  'let _ = std::fs::write("f", "x");'
  'let _ = std::fs::remove_dir_all("f");'
  'let _ = std::fs::symlink_metadata("f");'
  'let _ = std::fs::File::open("f");'
  'let _ = std::path::Path::new("f").exists();'
  'let _ = std::path::Path::new("f").canonicalize();'
  'let _ = std::path::PathBuf::from("f").is_dir();'
  'let _ = std::env::var("HOME");'
  'let _ = std::env::current_dir();'
  'let _ = std::process::Command::new("true");'
  'let _ = std::time::Instant::now();'
  'let _ = std::time::SystemTime::now();'
  'let _ = std::net::TcpStream::connect("localhost:1");'
  'let _ = std::os::unix::net::UnixStream::connect("s");'
  'std::thread::sleep(core::time::Duration::ZERO);'
  'let _ = std::io::stdin();'
  'println!("x");'
)

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR="$work/target"

# probe NAME CONFIG: makes a crate of the forbidden lines and prints what clippy says, one finding a line.
probe() {
  mkdir -p "$work/$1/src"
  cp "$2" "$work/$1/clippy.toml"
  printf '[package]\nname = "%s"\nversion = "0.0.0"\nedition = "2024"\n[workspace]\n' "$1" >"$work/$1/Cargo.toml"
  {
    echo '//! Forbidden lines.'
    echo 'fn main() {'
    printf '%s\n' "${forbidden[@]}"
    echo '}'
  } >"$work/$1/src/main.rs"
  cargo clippy --quiet --offline --message-format=short --manifest-path "$work/$1/Cargo.toml" 2>&1 || true
}

found="$(probe pure "$ROOT/core/shell/clippy.toml")"
if grep -q 'does not refer to' <<<"$found"; then
  die "core/shell/clippy.toml names what does not exist:"$'\n'"$found"
fi
for index in "${!forbidden[@]}"; do
  grep -q "^src/main.rs:$((index + 3)):.*disallowed" <<<"$found" ||
    die "not reported: ${forbidden[$index]}"$'\n'"$found"
done
found="$(probe free "$ROOT/clippy.toml")"
if grep -q disallowed <<<"$found"; then
  die "the workspace's clippy.toml forbids too much:"$'\n'"$found"
fi
echo "purity: ${#forbidden[@]} forbidden lines reported in the pure crates, none elsewhere"
