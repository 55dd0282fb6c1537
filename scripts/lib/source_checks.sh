# Sourced by scripts/test.sh: checks of the source by clang's tools.

# Prints the tracked files with the given endings, or, outside of a repository, those that are there.
source_files() {
  local names=() ending
  for ending in "$@"; do names+=("*.$ending"); done
  if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files --cached --others --exclude-standard -- "${names[@]}"
  else
    for ending in "${names[@]}"; do find . -path ./build -prune -o -name "$ending" -print; done
  fi
}

check_format() {
  source_files h cc | xargs clang-format-14 --dry-run -Werror
}

# Runs clang-tidy with the commands of the given preset's build; or tells what keep_tidy has found.
check_tidy() {
  local preset=$1 status
  if [ -f "build/$preset/tidy.status" ]; then
    cat "build/$preset/tidy.log"
    status=$(cat "build/$preset/tidy.status")
    rm "build/$preset/tidy.status"
    return "$status"
  fi
  /usr/bin/python3 scripts/lib/tidy_sources.py "build/$preset" |
    xargs -n 1 -P "$(nproc)" clang-tidy-14 -p "build/$preset" --quiet
}

# Keeps what check_tidy finds for the next one to tell.
keep_tidy() {
  local preset=$1 status=0
  rm -f "build/$preset/tidy.status"
  check_tidy "$preset" >"build/$preset/tidy.log" 2>&1 || status=$?
  echo "$status" >"build/$preset/tidy.status"
}
