# Sourced by scripts/cluster.sh: the network. Every node is a network namespace with one interface,
# eth0, whose cable ends at a bridge in the hub's namespace. The hub routes between the nodes' pods.
# The machine has one link to the hub and two routes; its own network settings do not change.

make_hub() {
  ip netns add "$HUB"
  ip -n "$HUB" link set lo up
  ip -n "$HUB" link add switch type bridge
  ip -n "$HUB" addr add "$HUB_IP/24" dev switch
  ip -n "$HUB" link set switch up
  ip link add "$LINK" type veth peer name machine netns "$HUB"
  ip -n "$HUB" addr add "$HUB_LINK_IP/30" dev machine
  ip -n "$HUB" link set machine up
  ip addr add "$LINK_IP/30" dev "$LINK"
  ip link set "$LINK" up
  ip route add "$NODE_NET.0/24" via "$HUB_LINK_IP" src "$LINK_IP"
  ip route add "$POD_NET.0.0/16" via "$HUB_LINK_IP" src "$LINK_IP"
  forward_in "$HUB"
}

forward_in() {  # NETWORK-NAMESPACE
  nsenter --net="/run/netns/$1" sysctl -qw net.ipv4.ip_forward=1
}

connect_node() {  # NODE NUMBER
  local space=$MARK-$1 number=$2 address=$NODE_NET.$((10 + $2))
  ip netns add "$space"
  ip -n "$HUB" link add "port$number" type veth peer name eth0 netns "$space"
  ip -n "$HUB" link set "port$number" master switch up
  ip -n "$space" link set lo up
  ip -n "$space" addr add "$address/24" dev eth0
  ip -n "$space" link set eth0 up
  ip -n "$space" route add default via "$HUB_IP"
  ip -n "$HUB" route replace "$POD_NET.$number.0/24" via "$address"
  forward_in "$space"
}

# Sets the other end down, so that the node loses its carrier as with a pulled cable.
pull_cable() {  # NUMBER
  ip -n "$HUB" link set "port$1" down
}

plug_cable() {  # NUMBER
  ip -n "$HUB" link set "port$1" up
  ip -n "$HUB" route replace "$POD_NET.$1.0/24" via "$NODE_NET.$((10 + $1))"
}

disconnect_node() {  # NODE NUMBER
  if network_exists "$HUB"; then ip -n "$HUB" link del "port$2" 2>/dev/null || true; fi
  remove_network "$MARK-$1"
}

network_exists() {
  [ -e "/run/netns/$1" ]
}

# Kills the processes in it, and removes it.
remove_network() {  # NETWORK-NAMESPACE
  local pid
  network_exists "$1" || return 0
  for pid in $(ip netns pids "$1" 2>/dev/null); do kill -KILL "$pid" 2>/dev/null || true; done
  ip netns del "$1"
}

# Prints every network namespace of a cluster, recorded or not.
networks() {
  ip netns list | awk -v mark="$MARK-" 'index($1, mark) == 1 { print $1 }'
}

remove_networks() {
  local space
  for space in $(networks); do remove_network "$space"; done
  ip link del "$LINK" 2>/dev/null || true
}
