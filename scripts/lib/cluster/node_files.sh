# Sourced by scripts/cluster.sh: the configuration of a node's containerd, network plugin and kubelet.

write_node_files() {  # NODE NUMBER PERCENT
  local folder
  folder=$(node_folder "$1")
  mkdir -p "$folder"/{containerd,kubelet,logs,network,private}
  write_containerd_config "$folder"
  write_network_config "$folder" "$2"
  write_kubelet_config "$folder" "$1" "$2" "$(cores_of_the_machine_beyond "$3")"
}

# Without the capability to lower its score, containerd must not try to.
write_containerd_config() {  # FOLDER
  cat >"$1/containerd.toml" <<T
version = 2
root = "$1/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "$1/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$1/private/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$PAUSE_IMAGE"
  restrict_oom_score_adj = true
  disable_apparmor = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$1/network"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
T
}

# Point to point: even pods of the same node reach each other through it, so that answers from a
# service's address find their way back.
write_network_config() {  # FOLDER NUMBER
  cat >"$1/network/10-pods.conflist" <<J
{"cniVersion": "0.4.0", "name": "pods", "plugins": [{"type": "ptp", "ipMasq": false,
  "ipam": {"type": "host-local", "dataDir": "$1/private/addresses",
    "ranges": [[{"subnet": "$POD_NET.$2.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
J
}

# How many of this machine's cores a node with PERCENT of one has nothing of: its pods would start a
# thread for each.
cores_of_the_machine_beyond() {  # PERCENT
  awk -v percent="$1" -v all="$(nproc --all)" 'BEGIN { left = all - int((percent + 99.999) / 100); print left < 0 ? 0 : left }'
}

write_kubelet_config() {  # FOLDER NODE NUMBER RESERVED-CORES
  cat >"$1/kubelet.yaml" <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://$1/containerd.sock
address: $NODE_NET.$((10 + $3))
cgroupDriver: cgroupfs
cgroupRoot: /$MARK/$2/pods
enforceNodeAllocatable: []
systemReserved: {cpu: "$4"}
clusterDNS: [$HUB_IP]
clusterDomain: cluster.local
resolvConf: /dev/null
tlsCertFile: $PKI/node-$2.crt
tlsPrivateKeyFile: $PKI/node-$2.key
authentication: {x509: {clientCAFile: $PKI/ca.crt}, anonymous: {enabled: false}, webhook: {enabled: false}}
authorization: {mode: Webhook}
failSwapOn: false
oomScoreAdj: 0
localStorageCapacityIsolation: false
evictionHard: {memory.available: 50Mi, nodefs.available: 1%, imagefs.available: 1%}
imageGCHighThresholdPercent: 100
nodeStatusUpdateFrequency: 4s
nodeLeaseDurationSeconds: $NODE_LEASE_SECONDS
podLogsDir: $1/logs
volumePluginDir: $1/private/volume-plugins
Y
}
