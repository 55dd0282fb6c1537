#!/usr/bin/env bash
# Installs the compilers, compiles, and lays out the files for the images. The Dockerfile runs it.
# Usage: docker/programs.sh prepare compile|prebuilt ARCHITECTURE
#        docker/programs.sh compile|prebuilt ARCHITECTURE FOLDER
# ARCHITECTURE is Docker's (amd64, arm64, armv7); empty means this machine's.
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib/common.sh"
source scripts/lib/programs.sh

prepare() {  # compile|prebuilt DEBIAN-ARCHITECTURE
  [ "$1" = compile ] || return 0
  # Images without manuals are smaller.
  echo 'path-exclude /usr/share/doc/*' >/etc/dpkg/dpkg.cfg.d/without-manuals
  if [ "$2" = "$(dpkg --print-architecture)" ]; then
    scripts/setup.sh build
  else
    scripts/setup.sh build cross
    scripts/cross.sh "$2" --sysroot-only
  fi
}

compile() {  # DEBIAN-ARCHITECTURE FOLDER
  local programs
  mapfile -t programs < <(programs_of_images)
  if [ "$1" = "$(dpkg --print-architecture)" ]; then
    configure release -DEVENKEEL_BUILD_TESTS=OFF -DEVENKEEL_BUILD_BENCHMARKS=OFF
    build release "${programs[@]}"
    lay_out build/release/bin "" "$2"
  else
    scripts/cross.sh "$1" "${programs[@]}"
    lay_out "build/$1/bin" "$(scripts/cross.sh "$1" --print-sysroot)" "$2"
  fi
}

debian_architecture() {  # DOCKER'S
  case $1 in
    "") dpkg --print-architecture ;;
    amd64 | arm64) echo "$1" ;;
    arm64v8) echo arm64 ;;
    arm | armv7) echo armhf ;;
    *) die "no images for $1: amd64, arm64 and arm/v7 there are" ;;
  esac
}

case ${1:-} in
  prepare) prepare "$2" "$(debian_architecture "${3:-}")" ;;
  compile) compile "$(debian_architecture "${2:-}")" "$3" ;;
  prebuilt) mkdir -p "$3" && cp -a build/prebuilt/. "$3" ;;
  *) die "usage: docker/programs.sh [prepare] compile|prebuilt ARCHITECTURE [FOLDER]" ;;
esac
