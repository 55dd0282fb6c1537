"""Which loss a job survives: a test for each cell of the table in the documentation.

Rows: no claim, a claim on one node, a claim that all nodes reach. Columns: the coordinator's
container starts again, its pod is lost, its node is lost, the job is suspended."""

import cluster_case
import faults
import jobs
import kube

TASKS = 1200
FAST = {"pi4-a", "pi4-b"}  # coordinators are not put on the slowest board
SECONDS = 0.15  # a task; three workers with a thread each sleep 60 s over all of them


class SurvivalCase(cluster_case.ClusterTest):
    def begin(self, storage=None):
        """A job that sleeps, a third of the way; storage is None, "local" or "shared"."""
        sections = self.storage(storage, "pi4-b") if storage else {}
        job = self.submit(self.manifest("sleepy", **sections))
        job.wait_part(0.3)
        return job

    @staticmethod
    def manifest(name, tasks=TASKS, **sections):
        return jobs.manifest(name, jobs.sleeping(tasks, SECONDS), **sections)

    def storage(self, kind, node):
        """A claim of the test's own, on the disk of a node or for all of them."""
        self.claim_new_volume(kind, "shared" if kind == "shared" else node)
        return {"resultStorage": {"persistentVolumeClaim": kind}}

    def restart_container(self, job):
        faults.kill_process(job.coordinator(), "evenkeel-coordinator")

    def lose_pod(self, job):
        faults.delete_pod(job.coordinator()["metadata"]["name"], self.namespace)

    def suspend_and_resume(self, job):
        job.change(suspend=True)
        job.until(lambda thing: jobs.condition(thing, "Suspended").get("status") == "True",
                  what="the job is suspended")
        kube.wait("delete", "pod", "-l", f"evenkeel.dev/weighted-job={job.name}", "-n",
                  self.namespace)
        done = job.status()["tasks"]["completed"]
        job.change(suspend=False)
        return done

    def check_resumed(self, job, done, tasks=TASKS):
        """It continued: completed tasks stayed complete, and each task ran once."""
        job.wait_complete()
        summary = job.summary()
        self.assertEqual(summary["tasks"], {"total": tasks, "completed": tasks, "failed": 0})
        self.assertGreaterEqual(done, 0.3 * tasks)
        self.check_covered_once(job)

    def check_started_again(self, job, tasks=TASKS):
        """It started again from the beginning, and a condition or an event reports that."""
        job.wait_complete()
        self.assertEqual(job.summary()["tasks"], {"total": tasks, "completed": tasks, "failed": 0})
        messages = " ".join(found.get("message", "") + found.get("reason", "")
                            for found in job.status()["conditions"]) + \
            " ".join(event.get("note", "") + event.get("reason", "") for event in job.events())
        self.assertRegex(messages, r"(?i)(again|anew|restart|from the beginning)")

    def survives(self, storage, happen):
        job = self.begin(storage)
        done = job.status()["tasks"]["completed"]
        self.check_resumed(job, happen(job) or done)


class SurvivalTest(SurvivalCase):
    beside = True

    # No claim.
    def test_no_claim_container_restarts(self):
        self.survives(None, self.restart_container)

    def test_no_claim_pod_lost(self):
        job = self.begin()
        self.lose_pod(job)
        self.check_started_again(job)

    def test_no_claim_suspended(self):
        self.survives(None, self.suspend_and_resume)

    # A claim on one node, as local-path makes them.
    def test_local_claim_container_restarts(self):
        self.survives("local", self.restart_container)

    def test_local_claim_pod_lost(self):
        job = self.begin("local")
        done = job.status()["tasks"]["completed"]
        self.lose_pod(job)
        self.check_resumed(job, done)
        self.assertEqual(job.coordinator()["spec"]["nodeName"], "pi4-b")

    def test_local_claim_suspended(self):
        self.survives("local", self.suspend_and_resume)

    # A claim that all nodes reach.
    def test_shared_claim_container_restarts(self):
        self.survives("shared", self.restart_container)

    def test_shared_claim_pod_lost(self):
        self.survives("shared", self.lose_pod)

    def test_shared_claim_suspended(self):
        self.survives("shared", self.suspend_and_resume)

    # Suspended without a claim, but too large to be kept in an object.
    def test_suspend_is_refused_if_it_would_lose_work(self):
        """Sixteen bytes that nothing compresses for each of many tasks: more than half a mebibyte."""
        job = self.submit(jobs.manifest("large", jobs.sleeping(100_000, 0.0015)))
        job.wait_part(0.5, seconds=180)
        job.change(suspend=True)
        found = job.until(lambda thing: jobs.condition(thing, "Suspended").get("status") == "False"
                          and jobs.condition(thing, "Suspended"),
                          what="a condition says that it cannot be suspended")
        self.assertTrue(jobs.condition(found, "Suspended")["reason"])
        job.change(suspend=False)
        job.wait_complete(300)


class LostNodeTest(SurvivalCase):
    """Runs alone: a lost node affects all jobs."""

    def test_node_lost(self):
        """One power cut for three jobs, on the board with their coordinators and the operator."""
        board, tasks = "pi4-b", 500
        with faults.cordoned(set(cluster_case.NODES) - {board}):  # Kubernetes would spread them
            self.move_operator(board)
            local, shared, none = (
                self.submit(self.manifest(name, tasks, **(self.storage(*claim) if claim else {})))
                for name, claim in (("local", ("local", board)), ("shared", ("shared", None)),
                                    ("none", None)))
            for job in (local, shared, none):
                self.assertEqual(job.coordinator()["spec"]["nodeName"], board)
        done = {job.name: job.wait_part(0.3)["status"]["tasks"]["completed"]
                for job in (local, shared, none)}
        with faults.dead_node(board):
            with self.subTest("claim on one node"):
                self.check_waits_for(local, board)
            with self.subTest("shared claim"):
                self.check_resumed(shared, done["shared"], tasks)
                self.assertNotEqual(shared.coordinator()["spec"]["nodeName"], board)
            with self.subTest("no claim"):
                self.check_started_again(none, tasks)
        with self.subTest("claim on one node, with power again"):
            self.check_resumed(local, done["local"], tasks)
            self.assertEqual(local.coordinator()["spec"]["nodeName"], board)

    def move_operator(self, board):
        """Deletes the operator's pod until it is on the board: for a moment after the other boards were cordoned, the
        scheduler may not know of it and put the pod there again."""
        def there(pods):
            for name, pod in pods.items():
                if pod["spec"].get("nodeName") not in (None, board):
                    faults.delete_pod(name, cluster_case.OPERATOR_NAMESPACE)
            return [pod["spec"].get("nodeName") for pod in pods.values()] == [board]
        kube.until(there, "pods", "-n", cluster_case.OPERATOR_NAMESPACE, "-l",
                   "app.kubernetes.io/component=operator", what=f"the operator is on {board}")

    def check_waits_for(self, job, board):
        """First the operator has to come back: the board counts as lost after 12 s, and 5 s later the
        operator's pod is replaced."""
        job.until(lambda thing: any(board in found.get("message", "")
                                    for found in thing["status"]["conditions"]),
                  seconds=180, what="a condition says which node it waits for")


if __name__ == "__main__":
    cluster_case.main()
