#!/usr/bin/env bash
# Installs what is missing, builds, and tests. The last line says how many tests passed.
# Usage: scripts/test.sh [all|unit|soak]
#   all   (default) checks of the source, every test but the long ones, and the sanitizers
#   unit  the fast tests only, for every day
#   soak  the long ones: many seeds, long runs
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

test_all() {
  stage "format" check_format || true
  build_and_test release "" -LE '^soak$' || return 0
  stage "clang-tidy" check_tidy release || true
  build_and_test asan-ubsan "tests/unit/all tests/simulation/all" -L '^(unit|simulation)' || true
  build_and_test tsan "threaded_tests" -L 'threaded$' || true
}

test_soak() {
  build_and_test release "" -L '^soak$'
}

what=${1:-all}
case $what in
  all | unit | soak) ;;
  *) die "usage: scripts/test.sh [all|unit|soak]" ;;
esac
lists=(build test)
if [ "$what" = all ]; then lists+=(check); fi
stage "set-up" scripts/setup.sh "${lists[@]}" || finish
"test_$what" || true
finish
