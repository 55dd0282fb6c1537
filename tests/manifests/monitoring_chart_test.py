"""The chart's objects for Prometheus and Grafana: optional, and they match the operator's objects."""

import json
import sys
import unittest

import yaml

import helm_chart
from helm_chart import kinds, named, objects, template

MONITORING = ("monitoring.coreos.com/v1",)
DASHBOARDS = {"dashboards.enabled": True}
BOARDS = ("cluster", "job", "operator")
COORDINATORS = {"app.kubernetes.io/name": "evenkeel", "app.kubernetes.io/component": "coordinator"}


def config_maps(values):
    return {thing["metadata"]["name"]: thing for thing in objects(values)
            if thing["kind"] == "ConfigMap"}


class Dashboards(unittest.TestCase):
    def test_each_is_a_config_map_that_the_sidecar_finds(self):
        found = config_maps(DASHBOARDS)
        self.assertEqual(set(found), {f"evenkeel-dashboard-{board}" for board in BOARDS})
        for board in BOARDS:
            thing = found[f"evenkeel-dashboard-{board}"]
            self.assertEqual(thing["metadata"]["labels"]["grafana_dashboard"], "1")
            self.assertEqual(thing["metadata"]["namespace"], helm_chart.NAMESPACE)
            self.assertNotIn("annotations", thing["metadata"])
            (name, text), = thing["data"].items()
            self.assertEqual(name, f"evenkeel-{board}.json")
            file = helm_chart.FOLDER / "dashboards" / f"{board}.json"
            self.assertEqual(json.loads(text), json.loads(file.read_text(encoding="utf-8")))

    def test_they_go_where_they_are_wanted(self):
        found = config_maps({**DASHBOARDS, "dashboards.namespace": "grafana", "dashboards.label": "a.b/c",
                             "dashboards.labelValue": "yes", "dashboards.folder": "Batch work",
                             "dashboards.labels": {"team": "lab"},
                             "dashboards.annotations": {"note": "x"}})
        for thing in found.values():
            self.assertEqual(thing["metadata"]["namespace"], "grafana")
            self.assertEqual(thing["metadata"]["labels"]["a.b/c"], "yes")
            self.assertEqual(thing["metadata"]["labels"]["team"], "lab")
            self.assertEqual(thing["metadata"]["annotations"],
                             {"grafana_folder": "Batch work", "note": "x"})

    def test_config_maps_have_room_for_them(self):
        for thing in config_maps(DASHBOARDS).values():
            self.assertLess(len(json.dumps(thing)), 256 * 1024)  # of an annotation of kubectl apply


class Scrapes(unittest.TestCase):
    def test_the_pod_monitor_finds_coordinators(self):
        spec = named(objects({"metrics.podMonitor.enabled": True}, apis=MONITORING), "PodMonitor")["spec"]
        self.assertEqual(spec["namespaceSelector"], {"any": True})
        self.assertEqual(spec["selector"], {"matchLabels": COORDINATORS})
        (endpoint,) = spec["podMetricsEndpoints"]
        self.assertEqual((endpoint["port"], endpoint["path"]), ("health", "/metrics"))
        self.assertTrue(endpoint["honorLabels"])
        labels = {rule["targetLabel"]: rule.get("replacement", rule.get("sourceLabels"))
                  for rule in endpoint["relabelings"]}
        self.assertEqual(labels, {
            "job": "evenkeel-coordinator",
            "weighted_job": ["__meta_kubernetes_pod_label_evenkeel_dev_weighted_job"]})

    def test_the_pod_monitor_keeps_to_the_namespaces_of_the_operator(self):
        spec = named(objects({"metrics.podMonitor.enabled": True, "watch.namespaces": ["a", "b"]},
                             apis=MONITORING), "PodMonitor")["spec"]
        self.assertEqual(spec["namespaceSelector"], {"matchNames": ["a", "b"]})

    def test_the_service_monitor_names_the_job(self):
        found = objects({"metrics.serviceMonitor.enabled": True}, apis=MONITORING)
        (endpoint,) = named(found, "ServiceMonitor")["spec"]["endpoints"]
        self.assertEqual(endpoint["relabelings"][0]["replacement"], "evenkeel-operator")

    def test_annotations_where_they_are_wanted(self):
        pod = named(objects(), "Deployment")["spec"]["template"]
        self.assertNotIn("prometheus.io/scrape", pod["metadata"]["annotations"])
        self.assertNotIn("--metrics-annotations", pod["spec"]["containers"][0]["args"])
        pod = named(objects({"metrics.annotations": True}), "Deployment")["spec"]["template"]
        self.assertEqual(pod["metadata"]["annotations"]["prometheus.io/port"], "8080")
        self.assertEqual(pod["metadata"]["annotations"]["prometheus.io/scrape"], "true")
        self.assertIn("--metrics-annotations", pod["spec"]["containers"][0]["args"])


class Rules(unittest.TestCase):
    def test_alerts_are_those_of_the_file(self):
        file = yaml.safe_load((helm_chart.FOLDER / "files" / "rules.yaml").read_text(encoding="utf-8"))
        found = objects({"metrics.prometheusRule.enabled": True,
                         "metrics.prometheusRule.labels": {"release": "prometheus"}}, apis=MONITORING)
        rule = named(found, "PrometheusRule")
        self.assertEqual(rule["spec"]["groups"], file["groups"])
        self.assertEqual(rule["metadata"]["labels"]["release"], "prometheus")

    def test_links_lead_where_the_pages_are(self):
        found = objects({"metrics.prometheusRule.enabled": True,
                         "metrics.prometheusRule.runbookUrl": "https://wiki.example/x/"}, apis=MONITORING)
        for group in named(found, "PrometheusRule")["spec"]["groups"]:
            for rule in group["rules"]:
                self.assertRegex(rule["annotations"]["runbook_url"],
                                 r"^https://wiki\.example/x/[a-z-]+\.md$")


class Flags(unittest.TestCase):
    def test_objects_wait_for_their_api(self):
        found = kinds(objects({"metrics.podMonitor.enabled": True, "metrics.prometheusRule.enabled": True}))
        self.assertNotIn("PodMonitor", found)
        self.assertNotIn("PrometheusRule", found)

    def test_wrong_values_are_refused_by_name(self):
        for values, word in (({"dashboards.enabled": "yes"}, "enabled"),
                             ({"dashboards.colour": "red"}, "colour"),
                             ({"dashboards.label": "not a label"}, "label"),
                             ({"dashboards.labelValue": "a b"}, "labelValue"),
                             ({"metrics.podMonitor.interval": "often"}, "interval"),
                             ({"metrics.prometheusRule.runbookUrl": "wiki"}, "runbookUrl")):
            with self.subTest(values=values):
                done = template(values)
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(word, done.stderr)


if __name__ == "__main__":
    if not helm_chart.program():
        print("skipped: no helm; scripts/cluster.sh builds one", file=sys.stderr)
        sys.exit(helm_chart.SKIPPED)
    unittest.main()
