#!/usr/bin/env bash
# Installs what is missing, builds, and tests. The last line says how many tests passed.
# Usage: scripts/test.sh [all|unit|cluster|soak]
#   all      (default) checks of the source, every test but the long ones, and the sanitizers
#   unit     the fast tests only, for every day
#   cluster  those on a real Kubernetes cluster; needs root
#   soak     the long ones: many seeds, long runs, a large cluster, other architectures
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source scripts/lib/stages.sh
source scripts/lib/source_checks.sh

# build_and_test PRESET TARGETS CTEST-ARGUMENT...: TARGETS is a list in one word; empty for all.
# Fails if the build does; tests that fail are counted.
build_and_test() {
  local preset=$1 targets=()
  read -r -a targets <<<"$2"
  shift 2
  stage "build $preset" build_preset "$preset" "${targets[@]}" || return 1
  stage "test $preset" run_tests "$preset" "$@" || return 0
}

build_preset() {
  configure "$1" -DEVENKEEL_BUILD_TESTS=ON && build "$@"
}

test_unit() {
  build_and_test release "tests/unit/all tests/architecture/all" -L '^(unit|architecture)'
}

address_targets="tests/unit/all tests/simulation/all"
thread_targets=threaded_tests

test_all() {
  stage "format" check_format || true
  build_and_test release "" -LE '^(soak|cluster)$' || return 0
  start_sanitizer_builds
  test_on_cluster '^cluster$'
  stage "builds begun meanwhile" await_sanitizer_builds
  stage "clang-tidy" check_tidy release || true
  build_and_test asan-ubsan "$address_targets" -L '^(unit|simulation)' || true
  build_and_test tsan "$thread_targets" -L 'threaded$' || true
}

# Tests on the cluster mostly wait: what they leave of the processors compiles for the sanitizers, in
# a session of its own and below everything else. Whatever goes wrong there goes wrong again, and is
# told, when these builds are a stage.
start_sanitizer_builds() {
  setsid nice -n 19 bash -c \
    "echo 19 2>/dev/null >/proc/self/autogroup
     scripts/build.sh asan-ubsan $address_targets; scripts/build.sh tsan $thread_targets" \
    >build/sanitizer-builds.log 2>&1 </dev/null &
  sanitizer_builds=$!
  trap 'pkill -s "$sanitizer_builds" || true' EXIT
}

await_sanitizer_builds() {
  wait "$sanitizer_builds" || true
}

test_cluster() {
  stage "build release" build_preset release || return 0
  test_on_cluster '^cluster$'
}

# Tests of that label, with the cluster's programs built before, as a stage of its own: that takes
# minutes, once.
test_on_cluster() {
  stage "cluster programs" build_cluster_programs || return 0
  stage "test ${1//[^a-z]/}" run_tests release -L "$1" || return 0
}

# Where there cannot be a cluster, its tests say so, and are counted as skipped.
build_cluster_programs() {
  local status=0
  scripts/cluster.sh binaries || status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 77 ]
}

test_soak() {
  stage "build release" build_preset release || return 0
  test_on_cluster '^soak$'
}

what=${1:-all}
case $what in
  all | unit | cluster | soak) ;;
  *) die "usage: scripts/test.sh [all|unit|cluster|soak]" ;;
esac
lists=(build test)
if [ "$what" = all ]; then lists+=(check); fi
stage "set-up" scripts/setup.sh "${lists[@]}" || finish
"test_$what" || true
finish
