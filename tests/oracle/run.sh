#!/bin/sh
# Builds the recorder and the judge, then fuzzes the analyzer against the shells that are installed.
# Usage: run.sh [SECONDS [SEED]]. Needs Linux, root or user namespaces, a C compiler and python3.
set -eu
here=$(dirname "$0")
seconds=${1:-120}
seed=${2:-1}
cc -O2 -fPIC -shared -w -o "$here/recorder.so" "$here/recorder.c" -ldl
cargo build --quiet -p toolreeve-shell --example judge
python3 "$here/soundness.py" --rows "$here/../data/bash/lexing.jsonl" "$here/../data/bash/attacks.jsonl"
for shell in bash dash; do
    if command -v "$shell" >/dev/null; then
        echo "$shell:"
        python3 "$here/soundness.py" "$seconds" "$seed" "$shell"
    fi
done
