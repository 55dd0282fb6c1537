# Sourced by scripts/test.sh: runs stages, times them, and counts tests over all runs of ctest.

stages_failed=()
stage_times=()
tests_passed=0
tests_failed=0
tests_skipped=0
failures=

# stage NAME COMMAND...: runs the command, records its status and duration, and returns the status. A failure
# does not end the script, so that one run reports all failures.
stage() {
  local name=$1 start=$SECONDS status=0
  shift
  say "$name"
  "$@" || status=$?
  local seconds=$((SECONDS - start))
  stage_times+=("$(printf '%3d min %02d s  %s' $((seconds / 60)) $((seconds % 60)) "$name")")
  if [ "$status" -ne 0 ]; then stages_failed+=("$name"); fi
  return "$status"
}

# The value of an attribute of the <testsuite> in a JUnit file.
junit_count() {
  sed -n "s/^.*[[:space:]]$2=\"\([0-9]*\)\".*$/\1/p" <<<"$(grep -m1 -A8 '<testsuite' "$1")" | head -n1
}

# run_tests PRESET [CTEST ARGUMENT...]: runs tests that are built and adds to the counts. Failing
# tests are counted here and do not fail the stage a second time.
run_tests() {
  local preset=$1 status=0
  shift
  local report="$PROJECT_DIR/build/$preset/Testing/junit.xml"
  rm -f "$report"
  ctest --test-dir "build/$preset" --parallel "$(nproc)" --output-on-failure --no-tests=error \
    --output-junit "$report" "$@" </dev/null || status=$?
  [ -f "$report" ] || return 1
  local all failed skipped
  all=$(junit_count "$report" tests)
  failed=$(junit_count "$report" failures)
  skipped=$(($(junit_count "$report" skipped) + $(junit_count "$report" disabled)))
  tests_passed=$((tests_passed + all - failed - skipped))
  tests_failed=$((tests_failed + failed))
  tests_skipped=$((tests_skipped + skipped))
  if [ "$failed" -gt 0 ]; then failures+=$(/usr/bin/python3 scripts/lib/failed_tests.py "$preset" "$report")$'\n'; fi
  [ "$status" -eq 0 ] || [ "$failed" -gt 0 ]
}

# Prints what failed, times and counts, the counts last, and ends the script: with an error if a stage
# or a test failed or if no test ran. A stage that failed outside of its tests counts as one failure.
# Failed tests are listed here again, because their output is far above.
finish() {
  if [ -n "$failures" ]; then
    say "tests that failed"
    printf '%s' "$failures"
  fi
  say "minutes by stage"
  printf '%s\n' "${stage_times[@]}"
  if [ "${#stages_failed[@]}" -gt 0 ]; then printf 'failed: %s\n' "${stages_failed[@]}"; fi
  local ran=$((tests_passed + tests_failed))
  if [ "$ran" -eq 0 ]; then echo "no test ran"; fi
  local failed=$((tests_failed + ${#stages_failed[@]}))
  printf '\n%d passed, %d failed, %d skipped\n' "$tests_passed" "$failed" "$tests_skipped"
  if [ "$failed" -gt 0 ] || [ "$ran" -eq 0 ]; then exit 1; fi
  exit 0
}
