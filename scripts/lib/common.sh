# Sourced by the scripts beside this folder: where the project is, and how to talk and count.
set -euo pipefail

PROJECT_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$PROJECT_DIR"

# Prints its arguments as one line on stderr and ends the script.
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# A line that stands out between the output of tools.
say() {
  printf '\n==> %s\n' "$*"
}

# How many compilers to run at once: one a core, but no more than have 1 GiB each, which is what the
# sources that include gRPC take.
build_jobs() {
  local cores available_kib
  cores=$(nproc)
  available_kib=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  local by_memory=$((available_kib / 1048576))
  local jobs=$((cores < by_memory ? cores : by_memory))
  echo $((jobs > 0 ? jobs : 1))
}

# configure PRESET [CMAKE ARGUMENT...]
configure() {
  local preset=$1
  shift
  cmake --preset "$preset" "$@"
}

# configure_programs PRESET [CMAKE ARGUMENT...]: without tests and benchmarks; but a build folder that
# has them keeps them.
configure_programs() {
  local preset=$1 options=()
  shift
  if [ ! -f "build/$preset/CMakeCache.txt" ]; then
    options=(-DEVENKEEL_BUILD_TESTS=OFF -DEVENKEEL_BUILD_BENCHMARKS=OFF)
  fi
  configure "$preset" "${options[@]}" "$@"
}

# build PRESET [TARGET...]; without targets everything. FOLDER/all is what that folder defines.
build() {
  local preset=$1
  shift
  local targets=()
  if [ $# -gt 0 ]; then targets=(--target "$@"); fi
  cmake --build --preset "$preset" --parallel "$(build_jobs)" "${targets[@]}"
}
