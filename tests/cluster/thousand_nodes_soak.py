"""A thousand nodes and a thousand jobs for one operator: memory, writes, times, and no watch lost."""

import datetime
import json
import os
import pathlib
import re
import time

import cluster_case
import faults
import jobs
import kube
import large_cluster
import machine
import operator_process

NODES = JOBS = 1000
JOB_SECONDS = 240
MEMORY_KIB = 64 * 1024
WRITES_PER_SECOND = 5
RECONCILE_SECONDS = 1.0
IDLE_CORES = 0.01
RECONNECTS, IDLE_SECONDS = 5, 90


def job(number):
    """Each on a separate node, so that all run at the same time."""
    selector = {"kubernetes.io/hostname": large_cluster.node_name(number % NODES)}
    return jobs.manifest(f"job-{number:04d}", jobs.sleeping(1000, 1), nodes={
        "selector": {"matchLabels": selector}, "maxWorkers": 1})


class ThousandNodesTest(cluster_case.ClusterTest):
    def cpu_seconds(self, pid):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak_kib(self, pid):
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        return int(re.search(r"^VmHWM:\s+(\d+) kB", status, re.M).group(1))

    def complete(self):
        return sum(jobs.condition(found, "Complete").get("status") == "True"
                   for found in kube.get("weightedjobs", "-n", self.namespace))

    def status_writes(self, since):
        """Times of writes of a status, by the API server's own log."""
        for line in (kube.place("STATE") / "log" / "audit.log").read_text().splitlines():
            entry = json.loads(line)
            place = entry.get("objectRef", {})
            if (place.get("resource"), place.get("subresource")) == ("weightedjobs", "status"):
                at = datetime.datetime.fromisoformat(
                    entry["requestReceivedTimestamp"].replace("Z", "+00:00")).timestamp()
                if at >= since and entry["verb"] in ("patch", "update"):
                    yield at

    def test_a_thousand_nodes_and_jobs(self):
        folder = machine.ROOT / "build" / "cluster-files" / "thousand"
        with large_cluster.fake_coordinators(folder, self.namespace, JOB_SECONDS), \
                large_cluster.fake_nodes(NODES, folder / "kwok.log"):
            pid, pod = operator_process.find()
            begun = time.time()
            large_cluster.create_all([job(number) for number in range(JOBS)], self.namespace)
            for _ in range(RECONNECTS):
                time.sleep(20)
                faults.api_server_stopped_for(3)
            self.wait_until_all_are_complete(3600)
            print(f"\n{JOBS} jobs complete after {time.time() - begun:.0f} s", flush=True)
            self.check_idle(pid)
            self.check_writes(list(self.status_writes(begun)))
            self.check_operator(pid, pod)
            self.check_watches_live()
            self.assertEqual(operator_process.find()[0], pid, "the operator was not restarted")
            kube.kubectl("delete", "weightedjobs", "--all", "-n", self.namespace, "--wait=false",
                         seconds=600)

    def wait_until_all_are_complete(self, seconds):
        end = time.monotonic() + seconds
        while (complete := self.complete()) < JOBS:
            self.assertLess(time.monotonic(), end, f"{complete} of {JOBS} jobs are complete")
            time.sleep(10)

    def check_idle(self, pid):
        time.sleep(20)
        before = self.cpu_seconds(pid)
        time.sleep(IDLE_SECONDS)
        cores = (self.cpu_seconds(pid) - before) / IDLE_SECONDS
        print(f"idle: {100 * cores:.2f} % of a core", flush=True)
        self.assertLess(cores, IDLE_CORES)

    def check_writes(self, times):
        worst = max(sum(at <= other < at + 10 for other in times) / 10 for at in times)
        print(f"{len(times)} writes of status, at most {worst:.1f} a second", flush=True)
        self.assertLessEqual(worst, WRITES_PER_SECOND)

    def check_operator(self, pid, pod):
        peak = self.peak_kib(pid)
        within = operator_process.share_of_reconciles(RECONCILE_SECONDS,
                                                      operator_process.metrics(pod))
        print(f"memory at most {peak / 1024:.1f} MiB, {within:.4f} of the looks at a job took "
              f"{RECONCILE_SECONDS} s or less", flush=True)
        self.assertLess(peak, MEMORY_KIB)
        self.assertGreaterEqual(within, 0.99)

    def check_watches_live(self):
        """After all that it still sees what happens to jobs, and to nodes."""
        late = self.submit(job(JOBS))
        late.until(lambda thing: thing.get("status", {}).get("conditions"), seconds=30)


if __name__ == "__main__":
    cluster_case.main()
