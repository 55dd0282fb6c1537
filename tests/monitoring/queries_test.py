"""Every query of every dashboard, asked of a real Prometheus that scraped a real run: a coordinator
with its workers, and the operator. And what the operator remembers of jobs that are over."""

import json
import os
import shutil
import subprocess
import sys
import unittest
import urllib.request

import dashboards
import prometheus

SKIPPED = 77
PROMTOOL = os.environ.get("EVENKEEL_PROMTOOL") or shutil.which("promtool") or ""
if not all(map(os.path.exists, (prometheus.PROGRAM, PROMTOOL))):
    print("skipped: no Prometheus; Debian's package prometheus has it", file=sys.stderr)
    sys.exit(SKIPPED)

from cluster import ClusterTest, COORDINATOR_PORTS, free_ports  # noqa: E402
from evenkeel import eventually, job, synthetic  # noqa: E402
from fake_cluster import FakeCluster, Front  # noqa: E402

CONFIG = """global: {{scrape_interval: 1s}}
scrape_configs:
- job_name: evenkeel-coordinator
  honor_labels: true
  static_configs: [{{targets: ['127.0.0.1:{coordinator}'], labels: {{namespace: lab, weighted_job: slow}}}}]
- job_name: evenkeel-operator
  static_configs: [{{targets: ['127.0.0.1:{operator}'], labels: {{namespace: evenkeel-system, pod: operator-a}}}}]
"""
# Values of Grafana's variables, for a Prometheus that scrapes each second.
ANY = {"__rate_interval": "5s", "__range": "20s", "datasource": "test"}
OF_JOBS = {**ANY, "namespace": "lab", "job": "slow"}
OF_THE_OPERATOR = {**ANY, "namespace": "evenkeel-system", "job": "evenkeel-operator"}
SPEEDS = {"pi4-a": 4, "pi4-b": 1, "pi3": 1}  # pi4-b is not what its model promises


class QueriesTest(ClusterTest):
    maxDiff = None
    namespace = "lab"

    def setUp(self):
        super().setUp()
        self.cluster = FakeCluster(self.folder)
        self.addCleanup(self.cluster.end)
        for name, model in (("pi4-a", "raspberry-pi-4b"), ("pi4-b", "raspberry-pi-4b"),
                            ("pi3", "raspberry-pi-3b")):
            self.cluster.add_node(name, model)
        self.operator_port, prometheus_port = free_ports(2)
        self.operator = self.start_operator()
        self.prometheus = prometheus.Prometheus(self.folder, prometheus_port, CONFIG.format(
            coordinator=self.ports[1], operator=self.operator_port))
        self.addCleanup(self.prometheus.end)
        eventually(self.prometheus.ready, "Prometheus is ready")

    def start_operator(self):
        started = self.cluster.operator(self.operator_port)
        self.addCleanup(started.end)
        return started

    def begin(self, manifest, ports):
        """Coordinator and workers of a job, as the operator planned them."""
        plan, secret = self.cluster.apply(manifest)
        self.plan(json.loads(plan["job.json"]), *json.loads(plan["nodes.json"]))
        coordinator = self.coordinator(folder=self.folder / self.job_name,
                                       ports=ports)
        front = Front(secret, coordinator, self.folder)
        self.addCleanup(front.end)
        self.cluster.run_pods(self.job_name, front.ip)
        for node, speed in SPEEDS.items():
            self.worker(node, "--speed", str(speed), "--threads", "2", port=ports[0])
        return coordinator

    def await_complete(self, name):
        eventually(lambda: self.cluster.status(name).get("state") == "Complete",
                   f"{name} is complete: {self.cluster.status(name)}; {self.operator.said[-2000:]}")

    def exposition(self, port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            return answer.read().decode()

    def test_a_run_that_prometheus_watched(self):
        slow = self.begin(job("slow", synthetic(1200, {"uniform": [0.05, 0.15]})), self.ports)
        # No scrape ever sees the coordinator of this one.
        quick = self.begin(job("quick", synthetic(30, {"constant": 0.1}), profile="brief"),
                           free_ports(COORDINATOR_PORTS))
        self.await_complete("quick")
        self.await_complete("slow")
        self.check_history(slow, quick)
        self.check_queries()
        self.check_expositions()
        self.check_successor()

    def check_history(self, slow, quick):
        for coordinator, profile in ((slow, "synthetic"), (quick, "brief")):
            done = {row["node"]: row for row in coordinator.progress()["work"]}
            self.assertEqual(set(done), set(SPEEDS))
            for metric, field in (("work_units", "units"), ("busy_seconds", "busySeconds")):
                query = f'increase(evenkeel_history_{metric}_total{{profile="{profile}"}}[1m])'
                # increase() extrapolates to the whole range of the query.
                found = eventually(lambda: {node: rise for node, rise in self.prometheus.now(query).items()
                                            if rise > 0} or None, f"{profile} is in the history")
                total = f'evenkeel_history_{metric}_total{{profile="{profile}"}}'
                for node, value in self.prometheus.now(total).items():
                    self.assertAlmostEqual(value, done[node][field], delta=1e-5 * value)
                    self.assertGreaterEqual(found[node], 0.9 * value)
        self.assertEqual(self.prometheus.values('evenkeel_job_state{weighted_job="quick"}'), [])

    def check_queries(self):
        empty = []
        for name in dashboards.NAMES:
            board = dashboards.load(name)
            values = OF_THE_OPERATOR if name == "operator" else OF_JOBS
            for title, expression in dashboards.queries(board):
                expression = expression.replace(" or vector(0)", "")  # or it would never be empty
                empty.append((f"{name}: {title}: {expression}", dashboards.filled(expression, values)))
            for variable, selector, label in dashboards.variables(board):
                found = self.prometheus.api(f"label/{label}/values", **{
                    "match[]": dashboards.filled(selector, values)})
                self.assertEqual(found, [values[variable]])

        def still_empty():
            empty[:] = [one for one in empty if not self.prometheus.values(one[1])]
            return not empty
        # What rose in the last second is in a range of the next one.
        try:
            eventually(still_empty, "all queries have answers", patience=10)
        except AssertionError:
            self.assertEqual([one[0] for one in empty], [])

    def check_expositions(self):
        """The exposed metrics match the catalogue, and promtool reports no problem."""
        known = dashboards.catalogue()
        for port in (self.ports[1], self.operator_port):
            text = self.exposition(port)
            done = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True,
                                  text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))
            names = {line.split("{")[0].split(" ")[0] for line in text.splitlines()
                     if line and not line.startswith("#")}
            self.assertEqual(names - set(known), set())

    def check_successor(self):
        """The next operator finds jobs that are over and counts none of them again."""
        self.assertEqual(self.operator.await_exit(), 0)
        self.operator = self.start_operator()
        looked = eventually(lambda: self.looks() if self.looks() >= 2 else None,
                            "the next operator has looked at both jobs")
        self.assertGreaterEqual(looked, 2)
        text = self.exposition(self.operator_port)
        self.assertRegex(text, r'(?m)^evenkeel_jobs\{state="Complete"\} 2$')
        self.assertRegex(text, r'(?m)^evenkeel_history_jobs_total\{outcome="counted"\} 0$')
        self.assertNotIn("evenkeel_history_work_units_total{", text)

    def looks(self):
        try:
            text = self.exposition(self.operator_port)
        except OSError:
            return 0
        return sum(float(line.split(" ")[1]) for line in text.splitlines()
                   if line.startswith("controller_runtime_reconcile_total{"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
