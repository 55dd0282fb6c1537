# Sourced by scripts/cluster.sh: the control plane, in the hub's network namespace.

# kubectl as the cluster's administrator.
admin() {
  "$PROGRAMS/kubectl" --kubeconfig "$KUBECONFIG_FILE" "$@"
}

start_control_plane() {
  write_audit_policy
  start_datastore
  start_apiserver
  start_controllers "$NODE_GRACE_SECONDS"
  start_daemon "$HUB" scheduler "$PROGRAMS/kube-scheduler" \
    --kubeconfig "$PKI/scheduler.kubeconfig" --leader-elect=false
  start_dns
}

start_controllers() {  # SECONDS that a node may be silent
  start_daemon "$HUB" controller-manager "$PROGRAMS/kube-controller-manager" \
    --kubeconfig "$PKI/controller-manager.kubeconfig" --leader-elect=false \
    --service-account-private-key-file "$PKI/service-accounts.key" --root-ca-file "$PKI/ca.crt" \
    --use-service-account-credentials --node-monitor-grace-period="$1s" \
    --node-monitor-period=1s
}

# SQLite behind etcd's protocol, as in k3s.
start_datastore() {
  local options='_journal=WAL&cache=shared&_busy_timeout=30000'
  start_daemon "$HUB" datastore "$PROGRAMS/kine" --endpoint "sqlite://$STATE/objects.db?$options" \
    --listen-address 127.0.0.1:2379
}

start_apiserver() {
  start_daemon "$HUB" apiserver "$PROGRAMS/kube-apiserver" \
    --etcd-servers http://127.0.0.1:2379 --advertise-address "$HUB_IP" --secure-port 6443 \
    --tls-cert-file "$PKI/apiserver.crt" --tls-private-key-file "$PKI/apiserver.key" \
    --client-ca-file "$PKI/ca.crt" --kubelet-certificate-authority "$PKI/ca.crt" \
    --kubelet-client-certificate "$PKI/apiserver-to-kubelet.crt" \
    --kubelet-client-key "$PKI/apiserver-to-kubelet.key" \
    --kubelet-preferred-address-types InternalIP --allow-privileged \
    --service-account-key-file "$PKI/service-accounts.pub" \
    --service-account-signing-key-file "$PKI/service-accounts.key" \
    --service-account-issuer https://kubernetes.default.svc \
    --service-cluster-ip-range "$SERVICE_RANGE" \
    --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
    --audit-policy-file "$STATE/audit-policy.yaml" --audit-log-path "$STATE/log/audit.log"
  await_daemon 120 apiserver admin get --raw /readyz
}

# Logs the requests of service accounts. Tests of the operator's permissions and of its write rate read
# the log.
write_audit_policy() {
  cat >"$STATE/audit-policy.yaml" <<'Y'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  userGroups: ["system:serviceaccounts"]
- level: None
Y
}

start_dns() {
  admin apply --server-side -f - >/dev/null <<'Y'
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "evenkeel:dns"}
rules:
- apiGroups: [""]
  resources: [services, namespaces]
  verbs: [list, watch]
- apiGroups: [discovery.k8s.io]
  resources: [endpointslices]
  verbs: [list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: "evenkeel:dns"}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "evenkeel:dns"}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: "evenkeel:dns"}]
Y
  cat >"$STATE/Corefile" <<C
.:53 {
  bind $HUB_IP
  errors
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $PKI/dns.kubeconfig
    pods disabled
  }
  cache 5
}
C
  start_daemon "$HUB" dns "$PROGRAMS/coredns" -conf "$STATE/Corefile"
}

# As in a crash: asked to end, the API server would drain its watches for up to a minute.
stop_apiserver() {
  stop_daemon apiserver
}
