# Sourced by scripts/test.sh: work that takes what tests leave of the processors.

# begin_meanwhile COMMANDS: in a session of its own and below everything else. Whatever goes wrong there
# goes wrong again, and is told, when it is a stage.
begin_meanwhile() {
  setsid nice -n 19 bash -c "echo 19 2>/dev/null >/proc/self/autogroup
    $1" >>build/meanwhile.log 2>&1 </dev/null &
  meanwhile=$!
  trap end_meanwhile EXIT
}

# Ends it, wherever it is.
end_meanwhile() {
  pkill -s "$meanwhile" || true
  wait "$meanwhile" 2>/dev/null || true
}

await_meanwhile() {
  wait "$meanwhile" || true
}
