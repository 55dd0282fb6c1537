#!/usr/bin/env bash
# Installs the Debian packages that are missing. A second run costs nothing and needs no network.
# Usage: scripts/setup.sh [LIST...]   lists are the names in scripts/packages; default: all of them.
source "$(dirname "${BASH_SOURCE[0]}")/lib/common.sh"

# Prints the packages of a list, one a line.
packages_of() {
  local list="scripts/packages/$1.txt"
  [ -f "$list" ] || die "no list of packages '$1'; there are: $(list_names)"
  sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$list"
}

list_names() {
  local file
  for file in scripts/packages/*.txt; do basename "$file" .txt; done | tr '\n' ' '
}

# Prints those of its arguments that are not installed.
missing_of() {
  local name installed
  installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
    sed -n 's/^installed //p' | tr '\n' ' ')" || true
  for name in "$@"; do
    case "$installed" in *" $name "*) ;; *) echo "$name" ;; esac
  done
}

# Runs its arguments as root.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"
  fi
}

install() {
  [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
    die "these packages are missing, and installing them takes root or sudo: apt-get install $*"
  say "installing $# packages: $*"
  local options=(-y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300)
  as_root apt-get "${options[@]}" -q update ||
    echo "apt-get update had errors; trying with the package lists that are there" >&2
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get "${options[@]}" -q install --no-install-recommends "$@" ||
    die "apt-get could not install them all; Evenkeel needs the packages of Debian 12 (bookworm)"
}

main() {
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
    die "no apt-get here: Evenkeel is built with the packages of Debian 12 (bookworm)"
  local lists=("$@")
  if [ $# -eq 0 ]; then read -r -a lists <<<"$(list_names)"; fi
  local wanted=() missing list packages
  for list in "${lists[@]}"; do
    packages=$(packages_of "$list")
    mapfile -t -O "${#wanted[@]}" wanted <<<"$packages"
  done
  missing=$(missing_of "${wanted[@]}")
  [ -n "$missing" ] || return 0
  mapfile -t wanted <<<"$missing"
  install "${wanted[@]}"
}

main "$@"
