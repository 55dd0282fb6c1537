#!/usr/bin/env bash
# Runs the 16-worker case on Dask and commands on GNU parallel and HyperQueue, beside ours. Installs
# Dask and HyperQueue into build/peers (the versions and hashes of bench/peers/requirements.txt);
# nothing else of the project needs them.
# Usage: bench/peers/run.sh [REPETITIONS]
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"

repetitions=${1:-3}
scripts/setup.sh build bench peers
configure_programs release -DEVENKEEL_BUILD_BENCHMARKS=ON
build release evenkeel evenkeel-worker spawn_rate task_costs
environment=build/peers
if ! cmp -s bench/peers/requirements.txt "$environment/installed.txt"; then
  rm -rf "$environment"
  /usr/bin/python3 -m venv "$environment"
  "$environment/bin/pip" install --quiet --require-hashes --no-deps -r bench/peers/requirements.txt
  cp bench/peers/requirements.txt "$environment/installed.txt"
fi
"$environment/bin/python" bench/peers/dask_case.py --repetitions "$repetitions"
"$environment/bin/python" bench/peers/command_case.py --repetitions "$repetitions"
