#!/usr/bin/env bash
# From a bare Debian bookworm to a finished job: installs what is missing, builds, and counts primes
# on three emulated Raspberry Pis. Needs root or sudo for the packages.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

[ $# -eq 0 ] || die "takes no arguments"
output=build/demo

# A demo that is complete is replaced by a new one; an interrupted one is continued.
remove_finished_demo() {
  if grep -qsE '"state": *"(Complete|Failed)"' "$output/summary.json"; then rm -rf "$output"; fi
}

run_job() {
  local status=0
  build/release/bin/evenkeel run examples/primes.yaml \
    --nodes examples/nodes/pi-trio.yaml --output "$output" || status=$?
  case $status in
    0) ;;
    130) echo "interrupted; the same command goes on from where it stopped" ;;
    *) echo "the job ended with exit code $status" >&2 ;;
  esac
  return "$status"
}

scripts/setup.sh build
say "building"
configure_programs release
build release cli/all worker/all
remove_finished_demo
say "running examples/primes.yaml on the nodes of examples/nodes/pi-trio.yaml"
run_job
say "the report: $PROJECT_DIR/$output/report.html"
