# Sourced by scripts/cluster.sh: control groups of the nodes, version 1 and 2.
#
#   /evenkeel/NODE/pods     the kubelet's root: held to the node's share of a core
#
# Only pods are held back: the kubelet and containerd, which a board has too, do not compete with
# them for so small a share.

PERIOD_US=100000  # as kubelet has it; shares cut into shorter pieces lose 5 % to that, no board does

cgroup_version() {
  if [ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ]; then echo 2; else echo 1; fi
}

# Prints the mount points of the hierarchies, one a line.
cgroup_roots() {
  if [ "$(cgroup_version)" = 2 ]; then
    echo /sys/fs/cgroup
  else
    awk '{ for (i = 1; i <= NF; i++) if ($i == "-" && $(i + 1) == "cgroup") print $5 }' \
      /proc/self/mountinfo | sort -u
  fi
}

make_node_cgroup() {  # NODE PERCENT-OF-A-CORE
  local node=$1 quota root
  quota=$(awk -v percent="$2" -v period=$PERIOD_US 'BEGIN { printf "%d", percent * period / 100 }')
  if [ "$(cgroup_version)" = 2 ]; then
    make_cgroup_v2 "$node"
    echo "$quota $PERIOD_US" >"/sys/fs/cgroup/$MARK/$node/pods/cpu.max"
    return
  fi
  cgroup_roots | while read -r root; do
    mkdir -p "$root/$MARK/$node/pods"
    if [ -e "$root/cpuset.cpus" ]; then hand_down_cpuset "$root" "$node"; fi
    if [ -e "$root/$MARK/$node/pods/cpu.cfs_quota_us" ]; then
      echo "$PERIOD_US" >"$root/$MARK/$node/pods/cpu.cfs_period_us"
      echo "$quota" >"$root/$MARK/$node/pods/cpu.cfs_quota_us"
    fi
  done
}

# A new cpuset of version 1 is empty, and nothing can run in it.
hand_down_cpuset() {  # ROOT NODE
  local from=$1 part
  for part in "$MARK" "$2" pods; do
    cat "$from/cpuset.cpus" >"$from/$part/cpuset.cpus"
    cat "$from/cpuset.mems" >"$from/$part/cpuset.mems"
    from=$from/$part
  done
}

make_cgroup_v2() {  # NODE
  local part folder=/sys/fs/cgroup controller
  for part in "$MARK" "$1" pods; do
    for controller in $(cat "$folder/cgroup.controllers"); do
      grep -qw "$controller" "$folder/cgroup.subtree_control" && continue
      echo "+$controller" >"$folder/cgroup.subtree_control" 2>/dev/null || continue
      if [ "$folder" = /sys/fs/cgroup ]; then echo "$controller" >>"$STATE/enabled-controllers"; fi
    done
    folder=$folder/$part
    mkdir -p "$folder"
  done
  grep -qw cpu "$folder/cgroup.controllers" ||
    die "the cpu controller cannot be handed down in /sys/fs/cgroup: is this a container?"
}

# remove_cgroups [NODE]: ends what still runs in them.
remove_cgroups() {
  local root tree pid
  cgroup_roots | while read -r root; do
    tree=$root/$MARK${1:+/$1}
    [ -d "$tree" ] || continue
    find "$tree" -name cgroup.procs -exec cat {} + 2>/dev/null | while read -r pid; do
      kill -KILL "$pid" 2>/dev/null || true
    done
    for _ in $(seq 50); do
      find "$tree" -depth -type d -exec rmdir {} + 2>/dev/null || true
      if [ -d "$tree" ]; then sleep 0.1; else break; fi
    done
    [ ! -d "$tree" ] || echo "could not remove the control group $tree" >&2
  done
  if [ $# -eq 0 ]; then give_back_controllers; fi
}

give_back_controllers() {
  local controller
  [ -s "$STATE/enabled-controllers" ] || return 0
  sort -u "$STATE/enabled-controllers" | while read -r controller; do
    echo "-$controller" >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || true
  done
  rm -f "$STATE/enabled-controllers"
}
