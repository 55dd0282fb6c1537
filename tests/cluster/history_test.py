"""The loop through Prometheus on real nodes: what they did for a job, the next one of its profile starts
with. Labels are upside down meanwhile, so that nothing else could tell."""

import json
import subprocess
import sys
import time

import chart
import cluster_case
import jobs
import kube
import machine
import node_facts
import prometheus

END = 1_000_000
SLOW = {"cpu": "Cortex-A53", "cpu-mhz": "1200", "model": "raspberry-pi-3b", "os-bits": "32"}
FAST = {"cpu": "Cortex-A72", "cpu-mhz": "1500", "model": "raspberry-pi-4b", "os-bits": "64"}
LIES = {"pi4-a": SLOW, "pi4-b": SLOW, "pi3": FAST}
PAUSE = 30  # seconds that the operator leaves a Prometheus alone which has failed


class HistoryTest(cluster_case.ClusterTest):
    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(chart.install)  # as it was
        cls.enterClassContext(node_facts.changed(LIES))
        address = prometheus.own_address(chart.operator_pods()[0]["status"]["podIP"])
        port = prometheus.free_port(address)
        cls.place = (address, port)
        cls.prometheus = prometheus.Prometheus(address, port)
        cls.addClassCleanup(cls.prometheus.end)
        chart.install("--set", f"prometheus.url={cls.prometheus.url}", "--set",
                      "prometheus.historyDays=1", "--set", f"networkPolicy.prometheusPorts={{{port}}}")

    def setUp(self):
        super().setUp()
        self.prometheus.start(empty=True)
        self.addCleanup(self.prometheus.stop)

    def run_job(self, name, workload, **sections):
        """Runs it to its end; the rows of its plan by node."""
        job = self.submit(jobs.manifest(name, workload, **sections))
        job.wait_complete()
        return job, self.planned(job)

    def planned(self, job):
        plan = kube.get("configmap", f"{job.name}-plan", "-n", self.namespace)["data"]
        return {row["name"]: row for row in json.loads(plan["nodes.json"])}

    def reason(self, job):
        thing = job.until(lambda one: jobs.condition(one, "WeightsMeasured"),
                          what="it says where weights come from")
        return jobs.condition(thing, "WeightsMeasured")["reason"]

    def sources(self, job):
        return {row["node"]: row["weightSource"] for row in job.status()["workers"]}

    def check_planned(self, rows, rates, tolerance=0.1):
        """Ratios are those of the rates."""
        slowest = min(rates, key=rates.get)
        for node, rate in rates.items():
            ratio, true = rows[node]["ratio"] / rows[slowest]["ratio"], rate / rates[slowest]
            self.assertAlmostEqual(ratio, true, delta=tolerance * true, msg=cluster_case.show(rows))

    def check_fuzzy(self, rows):
        self.assertGreater(rows["pi3"]["ratio"], 2 * rows["pi4-a"]["ratio"], cluster_case.show(rows))

    @staticmethod
    def figures(job):
        """One readable line about the balancing of a run."""
        summary = job.summary()
        found = {"job": job.name, "makespanSeconds": summary["makespanSeconds"],
                 "efficiency": summary["efficiency"], "moves": summary["moves"],
                 "stolenTasks": sum(node["stolenIn"] for node in summary["nodes"]),
                 "loadImbalancePercent": summary["loadImbalancePercent"],
                 "nodes": {node["name"]: {"ratio": node["ratio"], "share": node["share"],
                                          "completed": node["completed"], "rate": node.get("rate")}
                           for node in summary["nodes"]}}
        print(json.dumps(found), file=sys.stderr)
        return found

    def test_the_second_job_starts_with_what_the_first_one_showed(self):
        job, rows = self.run_job("first", jobs.primes(END))
        self.check_primes(job, END)
        self.check_fuzzy(rows)
        self.assertEqual(set(self.sources(job).values()), {"Fuzzy"})
        first = self.figures(job)
        self.prometheus.wait_history("primes", cluster_case.SHARES)

        job, rows = self.run_job("second", jobs.primes(END))
        self.check_primes(job, END)
        second = self.figures(job)
        self.check_planned(rows, {name: node["rate"] for name, node in second["nodes"].items()})
        self.check_planned(rows, cluster_case.SHARES, tolerance=0.2)  # operator and coordinator take theirs of these
        self.assertEqual(set(self.sources(job).values()), {"Measured"})
        self.assertEqual(self.reason(job), "Measured")
        self.assertLess(second["stolenTasks"], 0.5 * first["stolenTasks"])
        # Stealing has the first job end evenly, too: below two per cent it is a matter of luck.
        self.assertLessEqual(second["loadImbalancePercent"], max(first["loadImbalancePercent"], 2.0))
        self.assertLess(second["makespanSeconds"], 1.05 * first["makespanSeconds"])
        self.assertIn("3 of 3 nodes", self.explained(job))

        job, rows = self.run_job("plain", jobs.sleeping(30, 0.1), profile="primes",
                                 weighting={"mode": "Fuzzy"})
        self.check_fuzzy(rows)
        self.assertEqual(set(self.sources(job).values()), {"Fuzzy"})
        self.assertEqual(jobs.condition(job.get(), "WeightsMeasured"), {})

    def explained(self, job):
        program = machine.ROOT / "build" / "release" / "bin" / "kubectl-evenkeel"
        return subprocess.run([str(program), "explain", job.name, "-n", self.namespace],
                              env=kube.environment(), check=True, timeout=60, capture_output=True,
                              text=True).stdout

    def test_profiles_have_histories_of_their_own(self):
        """Primes go by the share of a core that a board has; who sleeps is as fast anywhere."""
        self.run_job("counting", jobs.primes(400_000), profile="counting")
        self.run_job("sleeping", jobs.sleeping(150, 0.2), profile="sleeping")
        for profile in ("counting", "sleeping"):
            self.prometheus.wait_history(profile, cluster_case.SHARES)
        _, rows = self.run_job("again", jobs.primes(10_000), profile="counting")
        self.check_planned(rows, cluster_case.SHARES, tolerance=0.25)  # of a short job on a slow board
        _, rows = self.run_job("asleep", jobs.sleeping(30, 0.1), profile="sleeping")
        self.check_planned(rows, dict.fromkeys(cluster_case.SHARES, 1.0), tolerance=0.15)
        _, rows = self.run_job("new", jobs.sleeping(30, 0.1), profile="never-heard-of")
        self.check_fuzzy(rows)

    def test_a_job_between_two_scrapes_is_in_the_history(self):
        self.prometheus.stop()
        self.prometheus.start(interval=15, empty=True)
        job, _ = self.run_job("brief", jobs.sleeping(75, 0.2), profile="brief")  # 5 s on three nodes
        self.assertEqual(job.status()["tasks"]["completed"], 75)
        self.prometheus.wait_history("brief", cluster_case.SHARES)
        job, rows = self.run_job("next", jobs.sleeping(30, 0.1), profile="brief")
        self.check_planned(rows, dict.fromkeys(cluster_case.SHARES, 1.0), tolerance=0.2)
        self.assertEqual(set(self.sources(job).values()), {"Measured"})

    def test_prometheus_stopped_empty_and_replaced_by_something_else(self):
        """Jobs run as without Prometheus, and report that."""
        self.run_job("before", jobs.sleeping(150, 0.2))
        self.prometheus.wait_history("synthetic", cluster_case.SHARES)
        self.prometheus.stop()
        self.check_runs_without("stopped", "PrometheusUnreachable")
        self.prometheus.start(empty=True)
        self.check_runs_without("empty", "NoHistory")
        self.prometheus.stop()
        with prometheus.something_else(*self.place):
            self.check_runs_without("garbage", "PrometheusAnswerInvalid")

    def check_runs_without(self, name, reason):
        """Jobs until one has this reason: the operator goes by its last failure for a while."""
        end = time.monotonic() + 3 * PAUSE
        for number in range(20):
            job, rows = self.run_job(f"{name}-{number}", jobs.sleeping(30, 0.1), profile=f"{name}-{number}")
            self.check_fuzzy(rows)
            self.assertEqual(job.status()["tasks"]["completed"], 30)
            self.assertEqual(set(self.sources(job).values()), {"Fuzzy"})
            found = self.reason(job)
            if found == reason:
                return
            self.assertLess(time.monotonic(), end, f"{reason} awaited, found {found}")
            time.sleep(5)  # of the pause


if __name__ == "__main__":
    if not prometheus.PROGRAM:
        print("skipped: no Prometheus; Debian's package prometheus has it", file=sys.stderr)
        sys.exit(machine.SKIPPED)
    cluster_case.main()
