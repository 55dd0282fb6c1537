"""Jobs one after the other on nodes whose labels say nothing true, as an operator sees them that is told
of a Prometheus."""

import json

from cluster import ClusterTest, COORDINATOR_PORTS, free_ports
from evenkeel import eventually, job
from fake_cluster import JOBS, FakeCluster, Front

# Upside down: the board that promises most is the slowest.
MODELS = {"pi4-a": "raspberry-pi-3b", "pi4-b": "raspberry-pi-3b", "pi3": "raspberry-pi-4b"}
SPEEDS = {"pi4-a": 4, "pi4-b": 4, "pi3": 1}
THREADS = 2
# Small, so that many pods fit beside each other: pods of ended jobs are not removed.
SMALL = {"resources": {"requests": {"cpu": "10m", "memory": "8Mi"}}}


class HistoryCase(ClusterTest):
    maxDiff = None
    namespace = "lab"

    def setUp(self):
        super().setUp()
        self.cluster = FakeCluster(self.folder)
        self.addCleanup(self.cluster.end)
        for name, model in MODELS.items():
            self.cluster.add_node(name, model)
        self.operator_port, self.prometheus_port = free_ports(2)

    def start_operator(self, *more):
        self.operator = self.cluster.operator(
            self.operator_port, "--prometheus-url", f"http://127.0.0.1:{self.prometheus_port}",
            "--history-window", "3600", *more)
        self.addCleanup(self.operator.end)

    def submit(self, name, workload, **sections):
        """Returns the operator's plan, rows of nodes.json by node, and the coordinator's Secret."""
        manifest = job(name, workload, worker=SMALL, **sections)
        plan, secret = self.cluster.apply(manifest)
        self.planned = json.loads(plan["job.json"])
        rows = json.loads(plan["nodes.json"])
        return {row["name"]: row for row in rows}, secret

    def run_job(self, name, workload, speeds=None, **sections):
        """Runs it to its end; the rows of its plan, and its status."""
        rows, secret = self.submit(name, workload, **sections)
        self.plan(self.planned)
        self.write("nodes.json", list(rows.values()))  # as the coordinator's pod would find it
        ports = free_ports(COORDINATOR_PORTS)
        coordinator = self.coordinator(folder=self.folder / name, ports=ports)
        front = Front(secret, coordinator, self.folder)
        self.addCleanup(front.end)
        self.cluster.run_pods(name, front.ip)
        for node, speed in (speeds or SPEEDS).items():
            self.worker(node, "--speed", str(speed), "--threads", str(THREADS), port=ports[0])
        eventually(lambda: self.cluster.status(name).get("state") == "Complete",
                   f"{name} is complete: {self.cluster.status(name)}; {self.operator.said[-2000:]}")
        return rows, self.cluster.status(name)

    def condition(self, name):
        """Status and reason of WeightsMeasured; None if it is not there."""
        for one in self.cluster.status(name).get("conditions", []):
            if one["type"] == "WeightsMeasured":
                return one["status"], one["reason"]
        return None

    def check_planned(self, rows, speeds, tolerance=0.1):
        """Ratios are those of the speeds."""
        slowest = min(speeds, key=speeds.get)
        for node, speed in speeds.items():
            ratio = rows[node]["ratio"] / rows[slowest]["ratio"]
            true = speed / speeds[slowest]
            self.assertAlmostEqual(ratio, true, delta=tolerance * true, msg=str(rows))

    def check_fuzzy(self, rows):
        self.assertGreater(rows["pi3"]["ratio"], 2 * rows["pi4-a"]["ratio"], rows)

    def sources(self, name):
        rows = eventually(lambda: self.cluster.status(name).get("workers"), f"{name} has workers")
        return {row["node"]: row["weightSource"] for row in rows}

    def forget(self, name):
        self.cluster.ask("DELETE", f"{JOBS}/{name}")
