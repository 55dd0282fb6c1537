# Sourced by scripts/cluster.sh: volumes for claims. There is no provisioner, as local-path is on k3s: the
# caller creates each volume, and its claim names it.

VOLUMES=$STATE/volumes

# Makes the folder a shared mount, so that volumes that are mounted later appear in the nodes.
prepare_volumes() {
  mkdir -p "$VOLUMES"
  mount --bind "$VOLUMES" "$VOLUMES"
  mount --make-shared "$VOLUMES"
  admin apply --server-side -f - >/dev/null <<'Y'
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local-path}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer
Y
}

# make_volume NAME NODE [MEBIBYTES]: creates a volume on a node's disk, or with "shared" in place of a node,
# for all nodes. With a size, writes beyond it fail.
make_volume() {
  local name=$1 node=$2 mebibytes=${3:-} folder=$VOLUMES/$1 affinity="" modes=ReadWriteOnce
  [[ $name =~ ^[a-z][a-z0-9-]{0,50}$ ]] || die "$name is no name for a volume"
  [ ! -e "$folder" ] || die "the volume $name is there already"
  if [ "$node" = shared ]; then
    modes=ReadWriteMany
  else
    node_number "$node" >/dev/null
    affinity="{required: {nodeSelectorTerms: [{matchExpressions: [
      {key: kubernetes.io/hostname, operator: In, values: [$node]}]}]}}"
  fi
  mkdir -p "$folder"
  if [ -n "$mebibytes" ]; then
    mount -t tmpfs -o "size=${mebibytes}m" evenkeel-volume "$folder"
  fi
  chmod 0777 "$folder"
  admin apply --server-side -f - >/dev/null <<Y
apiVersion: v1
kind: PersistentVolume
metadata: {name: $name}
spec:
  storageClassName: local-path
  capacity: {storage: ${mebibytes:-1024}Mi}
  accessModes: [$modes]
  persistentVolumeReclaimPolicy: Retain
  hostPath: {path: $folder, type: Directory}
  ${affinity:+nodeAffinity: $affinity}
Y
}

# A pod that was deleted may still write: the API server forgets a pod that is deleted by force at once,
# and the kubelet takes seconds to stop its processes.
remove_volume() {  # NAME
  local folder=${VOLUMES:?}/$1 seconds=60
  if volume_is_used "$1"; then
    echo "waiting up to $seconds s for pods that use the volume $1" >&2
    await "$seconds" volume_is_unused "$1" ||
      die "the volume $1 is still used by: $(volume_users "$1" | xargs ps -o pid=,args= -p)"
  fi
  admin delete persistentvolume "$1" --ignore-not-found --wait=false >/dev/null
  if mountpoint -q "$folder"; then umount -l "$folder"; fi
  rm -rf "$folder"
}

volume_is_used() {  # NAME
  [ -n "$(volume_users "$1")" ]
}

volume_is_unused() {
  ! volume_is_used "$1"
}

# Prints the ids of processes in pods that have the volume mounted. They name it as the kernel does: by
# the device and the folder on it. The node's own processes see all volumes, and are in no pod.
volume_users() {  # NAME
  local folder=$VOLUMES/$1 device root place file pid
  [ -d "$folder" ] || return 0
  read -r device root place < <(findmnt -n -o MAJ:MIN,FSROOT,TARGET --target "$folder")
  root=${root%/}${folder#"${place%/}"}
  grep -lsF " $device ${root:-/} " /proc/[0-9]*/mountinfo | while read -r file; do
    pid=${file//[!0-9]/}
    if grep -qs ":/$MARK/" "/proc/$pid/cgroup"; then echo "$pid"; fi
  done || true
}
