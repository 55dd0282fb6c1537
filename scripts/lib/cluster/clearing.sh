# Sourced by scripts/cluster.sh: one cluster at a time on a machine, and nothing of it left behind.

# Where the machine's one cluster has its state; a run in another folder finds it here.
POINTER=/run/$MARK-cluster

# Ends and removes everything, whether this cluster was ended half-way or killed. Asks what runs and
# not only what was recorded.
clear_cluster() {
  local name
  for name in $(daemons); do stop_daemon "$name"; done
  remove_networks
  remove_cgroups
  unmount_below "$STATE"
  restore_settings
  rm -f "$POINTER"
}

# Mounts of this cluster in the machine's own view; those of the nodes went with them.
unmount_below() {  # FOLDER
  local place
  awk '{ print $5 }' /proc/self/mountinfo | sort -r | while read -r place; do
    case $place in "$1"/*) umount -l "$place" ;; esac
  done
}

# Takes the machine for a cluster with this state folder: clears what a killed run left, here or in
# another folder. Refuses if whoever brought that up is still alive, unless it is the same one.
take_machine() {  # OWNER-PID, or nothing
  local mine=$STATE other
  other=$(cat "$POINTER" 2>/dev/null || echo "$STATE")
  refuse_if_in_use "$other" "${1:-}"
  clear_other "$other"
  STATE=$mine
  clear_cluster
  rm -rf "$STATE"
  mkdir -p "$STATE"
  echo "$STATE" >"$POINTER"
  if [ -n "${1:-}" ]; then echo "$1 $(process_start_time "$1")" >"$STATE/owner"; fi
}

# A test run keeps its cluster until it is over. Who names no owner may end that of this folder.
refuse_those_of_others() {  # OWNER-PID, or nothing
  local other
  other=$(cat "$POINTER" 2>/dev/null || echo "$STATE")
  if [ "$other" = "$STATE" ] && [ -z "${1:-}" ]; then return 0; fi
  refuse_if_in_use "$other" "${1:-}"
}

refuse_if_in_use() {  # STATE-FOLDER OWNER-PID, which may be empty
  local owner
  if owner=$(living_owner "$1") && [ "$owner" != "$2" ]; then
    die "the cluster in $1 is in use by process $owner"
  fi
}

clear_other() {  # STATE-FOLDER
  [ "$1" != "$STATE" ] || return 0
  echo "clearing the cluster in $1" >&2
  STATE=$1
  clear_cluster
}

living_owner() {  # STATE-FOLDER
  local pid started
  read -r pid started 2>/dev/null <"$1/owner" || return 1
  [ -n "$started" ] && [ "$(process_start_time "$pid")" = "$started" ] || return 1
  echo "$pid"
}
