#!/usr/bin/env bash
# Builds for the boards' architectures on this machine.
# Usage: scripts/cross.sh arm64|armhf [TARGET...]          into build/ARCHITECTURE; by default the programs
#        scripts/cross.sh arm64|armhf --tests TARGET...    with the tests configured
#        scripts/cross.sh arm64|armhf --sysroot-only       fetches the libraries, no more
#        scripts/cross.sh arm64|armhf --print-sysroot      says where they are
# EVENKEEL_CACHE names the folder that the libraries are kept in. tests/cross runs the result.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"
source scripts/lib/sysroot.sh

cross_build() {  # ON|OFF TARGET...
  local tests=$1
  shift
  scripts/setup.sh build cross
  make_sysroot "$architecture" "$sysroot"
  EVENKEEL_SYSROOT=$sysroot configure "$architecture" -DEVENKEEL_BUILD_TESTS="$tests"
  build "$architecture" "$@"
}

architecture=${1:-}
case $architecture in
  arm64 | armhf) shift ;;
  *) die "usage: scripts/cross.sh arm64|armhf [--sysroot-only | --print-sysroot | [--tests] TARGET...]" ;;
esac
sysroot=$(sysroot_folder "$architecture")
case ${1:-} in
  --print-sysroot) echo "$sysroot" ;;
  --sysroot-only) scripts/setup.sh cross && make_sysroot "$architecture" "$sysroot" ;;
  --tests) shift && cross_build ON "$@" ;;
  "") cross_build OFF evenkeel evenkeel-worker evenkeel-coordinator evenkeel-launcher ;;
  *) cross_build OFF "$@" ;;
esac
