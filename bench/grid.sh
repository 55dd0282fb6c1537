#!/usr/bin/env bash
# All techniques on the ten scenarios of the grid and the sweeps of scenarios mirtaheri-*, in virtual
# time; prints the tables of docs/experiments.md. One core; about half an hour with 200 and 30 seeds.
# Usage: bench/grid.sh [SEEDS [SEEDS_OF_LONG]]   how many seeds, from 1 on (default 20), and how many of the
#                                                scenarios that take longest (02, 08, 10; default as many)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seeds=${1:-20}
seeds_of_long=${2:-$seeds}
evenkeel=${EVENKEEL:-build/release/bin/evenkeel}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for scenario in simulator/scenarios/grid-*.yaml; do
  last=$seeds
  case $scenario in */grid-02-* | */grid-08-* | */grid-10-*) last=$seeds_of_long ;; esac
  "$evenkeel" simulate "$scenario" --strategy all --seeds "1..$last" -o json \
    >"$folder/$(basename "$scenario" .yaml).json"
done
python3 bench/grid_table.py "$folder"/*.json
python3 bench/mirtaheri.py "$seeds"
