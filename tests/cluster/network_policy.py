"""What NetworkPolicies admit, worked out from the objects: the test cluster's network enforces none.

The rules are those of networking.k8s.io/v1: a pod that no policy selects for a direction is open in
that direction; one that some select may do what any of them admits. Both ends have to admit a flow."""

import dataclasses
import ipaddress


@dataclasses.dataclass(frozen=True)
class Peer:
    """One end of a flow: a pod, or, without labels, an address outside of the cluster."""
    labels: dict = None
    namespace: str = ""
    address: str = "192.0.2.1"
    ports: dict = dataclasses.field(default_factory=dict)  # by name

    @staticmethod
    def of(pod):
        """From a pod's object."""
        ports = {port["name"]: port["containerPort"] for container in pod["spec"]["containers"]
                 for port in container.get("ports", []) if "name" in port}
        return Peer(pod["metadata"].get("labels", {}), pod["metadata"]["namespace"],
                    pod["status"].get("podIP", "192.0.2.1"), ports)


def selects(selector, labels):
    """A LabelSelector; an empty one selects everything, None nothing."""
    if selector is None or labels is None:
        return False
    for key, value in selector.get("matchLabels", {}).items():
        if labels.get(key) != value:
            return False
    return all(_fulfils(labels, rule) for rule in selector.get("matchExpressions", []))


def _fulfils(labels, rule):
    there, value = rule["key"] in labels, labels.get(rule["key"])
    return {"In": there and value in rule.get("values", []),
            "NotIn": value not in rule.get("values", []),
            "Exists": there, "DoesNotExist": not there}[rule["operator"]]


class Policies:
    """All policies of a cluster, and the labels of its namespaces by name."""

    def __init__(self, policies, namespaces):
        self._policies, self._namespaces = policies, namespaces

    def admits(self, source, target, port, protocol="TCP"):
        """Whether a connection from `source` to that port (a number) of `target` is let through."""
        return (self._admits_at(source, "Egress", "egress", "to", target, target, port, protocol) and
                self._admits_at(target, "Ingress", "ingress", "from", source, target, port, protocol))

    def _admits_at(self, end, direction, rules, peers, other, target, port, protocol):
        if end.labels is None:
            return True  # no policy applies outside of the cluster
        selecting = [policy for policy in self._policies
                     if policy["metadata"]["namespace"] == end.namespace and
                     selects(policy["spec"].get("podSelector", {}), end.labels) and
                     direction in self._types(policy)]
        return not selecting or any(
            self._rule(policy, rule, peers, other, target, port, protocol)
            for policy in selecting for rule in policy["spec"].get(rules) or [])

    @staticmethod
    def _types(policy):
        default = ["Ingress"] + (["Egress"] if "egress" in policy["spec"] else [])
        return policy["spec"].get("policyTypes", default)

    def _rule(self, policy, rule, peers, other, target, port, protocol):
        ends, ports = rule.get(peers), rule.get("ports")
        return ((not ends or any(self._end(policy, end, other) for end in ends)) and
                (not ports or any(self._port(item, target, port, protocol) for item in ports)))

    def _end(self, policy, end, other):
        if "ipBlock" in end:
            address = ipaddress.ip_address(other.address)
            return (address in ipaddress.ip_network(end["ipBlock"]["cidr"]) and
                    not any(address in ipaddress.ip_network(hole)
                            for hole in end["ipBlock"].get("except", [])))
        if other.labels is None:
            return False
        if "namespaceSelector" in end:
            there = selects(end["namespaceSelector"], self._namespaces.get(other.namespace, {}))
        else:
            there = other.namespace == policy["metadata"]["namespace"]
        return there and ("podSelector" not in end or selects(end["podSelector"], other.labels))

    @staticmethod
    def _port(item, target, port, protocol):
        if item.get("protocol", "TCP") != protocol:
            return False
        wanted = item.get("port")
        if wanted is None:
            return True
        if isinstance(wanted, str):
            return target.ports.get(wanted) == port
        return wanted <= port <= item.get("endPort", wanted)
