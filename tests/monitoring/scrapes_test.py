"""The scrape configuration that docs/monitoring.md shows makes of pods the targets that dashboards and
alerts go by. Debian's Prometheus knows no Kubernetes, so pods are told to it as static targets."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

import dashboards

SKIPPED = 77
PROMTOOL = os.environ.get("EVENKEEL_PROMTOOL") or shutil.which("promtool") or ""
META = "__meta_kubernetes_"


def documented():
    page = (dashboards.ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(scrape_configs:.*?)```", page, re.DOTALL)
    return yaml.safe_load(block)


def pod(port, component, annotations=True, name="evenkeel", **labels):
    """A container's port, as Prometheus discovers it in Kubernetes."""
    found = {META + "pod_ip": "10.42.0.7", META + "namespace": "lab", META + "pod_name": "a-pod",
             META + "pod_container_port_name": port,
             META + "pod_label_app_kubernetes_io_name": name,
             META + "pod_label_app_kubernetes_io_component": component, **labels}
    if annotations:
        number = {"operator": "8080"}.get(component, "7401")
        found |= {META + "pod_annotation_prometheus_io_scrape": "true",
                  META + "pod_annotation_prometheus_io_port": number,
                  META + "pod_annotation_prometheus_io_path": "/metrics"}
    return found


def targets(*pods):
    """The labels of the targets that the configuration makes of them."""
    config = documented()
    (job,) = config["scrape_configs"]
    del job["kubernetes_sd_configs"]
    job["static_configs"] = [{"targets": [f"10.42.0.7:{number}"], "labels": labels}
                             for number, labels in enumerate(pods, start=1)]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        yaml.safe_dump(config, file)
        file.flush()
        done = subprocess.run([PROMTOOL, "check", "service-discovery", "--timeout=1s", file.name,
                               job["job_name"]], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    found = [target.get("labels") or {} for target in json.loads(done.stdout)]
    return [labels for labels in found if "__address__" in labels]


class Scrapes(unittest.TestCase):
    def test_a_coordinator_is_one_target_with_its_job(self):
        job = {META + "pod_label_evenkeel_dev_weighted_job": "primes"}
        (target,) = targets(*(pod(port, "coordinator", **job) for port in ("grpc", "health", "control")))
        self.assertEqual(target["__address__"], "10.42.0.7:7401")
        self.assertEqual(target["__metrics_path__"], "/metrics")
        self.assertEqual((target["job"], target["namespace"], target["weighted_job"], target["pod"]),
                         ("evenkeel-coordinator", "lab", "primes", "a-pod"))

    def test_the_operator_is_one_target(self):
        (target,) = targets(pod("http", "operator"))
        self.assertEqual((target["__address__"], target["job"]), ("10.42.0.7:8080", "evenkeel-operator"))
        self.assertNotIn("weighted_job", target)

    def test_others_are_left_alone(self):
        self.assertEqual(targets(pod("health", "coordinator", annotations=False),
                                 pod("http", "web", name="other")), [])


if __name__ == "__main__":
    if not os.path.exists(PROMTOOL):
        print("skipped: no promtool; Debian's package prometheus has it", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main()
