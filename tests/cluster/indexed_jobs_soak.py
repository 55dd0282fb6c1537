"""Beside what users have today: primes to a million by Evenkeel, and by Indexed Jobs of 3, 30 and 150
pods, on the same nodes."""

import json
import statistics
import subprocess
import time

import chart
import cluster_case
import jobs
import kube
import machine

END = 1_000_000
IMAGE = "localhost/evenkeel/interleaved:1"
BOUND_RATIO = 1.15  # what the project promises
PODS = (3, 30, 150)
REPETITIONS = 3  # on a machine that is never quite the same


def seconds_between(first, last):
    return (time.mktime(time.strptime(last, "%Y-%m-%dT%H:%M:%SZ")) -
            time.mktime(time.strptime(first, "%Y-%m-%dT%H:%M:%SZ")))


class IndexedJobsTest(cluster_case.ClusterTest):
    @classmethod
    def setUpClass(cls):
        folder = machine.ROOT / "build" / "cluster-files" / "interleaved"
        folder.mkdir(parents=True, exist_ok=True)
        cls.program = program = folder / "interleaved"
        subprocess.run(["gcc", "-O2", "-s", "-static", "-o", program,
                        machine.ROOT / "tests" / "cluster" / "interleaved.c"], check=True)
        image = subprocess.run(
            ["python3", machine.ROOT / "scripts/lib/cluster/tiny_image.py", IMAGE, program],
            check=True, capture_output=True).stdout
        (folder / "image.tar").write_bytes(image)
        machine.cluster("load", folder / "image.tar", seconds=300)
        cls.figures = {"bound": [], "ours": []}

    def lower_bound(self):
        """Seconds, from one undivided run on one core, just before the run that is judged by it."""
        begun = time.monotonic()
        counted = subprocess.run([self.program, str(END), "1"], env={"JOB_COMPLETION_INDEX": "0"},
                                 check=True, capture_output=True, text=True).stdout
        self.assertEqual(int(counted), jobs.primes_below(END))
        return (time.monotonic() - begun) / sum(cluster_case.SHARES.values())

    def test_a_ours(self):
        for repetition in range(REPETITIONS):
            bound = self.lower_bound()
            begun = time.time()
            job = self.submit(jobs.manifest(f"primes-{repetition}", jobs.primes(END),
                                            weighting={"policy": "paper", "mode": "Fuzzy"}))
            job.wait_complete(400)
            took = time.time() - begun
            self.check_primes(job, END)
            self.figures["bound"].append(bound)
            self.figures["ours"].append(took)
            print(f"\nours {took:.1f} s, bound {bound:.1f} s, {took / bound:.3f} x", flush=True)
        ratios = [took / bound for took, bound in zip(self.figures["ours"], self.figures["bound"])]
        self.assertLessEqual(statistics.median(ratios), BOUND_RATIO)

    def test_b_indexed_jobs(self):
        for pods in PODS:
            took, count = self.indexed(pods)
            self.figures[str(pods)] = took
            self.assertEqual(count, jobs.primes_below(END))
            print(f"Indexed Job of {pods} pods: {took:.1f} s", flush=True)
        self.assertLess(statistics.median(self.figures["ours"]),
                        min(self.figures[str(pods)] for pods in PODS))
        (machine.ROOT / "build" / "indexed-jobs.json").write_text(json.dumps(self.figures, indent=1))

    def indexed(self, pods):
        """Seconds and sum of the counts of an Indexed Job whose pods take turns at the candidates."""
        name = f"indexed-{pods}"
        container = {"name": "main", "image": IMAGE, "imagePullPolicy": "Never",
                     "args": [str(END), str(pods)],
                     "resources": {"requests": {"cpu": "10m"}},
                     "securityContext": {"allowPrivilegeEscalation": False,
                                         "capabilities": {"drop": ["ALL"]}}}
        template = {"metadata": {"labels": {"app": name}}, "spec": {
            "restartPolicy": "Never", "automountServiceAccountToken": False,
            "securityContext": {"runAsNonRoot": True, "runAsUser": 65532,
                                "seccompProfile": {"type": "RuntimeDefault"}},
            "topologySpreadConstraints": [{
                "maxSkew": 1, "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"app": name}}}],
            "containers": [container]}}
        kube.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {
            "completionMode": "Indexed", "completions": pods, "parallelism": pods,
            "template": template}}, self.namespace)
        kube.wait("condition=Complete", f"job/{name}", "-n", self.namespace, seconds=900)
        found = kube.get("job", name, "-n", self.namespace)
        text = kube.kubectl("logs", "-n", self.namespace, "-l", f"app={name}", "--tail=-1",
                            "--max-log-requests=200", seconds=300)
        kube.delete("job", name, "-n", self.namespace)
        return (seconds_between(found["metadata"]["creationTimestamp"],
                                found["status"]["completionTime"]),
                sum(int(line) for line in text.split()))


if __name__ == "__main__":
    chart.install()
    cluster_case.main()
