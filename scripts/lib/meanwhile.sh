# Sourced by scripts/test.sh: runs builds and checks in the background, on processor time that tests do not use.

# begin_meanwhile COMMANDS: runs them in a session of their own with the lowest priority. Failures are not
# reported here: the stage that needs the result repeats the command, and reports them.
begin_meanwhile() {
  setsid nice -n 19 bash -c "echo 19 2>/dev/null >/proc/self/autogroup
    $1" >>build/meanwhile.log 2>&1 </dev/null &
  meanwhile=$!
  trap end_meanwhile EXIT
}

# Ends the background work.
end_meanwhile() {
  pkill -s "$meanwhile" || true
  wait "$meanwhile" 2>/dev/null || true
}

await_meanwhile() {
  wait "$meanwhile" || true
}
