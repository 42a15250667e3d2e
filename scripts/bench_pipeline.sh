#!/bin/sh
# Prints what one call costs in the engine, in instructions (callgrind), and how that and the memory grow with the
# number of queued calls. Instructions are the difference of two runs, so that the start-up does not count.
# Needs cargo and valgrind. Set PIPELINE_BENCH to a bench binary to skip the build.
set -eu
cd "$(dirname "$0")/.."

command -v valgrind >/dev/null || { echo "valgrind is missing: apt-get install valgrind" >&2; exit 1; }
if [ -z "${PIPELINE_BENCH:-}" ]; then
    cargo bench -q -p toolreeve-engine --bench pipeline --no-run
    PIPELINE_BENCH=$(cargo bench -p toolreeve-engine --bench pipeline --no-run 2>&1 | sed -n 's/.*Executable.*(\(.*\)).*/\1/p')
fi

# instructions MODE N
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$PIPELINE_BENCH" "$1" "$2" 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# per_call MODE: (2000 calls minus 1000 calls) / 1000
per_call() {
    few=$(instructions "$1" 1000)
    many=$(instructions "$1" 2000)
    echo $(((many - few) / 1000))
}

echo "instructions per call (2000 calls minus 1000 calls, divided by 1000)"
requests=$(per_call requests)
joinset=$(per_call joinset)
printf '%-12s %8s %12s %10s\n' mode gross "no request" "/ JoinSet"
for mode in empty fields one-by-one exclusive silent rules; do
    gross=$(per_call "$mode")
    net=$((gross - requests))
    printf '%-12s %8d %12d %10s\n' "$mode" "$gross" "$net" "$(awk "BEGIN { printf \"%.2f\", $net / $joinset }")"
done
printf '%-12s %8d\n%-12s %8d\n' requests "$requests" joinset "$joinset"

echo
echo "growth: all calls queued before the first result is taken"
printf '%-12s %8s %16s %18s %16s\n' mode calls instructions "instructions/call" "peak memory"
for mode in empty exclusive; do
    for calls in 1000 10000 100000; do
        total=$(instructions "$mode" "$calls")
        peak=$("$PIPELINE_BENCH" "$mode" "$calls" | sed 's/.*peak //')
        printf '%-12s %8d %16d %18d %16s\n' "$mode" "$calls" "$total" $((total / calls)) "$peak"
    done
done
