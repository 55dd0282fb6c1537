# Sourced by scripts/cluster.sh: the cluster's certificates and the kubeconfigs that go with them.

PKI=$STATE/pki

make_authority() {
  mkdir -p "$PKI"
  chmod 700 "$PKI"
  make_key ca
  openssl req -x509 -new -key "$PKI/ca.key" -out "$PKI/ca.crt" -subj /CN=evenkeel-test-cluster \
    -days 30 -addext keyUsage=critical,keyCertSign,cRLSign
  make_key service-accounts
  openssl pkey -in "$PKI/service-accounts.key" -pubout -out "$PKI/service-accounts.pub"
}

make_key() {  # NAME
  openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$PKI/$1.key" \
    2>/dev/null || openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 \
    -out "$PKI/$1.key"
}

# issue NAME SUBJECT [ALTERNATIVE-NAMES]: groups are O=, the user is CN= in the subject.
issue() {
  make_key "$1"
  openssl req -new -key "$PKI/$1.key" -subj "$2" |
    openssl x509 -req -CA "$PKI/ca.crt" -CAkey "$PKI/ca.key" -CAcreateserial -days 30 \
      -out "$PKI/$1.crt" -extfile <(echo "subjectAltName=${3:-DNS:$1}") 2>/dev/null
}

issue_control_plane() {
  local service=kubernetes.default.svc
  issue apiserver /CN=kube-apiserver "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,\
DNS:$service,DNS:$service.cluster.local,IP:127.0.0.1,IP:$HUB_IP,IP:$HUB_LINK_IP,IP:$API_SERVICE_IP"
  issue apiserver-to-kubelet /O=system:masters/CN=apiserver-to-kubelet
  issue admin /O=system:masters/CN=admin
  issue controller-manager /CN=system:kube-controller-manager
  issue scheduler /CN=system:kube-scheduler
  issue proxy /CN=system:kube-proxy
  issue dns /CN=evenkeel:dns
  local name
  for name in controller-manager scheduler proxy dns; do
    write_kubeconfig "$name" "$PKI/$name.kubeconfig"
  done
  write_kubeconfig admin "$KUBECONFIG_FILE"
}

issue_node() {  # NODE IP
  issue "node-$1" "/O=system:nodes/CN=system:node:$1" "DNS:$1,IP:$2"
  write_kubeconfig "node-$1" "$PKI/node-$1.kubeconfig"
}

# Self-contained, so that it can be copied.
write_kubeconfig() {  # NAME FILE
  (umask 077 && cat >"$2") <<Y
apiVersion: v1
kind: Config
current-context: evenkeel
contexts: [{name: evenkeel, context: {cluster: evenkeel, user: $1}}]
clusters:
- name: evenkeel
  cluster:
    server: https://$HUB_IP:6443
    certificate-authority-data: $(base64 -w0 "$PKI/ca.crt")
users:
- name: $1
  user:
    client-certificate-data: $(base64 -w0 "$PKI/$1.crt")
    client-key-data: $(base64 -w0 "$PKI/$1.key")
Y
}
