"""The chart's Prometheus options of the operator, and the network policy that allows the queries."""

import sys
import unittest

import helm_chart
from helm_chart import named, objects, template


def operator(found):
    return named(found, "Deployment")["spec"]["template"]["spec"]


class History(unittest.TestCase):
    """Where the operator looks for earlier jobs' rates."""

    def container(self, values):
        return operator(objects(values))["containers"][0]

    def arguments(self, values):
        return [word for word in self.container(values)["args"] if "prometheus" in word or "history" in word]

    def test_by_default_it_asks_no_prometheus(self):
        self.assertEqual(self.arguments({}), [])
        self.assertEqual(self.arguments({"metrics.namespaces": ["monitoring"]}), [])

    def test_discovery_is_a_choice(self):
        self.assertEqual(self.arguments({"prometheus.discover": True}),
                         ["--discover-prometheus", "--prometheus-timeout=2",
                          "--history-window=604800"])
        self.assertIn("--prometheus-namespace=monitoring",
                      self.arguments({"prometheus.discover": True,
                                      "metrics.namespaces": ["monitoring"]}))

    def test_one_that_is_named_is_not_looked_for(self):
        self.assertEqual(self.arguments({"prometheus.url": "http://p:9090", "prometheus.timeout": 0.5,
                                         "prometheus.historyDays": 30}),
                         ["--prometheus-url=http://p:9090", "--prometheus-timeout=0.5",
                          "--history-window=2592000"])

    def test_what_is_secret_is_mounted(self):
        values = {"prometheus.url": "https://p", "prometheus.existingSecret": "access"}
        found = self.arguments(values)
        self.assertIn("--prometheus-ca-file=/etc/evenkeel/prometheus/ca.crt", found)
        self.assertIn("--prometheus-token-file=/etc/evenkeel/prometheus/token", found)
        (mount,) = [one for one in self.container(values)["volumeMounts"] if one["name"] == "prometheus"]
        self.assertEqual((mount["mountPath"], mount["readOnly"]), ("/etc/evenkeel/prometheus", True))
        volumes = {one["name"]: one for one in operator(objects(values))["volumes"]}
        self.assertEqual(volumes["prometheus"]["secret"]["secretName"], "access")
        self.assertNotIn("--prometheus-token-file=/etc/evenkeel/prometheus/token",
                         self.arguments({**values, "prometheus.tokenKey": ""}))

    def test_wrong_values_are_refused_by_name(self):
        for values, word in (({"prometheus.url": "prometheus:9090"}, "url"),
                             ({"prometheus.timeout": 0}, "timeout"),
                             ({"prometheus.historyDays": 0}, "historyDays"),
                             ({"networkPolicy.prometheusPorts": []}, "prometheusPorts")):
            with self.subTest(values=values):
                self.assertIn(word, template(values).stderr)


class Network(unittest.TestCase):
    def history_rule(self, values):
        egress = named(objects(values), "NetworkPolicy")["spec"]["egress"]
        return [rule for rule in egress if {port["port"] for port in rule["ports"]} & {9090, 9091}]

    def test_the_operator_reaches_prometheus_where_it_may_be(self):
        (anywhere,) = self.history_rule({"prometheus.discover": True})
        self.assertEqual(anywhere["to"], [{"namespaceSelector": {}}])
        (there,) = self.history_rule({"prometheus.discover": True,
                                      "metrics.namespaces": ["monitoring"]})
        self.assertEqual(there["to"][0]["namespaceSelector"]["matchExpressions"][0]["values"],
                         ["monitoring"])
        (outside,) = self.history_rule({"prometheus.url": "http://10.0.0.5:9091",
                                        "networkPolicy.prometheusPorts": [9091]})
        self.assertNotIn("to", outside)
        self.assertEqual(outside["ports"], [{"port": 9091, "protocol": "TCP"}])
        self.assertEqual(self.history_rule({}), [])


if __name__ == "__main__":
    if not helm_chart.program():
        print("skipped: no helm; scripts/cluster.sh builds one", file=sys.stderr)
        sys.exit(helm_chart.SKIPPED)
    unittest.main()
