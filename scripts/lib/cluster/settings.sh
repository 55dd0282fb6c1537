# Sourced by the scripts of the test cluster: names, addresses and places.

KUBERNETES_VERSION=1.34.4
# Everything that a cluster writes to disk, logs included. The next run begins with an empty folder.
STATE=${EVENKEEL_CLUSTER:-$PROJECT_DIR/build/cluster}
CACHE=${EVENKEEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/evenkeel}
KUBECONFIG_FILE=$STATE/kubeconfig

# Everything outside of the state folder has a name with this prefix: network namespaces, control groups,
# the link to the machine. By the prefix a later run finds what a killed one left.
MARK=evenkeel
HUB=$MARK-hub   # the network namespace of the control plane and of the switch between the nodes
LINK=${MARK}0   # the machine's end of the cable to the hub
LINK_IP=10.77.1.2
HUB_LINK_IP=10.77.1.1
HUB_IP=10.77.0.1
NODE_NET=10.77.0  # node N is .10+N
POD_NET=10.42     # and has .N.0/24 for its pods
SERVICE_RANGE=10.43.0.0/16
API_SERVICE_IP=10.43.0.1
MAX_NODES=40

# How soon a silent node is lost. Kubernetes renews leases every 10 s and waits 50 s.
NODE_LEASE_SECONDS=12    # renewed four times in that time
NODE_GRACE_SECONDS=12

# The boards of examples/nodes/pi-trio.yaml: name and percent of one core.
TRIO=("pi4-a 40" "pi4-b 40" "pi3 9.37")
SKIPPED=77  # exit code: cannot be done on this machine
