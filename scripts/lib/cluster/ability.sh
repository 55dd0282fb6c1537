# Sourced by scripts/cluster.sh: checks whether a cluster is possible on this machine.

# Prints the reason and ends the script with the exit code that test drivers count as "skipped".
cannot() {
  printf '%s: skipped: no cluster of nodes here: %s\n' "$(basename "$0")" "$*" >&2
  exit "$SKIPPED"
}

# Checks what no package can provide, before packages are installed.
require_machine() {
  [ "$(uname -s)" = Linux ] || cannot "this is not Linux"
  [ "$(id -u)" -eq 0 ] || cannot "it takes root: nodes are namespaces with control groups"
  unshare --net --mount --uts --pid --fork true 2>/dev/null ||
    cannot "this user may not make namespaces"
  require_control_groups
  [ "$(stat -f -c %T "$(nearest_folder "$STATE")")" != overlayfs ] ||
    cannot "$STATE is on an overlay, and images need a file system that carries one;" \
      "set EVENKEEL_CLUSTER to a folder on another"
}

# Prints the folder, or its nearest parent that exists.
nearest_folder() {
  local folder=$1
  while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
  echo "$folder"
}

require_control_groups() {
  local probe=$MARK-probe root=
  read -r root < <(limiting_hierarchies) || true
  [ -n "$root" ] || cannot "no control groups are mounted"
  mkdir "$root/$probe" 2>/dev/null || cannot "control groups in $root are read-only"
  rmdir "$root/$probe"
}

# Tries the network features of a node, so that a missing kernel module is noticed before nodes start.
require_network() {
  local probe=$MARK-probe status=0
  ip netns add "$probe" 2>/dev/null || cannot "no network namespace can be made"
  { ip -n "$probe" link add test type bridge && ip -n "$probe" link del test &&
    ip -n "$probe" link add one type veth peer name other &&
    nsenter --net="/run/netns/$probe" iptables -t nat -S; } >/dev/null 2>&1 || status=1
  ip netns del "$probe"
  [ "$status" -eq 0 ] || cannot "bridges, veth pairs or iptables do not work here"
}
