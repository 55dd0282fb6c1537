#!/usr/bin/env bash
# Runs a command while a Kubernetes API server without controllers listens on 127.0.0.1: the one of the test
# cluster (scripts/cluster.sh binaries), with kine below it. EVENKEEL_TEST_KUBECONFIG names the administrator's
# kubeconfig. Needs no root. Exits with code 77 where the programs are not built.
# Usage: with_api_server.sh [--without-watch-cache] COMMAND [ARGUMENT...]
#   --without-watch-cache  lists and watches go to kine: a list need not wait for the cache to catch up, which
#                          takes half a second each time
set -euo pipefail
options=()
if [ "${1:-}" = --without-watch-cache ]; then
  options+=(--watch-cache=false)
  shift
fi
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
STATE=$(mktemp -d)
export EVENKEEL_CLUSTER=$STATE
eval "$(scripts/cluster.sh where | grep '^PROGRAMS=')"
for program in kine kube-apiserver kubectl; do
  [ -x "$PROGRAMS/$program" ] || { echo "skipped: $program is not built (scripts/cluster.sh binaries)"; rm -rf "$STATE"; exit 77; }
done

clean_up() {
  local pid
  for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$STATE"
}
pids=()
trap clean_up EXIT

# HUB_IP is where the kubeconfig points to.
PROJECT_DIR=$PWD
source scripts/lib/cluster/settings.sh
HUB_IP=127.0.0.1
source scripts/lib/cluster/pki.sh
mkdir -p "$PKI"

# Two ports that are free now.
read -r etcd_port port < <(/usr/bin/python3 -c '
import socket
sockets = [socket.socket() for _ in range(2)]
for one in sockets: one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))')

make_authority 2>/dev/null
issue apiserver /CN=kube-apiserver "DNS:localhost,IP:127.0.0.1"
issue admin /O=system:masters/CN=admin
write_kubeconfig admin "$STATE/kubeconfig"
sed -i "s|127.0.0.1:6443|127.0.0.1:$port|" "$STATE/kubeconfig"

"$PROGRAMS/kine" --endpoint "sqlite://$STATE/objects.db?_journal=WAL&cache=shared&_busy_timeout=30000" \
  --listen-address "127.0.0.1:$etcd_port" >"$STATE/kine.log" 2>&1 &
pids+=($!)
"$PROGRAMS/kube-apiserver" --etcd-servers "http://127.0.0.1:$etcd_port" --bind-address 127.0.0.1 \
  --advertise-address 127.0.0.1 --secure-port "$port" --endpoint-reconciler-type none \
  --cert-dir "$STATE" --tls-cert-file "$PKI/apiserver.crt" --tls-private-key-file "$PKI/apiserver.key" \
  --client-ca-file "$PKI/ca.crt" --authorization-mode RBAC --allow-privileged \
  --service-account-key-file "$PKI/service-accounts.pub" \
  --service-account-signing-key-file "$PKI/service-accounts.key" \
  --service-account-issuer https://kubernetes.default.svc --service-cluster-ip-range 10.43.0.0/16 \
  --feature-gates APIServerIdentity=false \
  --disable-admission-plugins ServiceAccount,TaintNodesByCondition "${options[@]}" >"$STATE/apiserver.log" 2>&1 &
pids+=($!)

admin() { "$PROGRAMS/kubectl" --kubeconfig "$STATE/kubeconfig" "$@"; }
for ((tries = 600; ; --tries)); do
  if admin get --raw /readyz >/dev/null 2>&1; then break; fi
  if [ "$tries" -eq 0 ] || ! kill -0 "${pids[1]}" 2>/dev/null; then
    tail -n 20 "$STATE/kine.log" "$STATE/apiserver.log" >&2
    echo "the API server is not ready" >&2
    exit 1
  fi
  sleep 0.1
done
admin apply --server-side -f crds/ -f tests/apiserver/things.yaml >/dev/null
# --for=condition= fails if a definition has no conditions yet.
established='jsonpath={.status.conditions[?(@.type=="Established")].status}=True'
admin wait --for="$established" --timeout=30s crd --all >/dev/null
for name in lab demo; do admin create namespace "$name" >/dev/null; done

status=0
EVENKEEL_TEST_KUBECONFIG=$STATE/kubeconfig "$@" || status=$?
exit "$status"
