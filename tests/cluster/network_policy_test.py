"""The evaluator of NetworkPolicies, on policies whose meaning is known. Needs no cluster."""

import unittest

from network_policy import Peer, Policies, selects

NAMESPACES = {"one": {"team": "a"}, "two": {"team": "b"}}
WEB = Peer({"app": "web"}, "one", "10.0.0.1", {"http": 80})
CLIENT = Peer({"app": "client"}, "one", "10.0.0.2")
STRANGER = Peer({"app": "client"}, "two", "10.0.0.3")
OUTSIDE = Peer(address="198.51.100.7")


def policy(selector, namespace="one", **spec):
    return {"metadata": {"namespace": namespace, "name": "p"},
            "spec": {"podSelector": selector, **spec}}


def policies(*items):
    return Policies(items, NAMESPACES)


class SelectorTest(unittest.TestCase):
    def test_selectors(self):
        labels = {"a": "1"}
        for selector, selected in (
                ({}, True), (None, False), ({"matchLabels": {"a": "1"}}, True),
                ({"matchLabels": {"a": "2"}}, False), ({"matchLabels": {"b": "1"}}, False),
                ({"matchExpressions": [{"key": "a", "operator": "In", "values": ["1"]}]}, True),
                ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}, False),
                ({"matchExpressions": [{"key": "b", "operator": "NotIn", "values": ["1"]}]}, True),
                ({"matchExpressions": [{"key": "a", "operator": "Exists"}]}, True),
                ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, False)):
            self.assertEqual(selects(selector, labels), selected, selector)


class AdmissionTest(unittest.TestCase):
    def test_without_policies_all_is_open(self):
        self.assertTrue(policies().admits(STRANGER, WEB, 80))
        self.assertTrue(policies().admits(OUTSIDE, WEB, 80))

    def test_selected_pod_is_closed(self):
        closed = policies(policy({"matchLabels": {"app": "web"}}))
        self.assertFalse(closed.admits(CLIENT, WEB, 80))
        self.assertTrue(closed.admits(WEB, CLIENT, 80))

    def test_policy_is_about_its_namespace_only(self):
        self.assertTrue(policies(policy({}, namespace="two")).admits(CLIENT, WEB, 80))

    def test_peer_of_the_same_namespace(self):
        rule = {"from": [{"podSelector": {"matchLabels": {"app": "client"}}}]}
        open_to_client = policies(policy({}, ingress=[rule]))
        self.assertTrue(open_to_client.admits(CLIENT, WEB, 80))
        self.assertFalse(open_to_client.admits(STRANGER, WEB, 80))
        self.assertFalse(open_to_client.admits(OUTSIDE, WEB, 80))

    def test_peer_of_another_namespace(self):
        rule = {"from": [{"namespaceSelector": {"matchLabels": {"team": "b"}},
                          "podSelector": {"matchLabels": {"app": "client"}}}]}
        self.assertTrue(policies(policy({}, ingress=[rule])).admits(STRANGER, WEB, 80))
        self.assertFalse(policies(policy({}, ingress=[rule])).admits(CLIENT, WEB, 80))

    def test_ports(self):
        for port, number, admitted in ((80, 80, True), (81, 80, False), ("http", 80, True),
                                       ("grpc", 80, False), (None, 80, True)):
            item = {"port": port} if port is not None else {"protocol": "TCP"}
            found = policies(policy({}, ingress=[{"ports": [item]}])).admits(CLIENT, WEB, number)
            self.assertEqual(found, admitted, port)
        span = policies(policy({}, ingress=[{"ports": [{"port": 79, "endPort": 81}]}]))
        self.assertTrue(span.admits(CLIENT, WEB, 81))
        self.assertFalse(span.admits(CLIENT, WEB, 82))
        self.assertFalse(span.admits(CLIENT, WEB, 80, "UDP"))

    def test_blocks(self):
        rule = {"from": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.0.0.3/32"]}}]}
        block = policies(policy({}, ingress=[rule]))
        self.assertTrue(block.admits(CLIENT, WEB, 80))
        self.assertFalse(block.admits(STRANGER, WEB, 80))
        self.assertFalse(block.admits(OUTSIDE, WEB, 80))

    def test_egress_closes_only_if_it_is_named(self):
        self.assertTrue(policies(policy({"matchLabels": {"app": "client"}}, ingress=[]))
                        .admits(CLIENT, WEB, 80))
        self.assertFalse(policies(policy({"matchLabels": {"app": "client"}}, egress=[]))
                         .admits(CLIENT, WEB, 80))
        self.assertFalse(policies(policy({"matchLabels": {"app": "client"}}, policyTypes=["Egress"]))
                         .admits(CLIENT, WEB, 80))

    def test_policies_add_up(self):
        both = policies(policy({}), policy({}, ingress=[{"ports": [{"port": 80}]}]))
        self.assertTrue(both.admits(CLIENT, WEB, 80))
        self.assertFalse(both.admits(CLIENT, WEB, 81))


if __name__ == "__main__":
    unittest.main()
