#!/usr/bin/env bash
# All techniques on the ten scenarios of the grid and the sweeps of scenarios mirtaheri-*, in virtual
# time; prints the tables of docs/experiments.md. One core; about an hour and a half with 200 seeds, most of it for the last one.
# Usage: bench/grid.sh [SEEDS]   how many seeds, from 1 on (default 20)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
seeds=${1:-20}
evenkeel=${EVENKEEL:-build/release/bin/evenkeel}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for scenario in simulator/scenarios/grid-*.yaml; do
  "$evenkeel" simulate "$scenario" --strategy all --seeds "1..$seeds" -o json \
    >"$folder/$(basename "$scenario" .yaml).json"
done
python3 bench/grid_table.py "$folder"/*.json
python3 bench/mirtaheri.py "$seeds"
