#!/usr/bin/env bash
# The first process of a node, in namespaces of its own. It starts the programs of a board and reaps their
# processes. When it ends, all processes of the node end.
# Usage: node_init.sh FOLDER NODE PROGRAMS KEYS POD-NETWORK PRIVATE-FOLDER...
set -euo pipefail

folder=$1 node=$2 programs=$3 keys=$4 pods=$5
shift 5

# Mounts of the machine (volumes) appear in the node; mounts of the node stay in it.
mount --make-rshared /
for place in "$@"; do
  mkdir -p "$folder/private$place"
  mount --bind "$folder/private$place" "$place"
done
# A power cut clears /run.
mount -t tmpfs tmpfs /run/containerd
echo "$node" >/proc/sys/kernel/hostname

# Restarts a program as the init system of a board does: a kubelet exits if containerd is not ready yet.
keep_running() {
  while true; do
    "$@" || echo "$(basename "$1") has ended with code $?" >&2
    sleep 1
  done
}

containerd --config "$folder/containerd.toml" --log-level warn &
until ctr --address "$folder/containerd.sock" version >/dev/null 2>&1; do sleep 0.1; done

keep_running "$programs/kubelet" --config "$folder/kubelet.yaml" \
  --kubeconfig "$keys/node-$node.kubeconfig" \
  --hostname-override "$node" --root-dir "$folder/kubelet" &
keep_running "$programs/kube-proxy" --kubeconfig "$keys/proxy.kubeconfig" --hostname-override "$node" \
  --proxy-mode iptables --cluster-cidr "$pods" --conntrack-max-per-core=0 \
  --conntrack-tcp-timeout-established=0s --conntrack-tcp-timeout-close-wait=0s &
wait -n || true
echo "containerd has ended; so does the node" >&2
exit 1
