#!/usr/bin/env bash
# TailStealing against all techniques on scenarios that are drawn at random: docs/experiments.md.
# Usage: bench/tournament.sh COUNT [SEED] [OPTION...]   200 draws take two minutes on two cores
#        bench/tournament.sh --help                     the options
# Prints the tables. The ten worst draws are in tournament-results/ as scenario files, and all draws in
# tournament-results/draws.json, from which it draws tournament-results/regret.svg.
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib/common.sh"

scripts/setup.sh build
configure_programs release -DEVENKEEL_BUILD_BENCHMARKS=ON >&2
build release tournament >&2
results=tournament-results
mkdir -p "$results"
build/release/bench/tournament "$@" --json "$results/draws.json" --worst "$results"
python3 bench/tournament_plot.py "$results/draws.json" "$results/regret.svg"
