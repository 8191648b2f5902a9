#!/bin/sh
# Run what comes before a release, a line a step: sh release/run.sh [STEP...]; what a step prints is in build/release/STEP.log
set -eu
mkdir -p build/release
for step in ${*:-agreed lint test check dist unpacked installed wheel oldest bounds}; do
    log=build/release/$step.log
    began=$(date +%s)
    make --no-print-directory "$step" >"$log" 2>&1 || { tail -n 40 "$log"; echo "$step: failed; all of it is in $log"; exit 1; }
    printf '%-10s %5d s  %s\n' "$step" $(($(date +%s) - began)) "$(grep . "$log" | tail -n 1)"
done
