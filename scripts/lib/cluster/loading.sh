# Sourced by scripts/cluster.sh: images in the nodes. There is no registry: images are imported from files,
# and pods must not pull them.

PAUSE_IMAGE=localhost/evenkeel/pause:1

# Builds the image of the container that holds a pod's namespaces: a static program that sleeps.
build_pause_image() {
  local folder=$STATE/pause
  mkdir -p "$folder"
  gcc -Os -s -static -o "$folder/pause" tests/cluster/pause.c
  python3 scripts/lib/cluster/tiny_image.py "$PAUSE_IMAGE" "$folder/pause" >"$folder/image.tar"
  remember_image "$folder/image.tar"
}

# Records the file, so that nodes that are added later import it as well.
remember_image() {  # FILE
  grep -qsxF "$1" "$STATE/images" || echo "$1" >>"$STATE/images"
}

# load_images FILE...: into all nodes, at the same time.
load_images() {
  local file node pids=() pid
  for file in "$@"; do
    file=$(realpath "$file")
    remember_image "$file"
    for node in $(node_names); do
      runtime_of "$node" images import "$file" >/dev/null &
      pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid" || die "$file could not be loaded"; done
    pids=()
  done
}

load_images_on() {  # NODE
  local file
  [ -s "$STATE/images" ] || return 0
  while read -r file; do
    runtime_of "$1" images import "$file" >/dev/null || die "$file could not be loaded"
  done <"$STATE/images"
}

tag_image() {  # OLD NEW
  local node
  for node in $(node_names); do runtime_of "$node" images tag --force "$1" "$2" >/dev/null; done
}
