"""The paper's trio: weights 5, 5, 1, and one job watched from its creation to its results."""

import subprocess
import tempfile
import threading
import time

import cluster_case
import jobs
import kube

END = 1_000_000
WEIGHTS = {"pi4-a": 5, "pi4-b": 5, "pi3": 1}


class TrioTest(cluster_case.ClusterTest):
    """One run of one job; the tests check its observations."""

    @classmethod
    def setUpClass(cls):
        cls.shared = "t-trio"
        kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": cls.shared}})
        cls.job = jobs.Job("primes", cls.shared)
        cls.seen, cls.workers = [], {}
        watcher = threading.Thread(target=cls.watch)
        watcher.start()
        try:
            kube.create(jobs.manifest("primes", jobs.primes(END, list=True),
                                      weighting={"policy": "paper", "mode": "Fuzzy"}), cls.shared)
            cls.job.wait_workers(3)
            cls.workers = cls.job.workers()
            cls.waited = subprocess.run(
                ["kubectl", "wait", "--for=condition=Complete", "weightedjob/primes", "-n",
                 cls.shared, "--timeout=180s"], env=kube.environment(), capture_output=True, text=True)
        finally:
            watcher.join()
        cls.status = cls.job.status()

    @classmethod
    def watch(cls):
        def note(objects):
            status = objects.get("primes", {}).get("status", {})
            if status and (not cls.seen or cls.seen[-1][1] != status):
                cls.seen.append((time.time(), status))
            return jobs.condition({"status": status}, "Complete").get("status") == "True"
        kube.until(note, "weightedjobs", "-n", cls.shared, seconds=240, what="the job is complete")

    @classmethod
    def tearDownClass(cls):
        kube.delete("namespace", cls.shared, wait=False)

    def test_kubectl_wait_returns(self):
        self.assertEqual(self.waited.returncode, 0, self.waited.stderr)

    def test_weights_are_the_published_ones(self):
        found = {row["node"]: row["weight"] for row in self.status["workers"]}
        self.assertEqual(found, WEIGHTS)

    def test_pods_are_labelled_with_them(self):
        found = {node: pod["metadata"]["labels"]["evenkeel.dev/weight"]
                 for node, pod in self.workers.items()}
        self.assertEqual(found, {node: str(weight) for node, weight in WEIGHTS.items()})
        for node, pod in self.workers.items():
            ratio = float(pod["metadata"]["annotations"]["evenkeel.dev/ratio"])
            self.assertEqual(ratio, WEIGHTS[node])  # policy paper divides by whole numbers
            self.assertEqual(pod["spec"].get("nodeName"), node)

    def test_count_is_exact(self):
        self.check_primes(self.job, END)
        self.check_covered_once(self.job)

    def test_progress_moves_and_only_forwards(self):
        completed = [status["tasks"]["completed"] for _, status in self.seen
                     if "completed" in status.get("tasks", {})]
        self.assertEqual(completed, sorted(completed))
        self.assertGreaterEqual(len(set(completed)), 4, self.seen)
        percents = {status.get("progress") for _, status in self.seen}
        self.assertIn("100%", percents)
        self.assertGreaterEqual(len(percents), 4)

    def test_estimate_is_there_and_near(self):
        """Those of the second half of the run are right to a fifth of what the whole run takes."""
        def seconds(text):
            return time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone
        end = seconds(self.status["completionTime"])
        begin = seconds(self.status["startTime"])
        estimates = [(at, seconds(status["estimatedCompletionTime"])) for at, status in self.seen
                     if "estimatedCompletionTime" in status and "completionTime" not in status]
        self.assertGreaterEqual(len(estimates), 2, self.seen)
        for at, estimate in estimates:
            if at > (begin + end) / 2:
                self.assertAlmostEqual(estimate, end, delta=0.2 * (end - begin) + 2)

    def test_status_is_written_rarely(self):
        """At most every 10 s or 5 % of progress, and at changes of a condition."""
        changes = len({str(status.get("conditions")) for _, status in self.seen})
        took = self.seen[-1][0] - self.seen[0][0]
        self.assertLessEqual(len(self.seen), took / 10 + 20 + changes + 2)

    def test_columns_are_what_people_look_for(self):
        lines = kube.kubectl("get", "wj", "-n", self.shared).splitlines()
        for column in ("STATUS", "PROGRESS", "ETA", "WORKERS", "AGE"):
            self.assertIn(column, lines[0].split())
        self.assertIn("100%", lines[1])

    def test_results_are_fetched(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("primes.npy", self.job.fetch_results(folder))

    def test_faster_boards_did_more(self):
        done = {row["node"]: row["completed"] for row in self.status["workers"]}
        self.assertGreater(done["pi4-a"], 2 * done["pi3"])
        self.assertGreater(done["pi4-b"], 2 * done["pi3"])


if __name__ == "__main__":
    cluster_case.main()
