# Sourced by scripts/cluster.sh: from nothing to a job that three unequal nodes have worked on.

WORKER_COLUMNS='NODES:.status.workers[*].node,WEIGHTS:.status.workers[*].weight'
WORKER_COLUMNS+=',DONE:.status.workers[*].completed'

demo() {
  up "$@"
  say "building the images"
  scripts/images.sh --prebuilt
  load_images build/images/*-amd64.tar
  say "installing the chart"
  install_chart
  say "running a job with the weights of the paper"
  admin apply -f examples/primes-paper.yaml
  watch_job primes-paper 300
  admin get weightedjob primes-paper -o custom-columns="$WORKER_COLUMNS"
  PATH=$PROGRAMS:$PATH KUBECONFIG=$KUBECONFIG_FILE \
    build/release/bin/kubectl-evenkeel results primes-paper --output build/cluster-demo
  say "results are in build/cluster-demo; KUBECONFIG=$KUBECONFIG_FILE; scripts/cluster.sh down ends it"
}

install_chart() {
  "$PROGRAMS/helm" --kubeconfig "$KUBECONFIG_FILE" upgrade --install evenkeel helm/evenkeel \
    --namespace evenkeel-system --create-namespace --wait --timeout 120s
}

# Prints the line of the job each time that it changes, until the job is complete.
watch_job() {  # NAME SECONDS
  local watcher status=0
  admin get weightedjob "$1" --watch &
  watcher=$!
  admin wait --for=condition=Complete "weightedjob/$1" --timeout="$2s" || status=$?
  kill "$watcher"
  return "$status"
}
