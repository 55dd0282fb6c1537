#!/usr/bin/env bash
# Builds the release preset and measures all cases of docs/benchmarks.md.
# Usage: bench/run.sh [quick|full]   quick (default): about 5 minutes, one repetition of each;
#                                    full: three repetitions, then every strategy and shaped links (50 minutes)
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib/common.sh"

how=${1:-quick}
case $how in
  quick | full) ;;
  *) die "usage: bench/run.sh [quick|full]" ;;
esac
scripts/setup.sh build bench
configure_programs release -DEVENKEEL_BUILD_BENCHMARKS=ON
build release evenkeel evenkeel-worker bench/all
status=0
if [ "$how" = quick ]; then
  python3 bench/run_cases.py --quick || status=$?
else
  python3 bench/run_cases.py || status=$?
  say "every strategy on the paper's cluster"
  python3 bench/strategies.py || status=$?
  say "balancing over links of 100, 10 and 2 Mbit/s"
  python3 bench/adaptive_links.py || [ $? = 77 ] || status=1
fi
exit "$status"
