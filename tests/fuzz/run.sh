#!/bin/sh
# Runs a fuzzer over its corpus and then over inputs made from it.
# Usage: tests/fuzz/run.sh FUZZER CORPUS SECONDS [libFuzzer OPTION...]
# An input that breaks something is kept beside the fuzzer, in findings/. The corpus is only read.
set -eu
fuzzer=$1 corpus=$2 seconds=$3
shift 3
kept=$(dirname "$fuzzer")/findings
mkdir -p "$kept"
# Files of the fuzzers and new inputs live in memory where that is possible: they are short-lived.
if [ -w /dev/shm ]; then TMPDIR=/dev/shm; fi
scratch=$(mktemp -d "${TMPDIR:-/tmp}/evenkeel-fuzz.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$scratch/new" "$scratch/files"
# Inputs of up to 64 KiB; a second of work or 1 GiB of memory for one of them is too much.
TMPDIR=$scratch/files "$fuzzer" -max_total_time="$seconds" -seed=1 -max_len=65536 -timeout=10 \
  -rss_limit_mb=1024 -print_final_stats=1 -verbosity=1 -artifact_prefix="$kept/$(basename "$fuzzer")-" \
  "$@" "$scratch/new" "$corpus"
