# Sourced by what makes images: the programs with the shared libraries that they need, and no more.

# The targets of CMake that they are.
programs_of_images() {
  awk '!/^#/ && NF >= 2 { print $2 }' docker/programs.txt
}

# lay_out FOLDER-OF-PROGRAMS SYSROOT FOLDER: one tree for each image, with the image's name.
# The sysroot is empty for programs of this machine.
lay_out() {
  local image tree program names
  for image in $(awk '!/^#/ { print $1 }' docker/programs.txt | sort -u); do
    tree=$3/$image
    rm -rf "$tree"
    mkdir -p "$tree/usr/bin"
    while read -r program names; do
      add_program "$1/$program" "$tree" ${names:-$program}
      add_libraries "$1/$program" "$2" "$tree"
      add_loader "$1/$program" "$tree"
    done < <(awk -v image="$image" '$1 == image { $1 = ""; print }' docker/programs.txt)
    mkdir -p "$tree/etc" "$tree/tmp" "$tree/var/lib/evenkeel" "$tree/usr/share/doc/evenkeel"
    chmod 1777 "$tree/tmp"
    # Names of the pod's own come before those that a name server knows.
    echo 'hosts: files dns' >"$tree/etc/nsswitch.conf"
    cp LICENSE "$tree/usr/share/doc/evenkeel/copyright"
  done
}

# One file, with all of its names as hard links: what an own image puts in place of one of them leaves
# the others alone.
add_program() {  # FILE TREE NAME...
  local file=$1 folder=$2/usr/bin first=$3 name
  shift 3
  strip_into "$folder/$first" "$file"
  for name in "$@"; do ln "$folder/$first" "$folder/$name"; done
}

# Links the path of the loader that FILE names to the libraries in TREE. The launcher must be static.
add_loader() {  # FILE TREE
  local path
  path=$(LC_ALL=C readelf -l "$1" | sed -n 's/^.*program interpreter: \(.*\)\]$/\1/p')
  if [ "${1##*/}" = evenkeel-launcher ]; then
    [ -z "$path" ] || die "$1 is not linked statically"
    return 0
  fi
  [ -n "$path" ] || die "$1 names no loader"
  mkdir -p "$2${path%/*}"
  ln -sfn --relative "$2/usr/lib/$(triplet_of "$1")/${path##*/}" "$2$path"
}

# Each architecture has a strip of its own; it is named as its compiler is.
strip_into() {  # TO FROM
  local triplet
  triplet=$(triplet_of "$2")
  if command -v "$triplet-strip" >/dev/null; then
    "$triplet-strip" -o "$1" "$2"
  else
    strip -o "$1" "$2"
  fi
}

triplet_of() {  # PROGRAM
  case $(LC_ALL=C readelf -h "$1" | sed -n 's/^ *Machine: *//p') in
    *X86-64*) echo x86_64-linux-gnu ;;
    *AArch64*) echo aarch64-linux-gnu ;;
    ARM) echo arm-linux-gnueabihf ;;
    *) die "$1 is for an architecture without images" ;;
  esac
}

# Copies what the file needs, and what that needs, into the tree.
add_libraries() {  # FILE SYSROOT TREE
  local triplet name folder found
  triplet=$(triplet_of "$1")
  while read -r name; do
    [ ! -e "$3/usr/lib/$triplet/$name" ] || continue
    found=
    for folder in "$2/usr/lib/$triplet" "$2/lib/$triplet"; do
      if [ -e "$folder/$name" ]; then found=$folder/$name; fi
    done
    [ -n "$found" ] || die "$1 needs $name, which is not in ${2:-this system}"
    mkdir -p "$3/usr/lib/$triplet"
    cp -L "$found" "$3/usr/lib/$triplet/$name"
    add_libraries "$found" "$2" "$3"
  done < <(LC_ALL=C readelf -d "$1" | sed -n 's/^.*(NEEDED).*\[\(.*\)\]$/\1/p')
}
