#!/usr/bin/env bash
# Installs what is missing, builds, and tests. The last line says how many tests passed.
# Usage: scripts/test.sh [all|unit|cluster|soak]
#   all      (default) checks of the source, every test but the long ones, the sanitizers, and a minute of fuzzing
#   unit     the fast tests only, for every day
#   cluster  those on a real Kubernetes cluster; needs root
#   soak     the long ones: many seeds, long runs, a large cluster, other architectures, ten minutes of each fuzzer
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source scripts/lib/stages.sh
source scripts/lib/source_checks.sh
source scripts/lib/meanwhile.sh

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
  build_and_test release "tests/unit/all tests/architecture/all" -L '^(unit|architecture|chart)'
}

address_targets="tests/unit/all sanitized_simulations"
thread_targets=threaded_tests
fuzz_targets=tests/fuzz/all
cluster_lanes=3  # of tests/cluster/CMakeLists.txt

test_all() {
  stage "format" check_format || true
  stage "build release" build_preset release || return 0
  local builds="scripts/build.sh asan-ubsan $address_targets; scripts/build.sh tsan $thread_targets
                scripts/build.sh fuzz $fuzz_targets"
  begin_meanwhile "scripts/cluster.sh binaries; $builds"
  # Many of them wait most of the time; those that measure run alone.
  stage "test release" run_tests release -LE '^(soak|cluster|chart|apiserver)$' \
    --parallel "$(($(nproc) + 1))" || return 0
  end_meanwhile  # caches and object files keep how far it came
  local cluster=0
  stage "cluster programs" build_cluster_programs || cluster=$?
  begin_meanwhile "$builds
                   source scripts/lib/common.sh; source scripts/lib/source_checks.sh; keep_tidy release"
  stage "test apiserver" run_tests release -L '^apiserver$' || true
  # Helm is one of the programs.
  local labels='^(chart|cluster)$'
  if [ "$cluster" -ne 0 ]; then labels='^chart$'; fi
  stage "test cluster" run_tests release -L "$labels" --parallel "$cluster_lanes" || true
  stage "begun meanwhile" await_meanwhile
  stage "clang-tidy" check_tidy release || true
  build_and_test asan-ubsan "$address_targets" -L '^(unit|simulation)' || true
  build_and_test tsan "$thread_targets" -L 'threaded$' || true
  build_and_test fuzz "$fuzz_targets" -L '^fuzz$' || true
}

test_cluster() {
  test_on_cluster cluster "$cluster_lanes"
}

# Building the cluster's programs takes minutes, once.
test_on_cluster() {  # LABEL AT-ONCE
  stage "build release" build_preset release || return 0
  stage "cluster programs" build_cluster_programs || return 0
  stage "test $1" run_tests release -L "^$1\$" --parallel "$2" || return 0
}

# Where a cluster is not possible, its tests are counted as skipped.
build_cluster_programs() {
  local status=0
  scripts/cluster.sh binaries || status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 77 ]
}

test_soak() {
  test_on_cluster soak "$(nproc)"
  build_and_test fuzz "$fuzz_targets" -L '^fuzz-soak$' || true
}

what=${1:-all}
case $what in
  all | unit | cluster | soak) ;;
  *) die "usage: scripts/test.sh [all|unit|cluster|soak]" ;;
esac
lists=(build test)
if [ "$what" = all ]; then lists+=(check); fi
if [ "$what" = all ] || [ "$what" = soak ]; then lists+=(fuzz); fi
if [ "$what" = soak ]; then lists+=(soak); fi
# Packages are installed before any background work, which may be killed: an interrupted installation has to be
# repaired by hand.
if [ "$what" = all ] && [ "$(id -u)" -eq 0 ]; then lists+=(cluster); fi
stage "set-up" scripts/setup.sh "${lists[@]}" || finish
"test_$what" || true
finish
