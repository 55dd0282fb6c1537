#!/usr/bin/env bash
# Installs what is missing, configures and builds everything.
# Usage: scripts/build.sh [PRESET [TARGET...]]   presets are in CMakePresets.json; default: release.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

preset=${1:-release}
shift || true
lists=(build test)
if [ "$preset" = fuzz ]; then lists+=(fuzz); fi
scripts/setup.sh "${lists[@]}"
configure "$preset" -DEVENKEEL_BUILD_TESTS=ON
build "$preset" "$@"
say "built in build/$preset"
