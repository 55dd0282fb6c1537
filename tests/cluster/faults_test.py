"""Each test causes a fault, or two at once, during a job that counts primes. The count must be exact although
no task may be retried: the loss of a node or pod is not charged to a task."""

import contextlib
import re
import time

import chart
import cluster_case
import faults
import jobs
import kube
import machine

END = 700_000           # about 20 s on the trio
SHORT = 600_000         # about 14 s, and longer where several jobs share it
LONGER = 1_000_000      # about 40 s
LONGEST = 1_300_000     # about 60 s
SLOW, FAST = "pi3", "pi4-b"
SMALL = {"resources": {"requests": {"cpu": "50m"}}}  # so that several jobs share a small node
LEASE = "evenkeel-operator"
OUTAGE = 20             # seconds, at least; the operator's lease takes 8 s, a node counts as silent after 12 s
OUTAGE_PATIENCE = 240   # seconds until the job is complete


class FaultCase(cluster_case.ClusterTest):
    def begin(self, end=END, part=0.1, **sections):
        """Returns a job of which a part is done, and that fails with the first failed task."""
        strict = {"backoffLimitPerTask": 0, "maxFailedTasks": 0}
        job = self.submit(jobs.manifest("primes", jobs.primes(end), taskPolicy=strict,
                                        weighting={"policy": "paper", "mode": "Fuzzy"},
                                        worker=SMALL, **sections))
        job.wait_workers(3)
        job.wait_part(part)
        return job

    def finish(self, job, end=END, seconds=240):
        job.wait_complete(seconds)
        self.check_primes(job, end)

    def begin_on_claim(self, **options):
        self.claim_new_volume("results", "pi4-a")
        return self.begin(resultStorage={"persistentVolumeClaim": "results"}, **options)


class PodFaultTest(FaultCase):
    beside = True

    def test_worker_pod_deleted(self):
        job = self.begin(LONGER)  # a job that is complete gets no new worker
        before = job.workers()[FAST]["metadata"]
        faults.delete_pod(before["name"], self.namespace)
        kube.until(lambda pods: any(pod["metadata"]["uid"] != before["uid"] and
                                    pod["status"].get("phase") in ("Running", "Succeeded")
                                    for pod in pods.values()),
                   "pods", "-n", self.namespace, "--field-selector",
                   f"metadata.name={before['name']}", what="the worker's pod is there again")
        self.finish(job, LONGER)

    def test_worker_process_killed(self):
        job = self.begin(SHORT)
        faults.kill_process(job.workers()[FAST], "evenkeel-worker")
        self.finish(job, SHORT)

    def test_coordinator_pod_killed(self):
        job = self.begin_on_claim(part=0.3)
        done = job.status()["tasks"]["completed"]
        faults.delete_pod(job.coordinator()["metadata"]["name"], self.namespace)
        job.until(lambda thing: thing["status"]["tasks"].get("completed", 0) > done,
                  what="the next coordinator goes on where the first was")
        self.finish(job)
        self.check_covered_once(job)


class ClusterFaultTest(FaultCase):
    """Run alone: these faults affect all jobs."""

    def leader(self):
        lease = kube.get("lease", "-n", cluster_case.OPERATOR_NAMESPACE, LEASE)
        return lease["spec"].get("holderIdentity") or ""

    def test_cable_pulled_and_node_killed(self):
        """Both fail at once, and only the coordinator's board is left. Then both return."""
        job = self.begin()
        victim = next(node for node in (FAST, "pi4-a")
                      if node != job.coordinator()["spec"]["nodeName"])
        worker = job.workers()[victim]["metadata"]["uid"]
        self.assertEqual(len(machine.pod_processes(worker, "evenkeel-worker")), 1)
        with faults.pulled_cable(SLOW), faults.dead_node(victim):
            self.assertEqual(machine.pod_processes(worker, "evenkeel-worker"), [])
            for node in (SLOW, victim):
                faults.node_ready(node, False)
        faults.node_ready(SLOW)
        self.finish(job)

    def test_node_added(self):
        job = self.begin(LONGEST, part=0.05)
        with faults.extra_node("pi5", 60, "pi4-a"):
            job.until(lambda thing: any(row["node"] == "pi5" and row.get("completed", 0) > 0
                                        for row in thing["status"].get("workers", [])),
                      what="the new node has done something")
            self.finish(job, LONGEST)
        kube.delete("weightedjob", "primes", "-n", self.namespace)

    def test_second_replica_takes_over(self):
        scale = ("scale", "deployment", chart.RELEASE, "-n", cluster_case.OPERATOR_NAMESPACE)
        with contextlib.ExitStack() as after:
            after.callback(kube.kubectl, *scale, "--replicas=1")
            kube.kubectl(*scale, "--replicas=2")
            kube.wait("jsonpath={.status.availableReplicas}=2", f"deployment/{chart.RELEASE}",
                      "-n", cluster_case.OPERATOR_NAMESPACE)
            job = self.begin(part=0.05)
            leader = self.leader()
            victim = next(pod["metadata"]["name"] for pod in chart.operator_pods()
                          if pod["metadata"]["name"] in leader)
            faults.delete_pod(victim, cluster_case.OPERATOR_NAMESPACE)
            kube.until(lambda leases: leases.get(LEASE, {}).get("spec", {})
                       .get("holderIdentity") not in (leader, None, ""),
                       "lease", "-n", cluster_case.OPERATOR_NAMESPACE, what="another one leads")
            self.finish(job)


class OutageTest(FaultCase):
    def test_api_server_stopped(self):
        """Workers and coordinator do not need it: the job completes during the outage, and its status shows it
        afterwards. By then the operator has lost its lease, and every node counts as silent."""
        job = self.begin(END, part=0.05)
        address = job.coordinator()["status"]["podIP"]
        self.addCleanup(faults.all_nodes_ready)  # the kubelets notice after some seconds
        with faults.stopped_api_server():
            end_of_leases = time.monotonic() + OUTAGE
            self.wait_complete_in_metrics(address)
            time.sleep(max(0, end_of_leases - time.monotonic()))
        self.finish(job)

    def wait_complete_in_metrics(self, address):
        """Asks the coordinator itself."""
        end, text = time.monotonic() + OUTAGE_PATIENCE, ""
        while time.monotonic() < end:
            text = jobs.coordinator_metrics(address)
            if re.search(r'^evenkeel_job_state\{.*state="Complete".*\} 1$', text, re.MULTILINE):
                return
            time.sleep(0.5)
        self.fail(f"not complete in {OUTAGE_PATIENCE} s:\n{text}")


if __name__ == "__main__":
    cluster_case.main()
