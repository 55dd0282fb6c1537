"""A hundred jobs are suspended at once, and the coordinators of twenty of them never answer: nobody waits
for these."""

import concurrent.futures
import time

import cluster_case
import jobs
import kube
import large_cluster
import machine
import operator_process

SUSPENDED, SILENT, OTHERS = 100, 20, 50
NODES = SUSPENDED + OTHERS
JOB_SECONDS = 3600
RECONCILE_SECONDS = 1.0
DRAIN_SECONDS = 10 + 2  # 2 is the grace of the coordinators: fake_coordinators.py
STATUS_SECONDS = 2 * SUSPENDED / 5 + 10  # two statuses of each job, five a second
SILENCE_SECONDS = 30  # after that a coordinator counts as silent: operator/plan/lifecycle.cc


def name_of(number):
    return f"job-{number:03d}"


def job(number):
    """Each on a separate node, so that all run at the same time."""
    selector = {"kubernetes.io/hostname": large_cluster.node_name(number)}
    return jobs.manifest(name_of(number), jobs.sleeping(1000, 1), nodes={
        "selector": {"matchLabels": selector}, "maxWorkers": 1})


def runs(found):
    return found.get("status", {}).get("tasks", {}).get("completed", 0) > 0


def is_suspended(found):
    return jobs.condition(found, "Suspended").get("status") == "True"


def is_unreachable(found):
    return jobs.condition(found, "Suspended").get("reason") == "CoordinatorUnreachable"


class SuspensionTest(cluster_case.ClusterTest):
    def wait_for(self, good, names, seconds, what):
        kube.until(lambda found: all(name in found and good(found[name]) for name in names),
                   "weightedjobs", "-n", self.namespace, seconds=seconds, what=what)

    def suspend(self, names):
        """At once: kubectl makes ten requests without a pause, and then five a second."""
        def change(batch):
            kube.kubectl("patch", "weightedjob", *batch, "-n", self.namespace, "--type=merge",
                         "-p", '{"spec":{"suspend":true}}', seconds=300)
        with concurrent.futures.ThreadPoolExecutor(SUSPENDED // 10) as pool:
            list(pool.map(change, large_cluster.in_batches(names, 10)))

    def wait_for_end_of_pods(self, names, seconds):
        """The operator deletes the pods of a job once its coordinator has drained."""
        label = "evenkeel.dev/weighted-job"
        kube.until(lambda pods: not any(pod["metadata"]["labels"][label] in names and
                                        "deletionTimestamp" not in pod["metadata"]
                                        for pod in pods.values()),
                   "pods", "-l", label, "-n", self.namespace, seconds=seconds,
                   what="the pods of the jobs whose coordinators answer are deleted")

    def change_others(self, number):
        """Makes the operator look at a job that runs: an annotation that nothing reads."""
        kube.patch("weightedjob", name_of(number), {"metadata": {"annotations": {
            "example.com/touched": str(time.monotonic())}}}, self.namespace)

    def test_silent_coordinators_delay_nobody(self):
        folder = machine.ROOT / "build" / "cluster-files" / "suspension"
        with large_cluster.fake_coordinators(folder, self.namespace, JOB_SECONDS) as coordinators, \
                large_cluster.fake_nodes(NODES, folder / "kwok.log"):
            pid, pod = operator_process.find()
            every = [name_of(number) for number in range(NODES)]
            large_cluster.create_all([job(number) for number in range(NODES)], self.namespace)
            self.wait_for(runs, every, 600, f"{NODES} jobs run")
            silent, answering = every[:SILENT], every[SILENT:SUSPENDED]
            coordinators.silence(silent)
            before = operator_process.metrics(pod)
            begun = time.monotonic()
            self.suspend(every[:SUSPENDED])
            suspended_at = time.monotonic()
            print(f"\n{SUSPENDED} jobs changed in {suspended_at - begun:.1f} s", flush=True)
            self.wait_for_end_of_pods(answering, DRAIN_SECONDS)
            print(f"{len(answering)} are drained {time.monotonic() - suspended_at:.1f} s after the last "
                  "change", flush=True)
            self.wait_for(is_suspended, answering, STATUS_SECONDS, "those that answer are suspended")
            print(f"their statuses tell it {time.monotonic() - suspended_at:.1f} s after it", flush=True)
            for number in range(SUSPENDED, NODES):
                self.change_others(number)
            # Without a claim, what they have done is only with them: they keep their pods.
            self.wait_for(is_unreachable, silent, 3 * SILENCE_SECONDS,
                          "the jobs of silent coordinators say so")
            print(f"{len(silent)} are silent {time.monotonic() - suspended_at:.1f} s after it", flush=True)
            after = operator_process.metrics(pod)
            looks = operator_process.reconciles(after) - operator_process.reconciles(before)
            within = operator_process.share_of_reconciles(RECONCILE_SECONDS, after, since=before)
            print(f"{within:.4f} of {looks:.0f} reconciles took {RECONCILE_SECONDS} s or less", flush=True)
            self.assertGreater(looks, NODES)
            self.assertGreaterEqual(within, 0.99)
            self.wait_for(runs, every[SUSPENDED:], 10, "the others run")
            self.assertFalse([found["metadata"]["name"]
                              for found in kube.get("weightedjobs", "-n", self.namespace)
                              if found["metadata"]["name"] in every[SUSPENDED:] and is_suspended(found)])
            self.assertEqual(operator_process.find()[0], pid, "the operator was not restarted")
            kube.kubectl("delete", "weightedjobs", "--all", "-n", self.namespace, "--wait=false",
                         seconds=600)


if __name__ == "__main__":
    cluster_case.main()
