# Sourced by scripts/cluster.sh: nodes. A node is a set of namespaces (network, processes, mounts,
# host name) with containerd, kubelet and kube-proxy in it. When its first process is killed, the
# kernel ends everything in it and unmounts everything of it: a power cut.

# Folders with fixed names that containerd and the kubelet write to. Each node mounts its own there.
PRIVATE_FOLDERS=(/run/containerd /var/lib/cni /var/log/containers)
# Kernel settings that a kubelet changes. They belong to the machine, not to a namespace.
KUBELET_SETTINGS=(vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops
  kernel.keys.root_maxkeys kernel.keys.root_maxbytes)
SETTINGS_RECORD=/run/$MARK-settings  # as sysctl reads them
FOLDERS_RECORD=/run/$MARK-folders    # those of PRIVATE_FOLDERS that were not there

node_folder() {
  echo "$STATE/nodes/$1"
}

node_number() {
  cat "$(node_folder "$1")/number" 2>/dev/null || die "there is no node $1; there are: $(node_names)"
}

node_names() {
  if [ -d "$STATE/nodes" ]; then ls "$STATE/nodes"; fi | tr '\n' ' '
}

next_node_number() {
  local folder highest=0
  for folder in "$STATE"/nodes/*/; do
    if [ -e "$folder/number" ] && [ "$(<"$folder/number")" -gt "$highest" ]; then
      highest=$(<"$folder/number")
    fi
  done
  echo $((highest + 1))
}

# add_node NAME PERCENT-OF-A-CORE [LIKE]: adds a node with the labels of the board LIKE, or else with
# those of the board of its own name, or none.
add_node() {
  local node=$1 percent=$2 like=${3:-} number folder labels
  [[ $node =~ ^[a-z][a-z0-9-]{0,30}$ ]] || die "$node is no name for a node"
  [ ! -e "$(node_folder "$node")" ] || die "the node $node is there already"
  is_percent "$percent" || die "$percent is no share of a core: above 0 and at most 100 percent"
  labels=$(board_labels "${like:-$node}" "${like:+--must-exist}") || exit 1
  number=$(next_node_number)
  [ "$number" -le "$MAX_NODES" ] || die "at most $MAX_NODES nodes"
  folder=$(node_folder "$node")
  mkdir -p "$folder"
  echo "$number" >"$folder/number"
  echo "$percent" >"$folder/percent"
  issue_node "$node" "$NODE_NET.$((10 + number))"
  write_node_files "$node" "$number" "$percent"
  declare_node "$node" "$labels"
  start_node "$node"
  load_images_on "$node"
}

# Turns the node's power on. Its disk has kept its contents.
start_node() {
  local node=$1 number folder
  number=$(node_number "$node")
  folder=$(node_folder "$node")
  ! daemon_pid "node-$node" >/dev/null || die "the node $node runs already"
  if [ -e "/run/netns/$MARK-$node" ]; then kill_node "$node"; fi  # it has ended without kill_node
  make_node_cgroup "$node" "$(cat "$folder/percent")"
  connect_node "$node" "$number"
  remember_settings
  start_daemon "$MARK-$node" "node-$node" \
    unshare --mount --propagation slave --uts --pid --fork --kill-child --mount-proc -- \
    bash scripts/lib/cluster/node_init.sh "$folder" "$node" "$PROGRAMS" "$PKI" "$POD_NET.0.0/16" \
    "${PRIVATE_FOLDERS[@]}"
  await_daemon 60 "node-$node" runtime_of "$node" version
}

# Turns the node's power off: no process gets a signal that it could handle.
kill_node() {
  local node=$1 number
  number=$(node_number "$node")
  stop_daemon "node-$node"
  disconnect_node "$node" "$number"
  remove_cgroups "$node"
  rm -f "$(node_folder "$node")/containerd.sock"*
}

remove_node() {
  kill_node "$1"
  rm -rf "$(node_folder "$1")"
}

# runtime_of NODE ARGUMENT...: ctr, for the node's containerd.
runtime_of() {
  local node=$1
  shift
  ctr --address "$(node_folder "$node")/containerd.sock" --namespace k8s.io "$@"
}

# Records the kernel settings and folders of the machine before the first node starts. The records are
# in /run, so that they last as long as the settings do, even if the state folder is deleted.
remember_settings() {
  local folder setting
  [ ! -e "$SETTINGS_RECORD" ] || return 0
  for setting in "${KUBELET_SETTINGS[@]}"; do
    sysctl "$setting" 2>/dev/null || true
  done >"$SETTINGS_RECORD.partial"
  for folder in "${PRIVATE_FOLDERS[@]}"; do
    [ -d "$folder" ] || { mkdir -p "$folder" && echo "$folder" >>"$FOLDERS_RECORD"; }
  done
  mv "$SETTINGS_RECORD.partial" "$SETTINGS_RECORD"
}

# Restores what the records say. A record of settings that cannot be restored stays.
restore_settings() {
  local folder
  if [ -e "$FOLDERS_RECORD" ]; then
    while read -r folder; do rmdir "$folder" 2>/dev/null || true; done <"$FOLDERS_RECORD"
    rm -f "$FOLDERS_RECORD"
  fi
  if [ -e "$SETTINGS_RECORD" ]; then
    sysctl -qp "$SETTINGS_RECORD" && rm -f "$SETTINGS_RECORD" ||
      echo "could not restore the kernel settings in $SETTINGS_RECORD" >&2
  fi
}

is_percent() {
  [[ $1 =~ ^[0-9]{1,3}(\.[0-9]{1,4})?$ ]] && awk "BEGIN { exit !($1 > 0 && $1 <= 100) }"
}

# board_labels BOARD [--must-exist]: the labels of a board in examples/nodes/pi-trio.yaml, a line each,
# but for those that kubelets set.
board_labels() {
  admin create --dry-run=client --validate=false -o json -f examples/nodes/pi-trio.yaml |
    python3 scripts/lib/cluster/board_labels.py "$@"
}

# The object is there before its kubelet, which may otherwise look for it too early, and then for
# minutes no more.
declare_node() {  # NODE LABELS
  admin create -f - <<<"{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"$1\"}}" \
    >/dev/null
  [ -n "$2" ] || return 0
  xargs -d '\n' -r "$PROGRAMS/kubectl" --kubeconfig "$KUBECONFIG_FILE" label --overwrite \
    node "$1" <<<"$2" >/dev/null
}

nodes_are_ready() {
  admin wait --for=condition=Ready node --all --timeout=90s >/dev/null ||
    die "not all nodes are ready: $(admin get nodes 2>&1)"
}
