# Sourced by scripts/cluster.sh: daemons in the background, recorded in $STATE/run so that only they are
# killed. A record is the process id and the start time of the process: the kernel reuses ids.

process_start_time() {  # PID: prints clock ticks since boot, or nothing if there is no such process
  sed 's/^.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20
}

# start_daemon NETWORK-NAMESPACE NAME COMMAND...: its output goes to $STATE/log/NAME.log.
start_daemon() {
  local space=$1 name=$2 pid
  shift 2
  mkdir -p "$STATE/run" "$STATE/log"
  # 9 is the lock of this script; the daemon must not hold it.
  setsid nsenter --net="/run/netns/$space" -- "$@" \
    </dev/null >>"$STATE/log/$name.log" 2>&1 9>&- &
  pid=$!
  disown "$pid"  # it outlives this script
  echo "$pid $(process_start_time "$pid")" >"$STATE/run/$name"
}

# Prints the process id if the recorded process still runs.
daemon_pid() {  # NAME
  local pid started
  read -r pid started 2>/dev/null <"$STATE/run/$1" || return 1
  [ -n "$started" ] && [ "$(process_start_time "$pid")" = "$started" ] || return 1
  echo "$pid"
}

# stop_daemon NAME [SECONDS-OF-GRACE]: kills it; with a grace period, sends SIGTERM first.
stop_daemon() {
  local name=$1 grace=${2:-0} pid
  if pid=$(daemon_pid "$name"); then
    if [ "$grace" -gt 0 ]; then
      kill -TERM "$pid" 2>/dev/null || true
      await "$grace" gone "$name" || true
    fi
    if pid=$(daemon_pid "$name"); then kill -KILL "$pid" 2>/dev/null || true; fi
    await 10 gone "$name" || echo "$name (process $pid) cannot be ended" >&2
  fi
  rm -f "$STATE/run/$name"
}

gone() {
  local pid
  pid=$(daemon_pid "$1") || return 0
  # A zombie has ended; it waits for its parent.
  grep -q '^State:[[:space:]]*Z' "/proc/$pid/status" 2>/dev/null
}

daemons() {
  if [ -d "$STATE/run" ]; then ls "$STATE/run"; fi
}

# await SECONDS COMMAND...: runs the command until it succeeds; fails if it never does.
await() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.1
  done
}

# Like await, but if the command never succeeds, ends the script with the last lines of the log of NAME.
await_daemon() {  # SECONDS NAME COMMAND...
  local seconds=$1 name=$2
  shift 2
  await "$seconds" "$@" && return
  tail -n 20 "$STATE/log/$name.log" >&2
  die "$name is not ready after $seconds s; its log is $STATE/log/$name.log"
}
