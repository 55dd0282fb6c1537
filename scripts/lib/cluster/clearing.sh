# Sourced by scripts/cluster.sh: allows one cluster at a time on a machine, and removes all of it.

# Contains the state folder of the machine's cluster, for runs with another state folder.
POINTER=/run/$MARK-cluster

# Ends and removes everything, also after an interrupted start or stop. Looks for what exists, not only
# for what was recorded.
clear_cluster() {
  local name
  for name in $(daemons); do stop_daemon "$name"; done
  remove_networks
  remove_cgroups
  unmount_below "$STATE"
  restore_settings
  rm -f "$POINTER"
}

# Unmounts in the machine's mount namespace; those of the nodes have ended with their processes.
unmount_below() {  # FOLDER
  local place
  awk '{ print $5 }' /proc/self/mountinfo | sort -r | while read -r place; do
    case $place in "$1"/*) umount -l "$place" ;; esac
  done
}

# Claims the machine for a cluster with this state folder, and removes what a killed run left here or in
# another folder. Refuses if the owner of that cluster is alive and is not the given one.
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

# Refuses if the cluster has a living owner other than the given one. Without an owner, the cluster of
# this state folder may be ended in any case.
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
