# Sourced by scripts/cluster.sh: control groups of the nodes, version 1 and 2.
#
#   /evenkeel/NODE/pods     the kubelet's root, limited to the node's share of a core
#
# Only pods are limited. The kubelet and containerd run outside: on a board they do not compete with pods
# for so small a share.

PERIOD_US=100000  # the kubelet's default; shorter periods cost 5 % of the share, which no board loses

cgroup_version() {
  if [ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ]; then echo 2; else echo 1; fi
}

# cgroup_mounts TYPE...: prints the mount points of hierarchies of these types (cgroup, cgroup2), one
# a line. /proc/self/mountinfo writes spaces and the like as octal escapes.
cgroup_mounts() {
  awk -v types=" $* " '{ for (i = 7; i < NF; i++) if ($i == "-") break
    if (index(types, " " $(i + 1) " ")) print $5 }' /proc/self/mountinfo | sort -u |
    while IFS= read -r mount; do printf '%b\n' "${mount//\\/\\0}"; done
}

# Prints the mount points of the hierarchies that limit a node.
limiting_hierarchies() {
  if [ "$(cgroup_version)" = 2 ]; then
    echo /sys/fs/cgroup
  else
    cgroup_mounts cgroup
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
  limiting_hierarchies | while read -r root; do
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

# remove_cgroups [NODE]: removes the control groups of the node or of the whole cluster from every
# hierarchy, and kills the processes in them. Next to hierarchies of version 1 there may be one of
# version 2; runc and the kubelet create control groups there too.
remove_cgroups() {
  local root
  cgroup_mounts cgroup cgroup2 | while read -r root; do
    remove_cgroup_tree "$root/$MARK${1:+/$1}"
  done
  if [ $# -eq 0 ]; then give_back_controllers; fi
}

remove_cgroup_tree() {  # FOLDER
  await 5 try_to_remove_cgroup_tree "$1" || echo "could not remove the control group $1" >&2
}

# A process that was about to fork when it was killed may have left a child; a control group stays
# busy until the kernel has reaped its processes.
try_to_remove_cgroup_tree() {  # FOLDER
  local pid
  [ -d "$1" ] || return 0
  find "$1" -name cgroup.procs -exec cat {} + 2>/dev/null | while read -r pid; do
    # 0 stands for a process of an outer process namespace; to kill, it means this script.
    [ "$pid" -eq 0 ] || kill -KILL "$pid" 2>/dev/null || true
  done
  find "$1" -depth -type d -exec rmdir {} + 2>/dev/null || true
  [ ! -d "$1" ]
}

give_back_controllers() {
  local controller
  [ -s "$STATE/enabled-controllers" ] || return 0
  sort -u "$STATE/enabled-controllers" | while read -r controller; do
    echo "-$controller" >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null || true
  done
  rm -f "$STATE/enabled-controllers"
}
