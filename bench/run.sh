#!/usr/bin/env bash
# Builds the release preset and measures the cases of docs/benchmarks.md.
# Usage: bench/run.sh [quick|full]   quick (default): about 5 minutes, one repetition of each case;
#                                    full: all figures, beside those of the version before (about 3 hours)
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib/common.sh"

how=${1:-quick}
case $how in
  quick | full) ;;
  *) die "usage: bench/run.sh [quick|full]" ;;
esac
scripts/setup.sh build bench
configure_programs release -DEVENKEEL_BUILD_BENCHMARKS=ON
build release evenkeel evenkeel-worker bench/all
if [ "$how" = quick ]; then
  python3 bench/run_cases.py --quick
else
  python3 bench/run_all.py
fi
