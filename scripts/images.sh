#!/usr/bin/env bash
# Builds the images of docker/Dockerfile without a container daemon, and saves them as files.
# Usage: scripts/images.sh [--base | --prebuilt] [--arch amd64|arm64|arm/v7]...
#        scripts/images.sh --own DOCKERFILE FOLDER IMAGE
#   --base       the image that they are compiled in, no more: build/images/base-ARCHITECTURE.tar
#   --prebuilt   takes the programs of build/release, which it brings up to date, instead of compiling
#                them again in a container: for tests, on the machine's own architecture
#   --own        the Dockerfile of another project, FROM evenkeel/worker, which takes over files of FOLDER:
#                build/images/own-NAME-TAG.tar for an IMAGE ending in NAME:TAG, on the machine's own
#                architecture
# The files are build/images/evenkeel-{operator,worker}-ARCHITECTURE.tar. Needs root.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
for part in programs sysroot containers; do source "scripts/lib/$part.sh"; done

version=$(sed -n 's/^project(evenkeel VERSION \([0-9.]*\).*$/\1/p' CMakeLists.txt)
architectures=()
programs=compile
caching=(--layers)  # compilers and compiled programs are not made anew for the second image
while [ $# -gt 0 ]; do
  case $1 in
    --prebuilt) programs=prebuilt caching=() ;;
    --base) programs=none ;;
    --own)
      programs=own own_file=${2:?Dockerfile} own_folder=${3:?folder} own_image=${4:?image}
      shift 3
      ;;
    --arch) architectures+=("${2:?architecture}") && shift ;;
    *) die "usage: scripts/images.sh [--base | --prebuilt | --own DOCKERFILE FOLDER IMAGE] [--arch amd64|arm64|arm/v7]..." ;;
  esac
  shift
done
if [ "${#architectures[@]}" -eq 0 ]; then architectures=("$NATIVE"); fi

# The programs of the release build, laid out for the Dockerfile.
prepare_programs() {
  [ "$programs" = prebuilt ] || return 0
  [ "${architectures[*]}" = "$NATIVE" ] || die "--prebuilt is for $NATIVE only"
  local names
  mapfile -t names < <(programs_of_images)
  configure_programs release >/dev/null
  build release "${names[@]}"
  lay_out build/release/bin "" build/prebuilt
}

build_base() {
  local file=build/images/base-$NATIVE.tar
  provide_base
  [ -e "$file" ] || save_image "$(base_image)" "$file"
}

build_images() {  # ARCHITECTURE
  local architecture=$1 image file
  provide_base
  for image in operator worker; do
    say "building evenkeel/$image for $architecture"
    build_image "$image" "$architecture" "docker.io/evenkeel/$image:$version" \
      --build-arg "PROGRAMS=$programs" --build-arg "VERSION=$version" "${caching[@]}"
    file=build/images/evenkeel-$image-${architecture//\//}.tar
    save_image "docker.io/evenkeel/$image:$version" "$file"
    echo "$file: $(du -h "$file" | cut -f1)"
  done
}

# Nothing is compiled: its programs are in the folder.
build_own() {
  local worker=docker.io/evenkeel/worker:$version name=${own_image##*/}
  local file=build/images/own-${name//:/-}.tar
  if ! build_tool inspect --type image "$worker" >/dev/null 2>&1; then
    build_tool pull --quiet "docker-archive:build/images/evenkeel-worker-$NATIVE.tar" >/dev/null
  fi
  build_tool bud --quiet --isolation chroot --pull-never --tag "$own_image" \
    --file "$own_file" "$own_folder" >/dev/null
  save_image "$own_image" "$file"
  echo "$file: $(du -h "$file" | cut -f1)"
}

[ "$(id -u)" -eq 0 ] || { echo "images.sh: skipped: it takes root" >&2 && exit 77; }
scripts/setup.sh cluster build
mkdir -p build/images
open_storage
prepare_programs
if [ "$programs" = none ]; then
  build_base
elif [ "$programs" = own ]; then
  build_own
else
  for architecture in "${architectures[@]}"; do build_images "$architecture"; done
fi
