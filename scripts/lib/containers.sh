# Sourced by scripts/images.sh: buildah, without a daemon, and base images with or without a registry.

CONTAINERS=${EVENKEEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/evenkeel}/containers
NATIVE=$(dpkg --print-architecture)

STORAGE=(--root "$CONTAINERS/storage" --runroot "$CONTAINERS/run" --storage-driver overlay)

# Separate storage: images of other tools stay as they are.
build_tool() {
  TMPDIR=$CONTAINERS/tmp buildah "${STORAGE[@]}" "$@"
}

# One run at a time: what another one builds must not be cleared away at the end.
open_storage() {
  mkdir -p "$CONTAINERS/tmp"
  exec {storage_lock}>"$CONTAINERS/lock"
  flock --nonblock "$storage_lock" || { say "waiting for another run of images.sh" && flock "$storage_lock"; }
  trap close_storage EXIT
}

# Nothing stays mounted, whether a build came to its end or not.
close_storage() {
  build_tool rm --all >/dev/null 2>&1 || true
  if mountpoint -q "$CONTAINERS/storage/overlay"; then umount -l "$CONTAINERS/storage/overlay"; fi
}

base_image() {
  echo "localhost/evenkeel/base-$NATIVE:bookworm"
}

# The image that compilers run in: Debian's slim image from the registry if there is one, else made of
# the packages of the machine's own mirror. It is always for this machine: nothing of another
# architecture runs while images are built.
provide_base() {
  local name pulled
  name=$(base_image)
  if build_tool inspect --type image "$name" >/dev/null 2>&1; then return; fi
  if pulled=$(timeout 20 buildah "${STORAGE[@]}" pull --quiet docker.io/library/debian:bookworm-slim \
    2>/dev/null); then
    build_tool tag "$pulled" "$name"
    return
  fi
  make_base "$name"
}

make_base() {  # NAME
  local folder
  say "no registry: making $1 of Debian's packages"
  folder=$(mktemp -d)
  mmdebstrap --quiet --variant=minbase \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/man/*' --include=ca-certificates \
    bookworm "$folder/base.tar" "$(mirror)"
  printf 'FROM scratch\nADD base.tar /\nCMD ["bash"]\n' >"$folder/Dockerfile"
  build_tool bud --quiet --isolation chroot --tag "$1" "$folder" >/dev/null
  rm -rf "$folder"
}

# build_image STAGE ARCHITECTURE TAG ARGUMENT...
# The containers see the machine's own network, mirrors and certificates. Limits that this user may not
# raise stay as they are.
build_image() {
  local stage=$1 architecture=$2 tag=$3 before
  shift 3
  before=$(build_tool images --quiet --no-trunc "$tag" 2>/dev/null || true)
  build_tool bud --quiet --isolation chroot --network host --pull-never \
    --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 \
    --volume /etc/apt:/etc/apt:ro --volume /etc/ssl/certs:/etc/ssl/certs:ro \
    --platform "linux/$architecture" --target "$stage" --tag "$tag" \
    --build-arg "BUILD_BASE=$(base_image)" --build-arg "BUILDPLATFORM=linux/${NATIVE/armhf/arm/v7}" "$@" \
    --file docker/Dockerfile . >/dev/null
  # The image that had the name before; it stays if another one is built on it.
  if [ -n "$before" ]; then build_tool rmi "${before#sha256:}" >/dev/null 2>&1 || true; fi
}

save_image() {  # NAME FILE
  rm -f "$2.partial"
  build_tool push --quiet "$1" "docker-archive:$2.partial:$1"
  mv "$2.partial" "$2"
}
