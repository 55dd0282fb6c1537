#!/usr/bin/env bash
# The plots of docs/benchmarks.md and docs/energy.md, and the figures in them. A few minutes; the first one measures
# CPU time, so nothing else should run.
# Usage: bench/plots.sh [OPTIONS of both, e.g. --build build/release]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
python3 decision_growth.py "$@"
python3 energy_front.py "$@"
