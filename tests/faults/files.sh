#!/usr/bin/env bash
# Makes every system call of a file edit fail, and kills the process at every one, with strace. After each run the file
# must hold the old or the new bytes, never a part, and after a failed call nothing may be left behind. Needs strace.
#
# Usage: tests/faults/files.sh [path of the integration test binary `main`]
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v strace >/dev/null || { echo "this script needs strace" >&2; exit 2; }

binary=${1:-}
if [[ -z $binary ]]; then
    binary=$(cargo test -p toolreeve --test main --no-run --message-format=json 2>/dev/null |
        sed -n 's/.*"executable":"\([^"]*\/main-[^"]*\)".*/\1/p' | tail -1)
fi
[[ -x $binary ]] || { echo "no test binary: build it with cargo test -p toolreeve --test main --no-run" >&2; exit 2; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
old="an old text"
new="an new text"
calls="openat openat2 newfstatat fstat fstatfs flock pread64 write fchmod fchown fsync faccessat2 renameat renameat2 mkdirat unlinkat"
calls_list=${calls// /,}
runs=0
refused=0

# run FAULT CALL N: sets the file back and runs one edit with the fault at the N-th call of that name in a thread. False
# if there is no N-th.
run() {
    rm -rf "$folder/work"
    mkdir "$folder/work"
    printf '%s\n' "$old" >"$folder/work/file"
    TOOLREEVE_FAULT_FOLDER="$folder/work" strace -f -qq -o "$folder/trace" -e trace="$calls_list" \
        -e inject="$2:$1:when=$3" \
        "$binary" --exact files::edit_once_for_the_fault_script --ignored --nocapture --test-threads=1 \
        >"$folder/out" 2>&1 || true
    runs=$((runs + 1))
    if grep -q '^\(edit\|write\): Err' "$folder/out"; then refused=$((refused + 1)); fi
    grep -q "INJECTED\|killed by SIGKILL" "$folder/trace"
}

fail() {
    echo "FAILED with $1 at $2: $3" >&2
    tail -3 "$folder/trace" >&2
    exit 1
}

# check FAULT CALL N: whether what the run left behind is right.
check() {
    content=$(cat "$folder/work/file")
    [[ $content == "$old" || $content == "$new" ]] || fail "$1" "$2 $3" "the file holds: $content"
    if grep -q '^edit: Err' "$folder/out"; then [[ $content == "$old" ]] || fail "$1" "$2 $3" "an error, but a change"; fi
    if grep -q '^edit: Ok' "$folder/out"; then [[ $content == "$new" ]] || fail "$1" "$2 $3" "success, but no change"; fi
    if grep -q '^write: Err' "$folder/out"; then
        [[ ! -e $folder/work/made/here ]] || fail "$1" "$2 $3" "an error, but a new file"
    fi
    [[ ! -e $folder/work/made/here || $(cat "$folder/work/made/here") == made ]] || fail "$1" "$2 $3" "half a new file"
    if [[ $1 != signal=KILL && $2 != unlinkat ]]; then
        left=$(find "$folder/work" -name '.toolreeve-*' | wc -l)
        [[ $left == 0 ]] || fail "$1" "$2 $3" "a temporary file is left"
    fi
    # Whatever was left, the next run works.
    printf '%s\n' "$old" >"$folder/work/file"
    rm -rf "$folder/work/made"
    TOOLREEVE_FAULT_FOLDER="$folder/work" "$binary" --exact files::edit_once_for_the_fault_script --ignored \
        --nocapture >"$folder/out" 2>&1
    grep -q '^write: Ok' "$folder/out" || fail "$1" "$2 $3" "the next run does not work"
}

for fault in error=EIO error=ENOSPC error=EDQUOT error=EACCES error=EINTR signal=KILL; do
    for call in $calls; do
        n=1
        while run "$fault" "$call" "$n" 2>/dev/null; do
            check "$fault" "$call" "$n"
            n=$((n + 1))
        done
    done
    echo "$fault: $runs runs so far, $refused of them ended in an error result"
done
[[ $refused -gt 0 ]] || { echo "no fault ever reached an edit: nothing was tested" >&2; exit 1; }
echo "all of $runs runs left the old or the new file"
