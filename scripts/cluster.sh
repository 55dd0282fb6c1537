#!/usr/bin/env bash
# A real Kubernetes cluster of unequal nodes on this machine: control plane and nodes from source, each
# node a set of namespaces with a share of one core. Needs root. Exits with code 77 and a reason where a
# cluster is not possible.
# Usage: scripts/cluster.sh COMMAND
#   up [--owner PID]              starts three nodes like the boards of examples/nodes/pi-trio.yaml;
#                                 removes first what a killed run left; PID owns the cluster
#   demo                          up, images, the chart, and a job of unequal shares
#   down [--owner PID]            removes everything but the logs in the state folder; refuses if a
#                                 living process other than PID owns the cluster
#   status                        prints the processes and nodes, and the settings of kubectl
#   binaries [PROGRAM...]         only builds Kubernetes (ten minutes, once a version), or the programs
#                                 named
#   source MODULE@VERSION SUM     prints the folder with the source of a module of Go
#   kubectl ARGUMENT...           kubectl of that version, as administrator
#   helm ARGUMENT...              helm, likewise
#   load FILE...                  imports images into all nodes
#   tag OLD NEW                   gives an image a second name
#   where                         prints the folders of programs and state, and the kubeconfig
#   node add NAME PERCENT [LIKE]  one more, with that share of a core, and the labels of that board of
#                                 examples/nodes/pi-trio.yaml; without LIKE, of the one of its name, or none
#   node kill|start|remove NAME   turns its power off or on; removes it
#   cable pull|plug NAME          disconnects or connects the node's network cable
#   api stop|start                stops or starts the API server
#   patience [SECONDS]            how long a node may be silent before it counts as lost (12)
#   volume add NAME NODE|shared [MIB]   a volume for a claim
#   volume remove NAME            waits for pods that still use it
# EVENKEEL_CLUSTER names the state folder (build/cluster), EVENKEEL_CACHE the folder of built programs.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source scripts/lib/cluster/settings.sh
for part in ability binaries cgroups clearing control_plane demo loading network node node_files pki \
  processes volumes; do
  source "scripts/lib/cluster/$part.sh"
done
PROGRAMS=$(programs_folder)

usage() {
  sed -n 's/^# \(Usage:.*\)$/\1/p; s/^#   \( *[^ ].*\)$/  \1/p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

# Serializes up and down, which would undo each other's work.
lock() {
  exec 9>"/run/$MARK-cluster.lock"
  flock -w 600 9 || die "another cluster.sh has been at work for ten minutes"
}

up() {
  local owner="" begun=$SECONDS board
  if [ "${1:-}" = --owner ]; then owner=${2:?}; fi
  require_machine
  scripts/setup.sh cluster
  require_network
  build_programs
  lock
  take_machine "$owner"
  say "starting the control plane"
  make_authority
  issue_control_plane
  make_hub
  start_control_plane
  prepare_volumes
  build_pause_image
  say "starting the nodes"
  for board in "${TRIO[@]}"; do
    # shellcheck disable=SC2086
    add_node $board
  done
  nodes_are_ready
  echo "up in $((SECONDS - begun)) s; export KUBECONFIG=$KUBECONFIG_FILE"
}

down() {
  local owner=""
  if [ "${1:-}" = --owner ]; then owner=${2:?}; fi
  require_machine
  lock
  refuse_those_of_others "$owner"
  if [ -e "$POINTER" ]; then STATE=$(cat "$POINTER"); fi
  clear_cluster
  # Keep the logs; remove keys, disks of nodes and objects.
  find "$STATE" -mindepth 1 -maxdepth 1 ! -name log -exec rm -rf {} + 2>/dev/null || true
}

status() {
  local name
  [ -d "$STATE/run" ] || { echo "no cluster in $STATE"; return 1; }
  for name in $(daemons); do
    printf '%-24s %s\n' "$name" "$(daemon_pid "$name" || echo "not running")"
  done
  echo "export KUBECONFIG=$KUBECONFIG_FILE PATH=$PROGRAMS:\$PATH"
  admin get nodes -o wide
}

node() {
  case ${1:-} in
    add) add_node "${2:?name}" "${3:?percent of a core}" "${4:-}" ;;
    kill) kill_node "${2:?name}" ;;
    start) start_node "${2:?name}" ;;
    remove) remove_node "${2:?name}" ;;
    *) usage ;;
  esac
}

cable() {
  local number
  number=$(node_number "${2:?name}")
  case ${1:-} in
    pull) pull_cable "$number" ;;
    plug) plug_cable "$number" ;;
    *) usage ;;
  esac
}

api() {
  case ${1:-} in
    stop) stop_apiserver ;;
    start) start_apiserver ;;
    *) usage ;;
  esac
}

patience() {
  stop_daemon controller-manager
  start_controllers "${1:-$NODE_GRACE_SECONDS}"
}

volume() {
  case ${1:-} in
    add) make_volume "${2:?name}" "${3:?node}" "${4:-}" ;;
    remove) remove_volume "${2:?name}" ;;
    *) usage ;;
  esac
}

command=${1:-}
shift || true
case $command in
  up | down | status | node | cable | api | patience | volume | demo) "$command" "$@" ;;
  binaries) require_machine && scripts/setup.sh cluster && build_programs "$@" ;;
  source) module_source "${1:?module}" "${2:?sum}" ;;
  load) load_images "$@" ;;
  tag) tag_image "${1:?name}" "${2:?new name}" ;;
  where) printf '%s\n' "PROGRAMS=$PROGRAMS" "KUBECONFIG=$KUBECONFIG_FILE" "STATE=$STATE" ;;
  kubectl) exec env KUBECONFIG="$KUBECONFIG_FILE" "$PROGRAMS/kubectl" "$@" ;;
  helm) exec env KUBECONFIG="$KUBECONFIG_FILE" "$PROGRAMS/helm" "$@" ;;
  *) usage ;;
esac
