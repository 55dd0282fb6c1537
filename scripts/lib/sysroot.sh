# Sourced by scripts/cross.sh and scripts/images.sh: Debian's libraries for other architectures.

# The libraries of scripts/packages/build.txt, and what the unit tests link.
sysroot_packages() {
  { sed -e 's/#.*//' scripts/packages/build.txt; echo libgtest-dev; } |
    grep -E '^(lib.*|.*-dev)$' | tr -d ' ' | sort
}

# The folder for an architecture; its name changes with the list of packages.
sysroot_folder() {  # ARCHITECTURE
  local cache=${EVENKEEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/evenkeel}
  echo "$cache/sysroot-$1-$(sysroot_packages | sha256sum | cut -c1-12)"
}

# The line of the mirror that this machine itself uses. Updates are left out: a mirror that is half
# way through one has lists that do not fit together.
mirror() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk '$2 == "bookworm" && $3 == "main" { print "deb", $1, $2, $3; exit }' | grep . ||
    die "no mirror of Debian bookworm among the apt sources"
}

# Unpacks the packages, without running anything of theirs, so that it takes no right to mount or
# change roots: images are built in containers that have none. Appears whole or not at all.
make_sysroot() {  # ARCHITECTURE FOLDER
  local architecture=$1 folder=$2 packages
  [ ! -d "$folder" ] || return 0
  packages=$(sysroot_packages | paste -sd,)
  say "fetching the libraries for $architecture"
  rm -rf "$folder.partial"
  mkdir -p "$(dirname "$folder")"
  mmdebstrap --quiet --mode=chrootless --variant=extract --architectures="$architecture" --include="$packages" \
    bookworm "$folder.partial" "$(mirror)"
  make_links_relative "$folder.partial"
  mv "$folder.partial" "$folder"
}

# Absolute links would lead out of it.
make_links_relative() {  # FOLDER
  local link target
  find "$1" -type l -lname '/*' | while read -r link; do
    target=$(readlink "$link")
    if [ -e "$1$target" ]; then ln -sfnr "$1$target" "$link"; fi
  done
}
