"""Container commands on the trio: exact, complete and private, and clear words where an image cannot
run."""

import collections
import json
import uuid

import cluster_case
import command_images
import faults
import jobs
import kube
import machine

TEMPORARY = "/tmp"  # in the container
SMALL = {"requests": {"cpu": "20m", "memory": "16Mi"}}  # so that several jobs share a small node


class CommandCase(cluster_case.ClusterTest):
    beside = True

    @classmethod
    def setUpClass(cls):
        cls.images = command_images.provide()

    def begin(self, words, workload=None, image=None, template=None, name="commands", **sections):
        """A job that runs the words with the program of the images."""
        command = {"image": image or self.images["numbered"], "command": ["/commands", *words],
                   **(workload or {})}
        worker = {"resources": SMALL, **({"template": template} if template else {})}
        return self.submit(jobs.manifest(name, {"command": command}, worker=worker, **sections))

    def rows(self, job):
        """results.jsonl, as kubectl evenkeel fetches it."""
        folder = cluster_case.folder_of(self)
        self.assertIn("results.jsonl", job.fetch_results(folder))
        rows = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
        self.assertEqual([row["index"] for row in rows], list(range(len(rows))))
        return rows

    def outputs(self, job):
        return [row["stdout"] for row in self.rows(job)]

    @staticmethod
    def wait_over(job, seconds=120):
        """The object once it is complete or has failed."""
        return job.until(lambda thing: any(jobs.condition(thing, kind).get("status") == "True"
                                           for kind in ("Complete", "Failed")), seconds, "it is over")

    def check_squares(self, job, tasks):
        rows = self.rows(job)
        self.assertEqual([row["stdout"] for row in rows], [f"{n * n}\n" for n in range(tasks)])
        self.assertEqual({(row["exitCode"], row["status"]) for row in rows}, {(0, "succeeded")})
        self.assertLessEqual({row["node"] for row in rows}, set(cluster_case.NODES))
        status = job.status()
        self.assertEqual((status["tasks"]["completed"], status["tasks"].get("failed", 0)), (tasks, 0))
        self.assertEqual(json.loads(status["result"]["summary"]),
                         {"succeeded": tasks, "failed": 0, "exitCodes": {"0": tasks}})
        return rows


class SweepTest(CommandCase):
    """Many tasks, and what happens to pods meanwhile."""

    def test_a_thousand_commands_with_a_worker_pod_deleted(self):
        job = self.begin(["square", "40"], {"tasks": 1000})
        job.wait_part(0.2, 120)
        kube.delete("pod", job.workers()["pi4-a"]["metadata"]["name"], "-n", self.namespace, wait=False)
        job.wait_complete(120)
        rows = self.check_squares(job, 1000)
        self.check_covered_once(job)
        # The loss of the pod is not charged to its tasks.
        self.assertEqual({row["attempts"] for row in rows}, {1})
        self.assertEqual({row["node"] for row in rows}, set(cluster_case.NODES))

    def test_the_container_of_the_command_is_killed(self):
        """The kubelet starts it again, and the worker beside it finds it."""
        # The status lags by seconds: what happens to the job has to find it running.
        job = self.begin(["square", "300"], {"tasks": 200})
        job.wait_part(0.2, 120)
        pod = job.workers()["pi4-a"]
        faults.kill_process(pod, "evenkeel-launcher")
        job.wait_complete(120)
        self.check_squares(job, 200)

    def test_pods_go_when_the_job_is_complete(self):
        job = self.begin(["square", "1"], {"tasks": 10})
        job.wait_complete(120)
        kube.wait("delete", "pod", "-l", job.selector("worker"), "-n", self.namespace, seconds=60)
        self.check_squares(job, 10)


class ReduceTest(CommandCase):
    """The command after the last task: beside the results, in the image of the job."""

    def test_it_gets_the_results_and_its_files_are_fetched(self):
        job = self.begin(["square", "10"], {"tasks": 100, "reduce": ["/commands", "count", "{results}"]})
        job.wait_complete(180)
        summary = json.loads(job.status()["result"]["summary"])
        self.assertEqual((summary["succeeded"], summary["reduce"]["exitCode"]), (100, 0))
        folder = cluster_case.folder_of(self)
        job.fetch_results(folder)
        self.assertEqual((folder / "reduce" / "lines.txt").read_text(), "100\n")
        kube.wait("delete", "pod", "-l", job.selector("worker"), "-n", self.namespace, seconds=60)

    def test_its_failure_fails_the_job_and_keeps_the_results(self):
        job = self.begin(["square", "10"], {"tasks": 20, "reduce": ["/commands", "exit", "3"]},
                         taskPolicy={"backoffLimitPerTask": 1})
        failed = jobs.condition(self.wait_over(job), "Failed")
        self.assertEqual(failed["reason"], "ReduceFailed")
        self.assertIn("command.reduce failed 2 times: exit code 3: complaint", failed["message"])
        self.assertEqual(job.status()["tasks"]["completed"], 20)

    def test_suspended_and_its_coordinator_killed_while_it_runs(self):
        job = self.begin(["square", "10"], {"tasks": 20, "reduce": ["/commands", "square", "20000"]})
        self.wait_reducing(job)
        faults.kill_process(job.coordinator(), "evenkeel-coordinator")
        self.wait_reducing(job)
        job.change(suspend=True)
        job.until(lambda thing: jobs.condition(thing, "Suspended").get("status") == "True", 120,
                  "it is suspended")
        job.change(suspend=False)
        job.wait_complete(180)
        self.assertEqual(job.status()["tasks"]["completed"], 20)

    @staticmethod
    def wait_reducing(job):
        job.until(lambda thing: jobs.condition(thing, "Progressing").get("reason") == "Reducing", 120,
                  "the reduce command runs")


class GrowthTest(CommandCase):
    """Lists of tasks that grow: while the job runs, while it is suspended, when it is over."""

    def wait_total(self, job, tasks):
        """Waits until the status has this number of tasks."""
        job.until(lambda thing: thing.get("status", {}).get("tasks", {}).get("total") == tasks, 120,
                  f"there are {tasks} tasks")

    def wait_event(self, reason):
        kube.until(lambda events: any(event.get("reason") == reason for event in events.values()),
                   "events.events.k8s.io", "-n", self.namespace, what=f"an event of {reason}")

    def test_tasks_appended_to_a_running_job_though_the_coordinator_is_killed(self):
        job = self.begin(["square", "300"], {"tasks": 600})
        job.wait_part(0.05, 120)
        before = job.coordinator()["metadata"]["name"]
        job.change(workload={"command": {"tasks": 700}})
        self.wait_total(job, 700)
        self.wait_event("TasksAppended")
        pod = job.coordinator()
        self.assertEqual(pod["metadata"]["name"], before)
        faults.kill_process(pod, "evenkeel-coordinator")
        job.wait_complete(300)
        self.check_squares(job, 700)
        self.check_covered_once(job)
        self.assertEqual(job.coordinator()["metadata"]["name"], before)

    def test_arguments_appended_to_a_running_job(self):
        few, more = ["400"] * 300, ["400"] * 300 + ["10"] * 40  # milliseconds
        job = self.begin(["square"], {"arguments": few})
        job.wait_part(0.05, 120)
        job.change(workload={"command": {"arguments": more}})
        self.wait_total(job, 340)
        job.wait_complete(240)
        rows = self.check_squares(job, 340)
        self.assertEqual([row["argument"] for row in rows], more)

    def test_a_suspended_job_may_grow(self):
        job = self.begin(["square", "400"], {"tasks": 200})
        job.wait_part(0.1, 120)
        job.change(suspend=True)
        job.until(lambda thing: jobs.condition(thing, "Suspended").get("status") == "True", 120,
                  "it is suspended")
        job.change(workload={"command": {"tasks": 230}})
        job.change(suspend=False)
        job.wait_complete(240)
        self.check_squares(job, 230)

    def test_a_complete_job_says_that_it_does_not_start_again(self):
        job = self.begin(["square", "1"], {"tasks": 10})
        job.wait_complete(120)
        job.change(workload={"command": {"tasks": 20}})
        found = job.until(lambda thing: "appended later are not run" in
                          jobs.condition(thing, "Complete").get("message", ""), 60, "it says so")
        self.assertEqual(jobs.condition(found, "Complete")["status"], "True")
        self.assertEqual(found["status"]["tasks"]["total"], 10)
        self.wait_event("TasksNotRun")
        self.check_squares(job, 10)


class TasksTest(CommandCase):
    """Inputs of a task, and the effects of its exit code."""

    def test_policies_go_by_exit_code(self):
        """Tasks take turns at 0, 5 (tried twice) and 7 (given up at once)."""
        job = self.begin(["exit", "0", "5", "7"], {"tasks": 30}, taskPolicy={
            "backoffLimitPerTask": 1, "maxFailedTasks": 20,
            "onExitCodes": [{"action": "FailTask", "values": [7]}]})
        found = self.wait_over(job)
        self.assertEqual(found["status"]["tasks"]["failed"], 20, found["status"])
        self.assertTrue(found["status"]["failedIndexes"].startswith("1-2,4-5,7-8"))
        self.assertEqual(json.loads(found["status"]["result"]["summary"]),
                         {"succeeded": 10, "failed": 20, "exitCodes": {"0": 10, "5": 10, "7": 10}})
        ends = collections.Counter((row["exitCode"], row["status"], row["attempts"])
                                   for row in self.rows(job))
        self.assertEqual(ends, {(0, "succeeded", 1): 10, (5, "failed", 2): 10, (7, "failed", 1): 10})

    def test_an_exit_code_fails_the_job(self):
        job = self.begin(["exit"] + ["0"] * 9 + ["9"], {"tasks": 100}, taskPolicy={
            "maxFailedTasks": 50, "onExitCodes": [{"action": "FailJob", "values": [9]}]})
        found = self.wait_over(job)
        failed = jobs.condition(found, "Failed")
        self.assertEqual(failed.get("status"), "True", found["status"])
        self.assertIn("9", failed["message"])

    def test_a_failing_task_is_tried_on_another_node(self):
        job = self.begin(["shun", "pi4-a"], {"tasks": 60}, taskPolicy={"backoffLimitPerTask": 1})
        job.wait_complete(120)
        rows = self.rows(job)
        self.assertEqual(len(rows), 60)
        self.assertNotIn("pi4-a", {row["node"] for row in rows})
        self.assertEqual({row["status"] for row in rows}, {"succeeded"})
        # A failing task ends at once: pi4-a may have tried all tasks before the other nodes were ready.
        self.assertLessEqual({row["attempts"] for row in rows}, {1, 2})

    def test_arguments_environment_and_inputs(self):
        kube.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "files"},
                     "data": {"names.txt": "a.png\nb c.png\n\u00e4\n", "greeting": "hello\n"}},
                    self.namespace)
        words = ["show", "={}", "JOB_COMPLETION_INDEX", "EVENKEEL_TASK_COUNT", "EVENKEEL_ARGUMENT",
                 "EVENKEEL_JOB", "COLOUR", "/inputs/greeting"]
        job = self.begin(words, {"argumentsFile": "names.txt"}, inputs={"configMap": "files"},
                         template={"env": [{"name": "COLOUR", "value": "green"}]})
        job.wait_complete(120)
        self.assertEqual(self.outputs(job), [
            f"{name}\n{index}\n3\n{name}\ncommands\ngreen\nhello\n"
            for index, name in enumerate(("a.png", "b c.png", "\u00e4"))])
        self.assertEqual([row["argument"] for row in self.rows(job)], ["a.png", "b c.png", "\u00e4"])

    def test_commands_see_no_credentials_and_may_write_to_tmp(self):
        job = self.begin(["write", f"{TEMPORARY}/file", "/evenkeel/bin/evenkeel-launcher",
                          "/evenkeel/bin/other"], {"tasks": 3})
        job.wait_complete(120)
        self.assertEqual(self.outputs(job), ["65532 yes no no\n"] * 3)
        job = self.begin(["show", "/etc/evenkeel/tls/tls.key",
                          "/var/run/secrets/kubernetes.io/serviceaccount/token"], {"tasks": 3},
                         name="curious")
        job.wait_complete(120)
        self.assertEqual(self.outputs(job), ["-\n-\n"] * 3)

    def test_arguments_of_the_manifest_and_the_users_own_user(self):
        job = self.begin(["write"], {"arguments": [f"{TEMPORARY}/a", "/nowhere/b"]},
                         image=self.images["root"], template={"securityContext": {"runAsUser": 4711}})
        job.wait_complete(120)
        self.assertEqual(self.outputs(job), ["4711 yes\n", "4711 no\n"])


class NeedsCase(CommandCase):
    """spec.worker.taskResources."""

    def start(self, words, needs, **sections):
        return self.submit(jobs.manifest("commands", {"command": {
            "image": self.images["numbered"], "command": ["/commands", *words], "tasks": 12}},
            worker={"taskResources": needs}, **sections))


class NeedsTest(NeedsCase):
    def test_a_task_without_memory_fails_with_that_reason_and_others_are_not_charged(self):
        job = self.start(["eat", *["1"] * 7, "900", *["1"] * 4], {"memory": "24Mi"},
                         taskPolicy={"maxFailedTasks": 1, "backoffLimitPerTask": 0})
        job.wait_complete(180)
        rows = self.rows(job)
        self.assertRegex(rows[7]["reason"], "^OutOfMemory: |^the command container ended while it ran this task alone")
        self.assertEqual({(row["status"], row["attempts"]) for row in rows if row["index"] != 7},
                         {("succeeded", 1)})

    def test_a_task_whose_container_is_killed_fails_with_that_reason_and_others_are_not_charged(self):
        job = self.start(["topple", "7", "900"], {"memory": "24Mi"},
                         taskPolicy={"maxFailedTasks": 1, "backoffLimitPerTask": 0})
        job.wait_complete(600)
        rows = self.rows(job)
        self.assertEqual(rows[7]["reason"],
                         "OutOfMemory: the command container was killed while it ran this task alone")
        self.assertEqual(job.status()["failedIndexes"], "7")
        self.assertEqual({(row["status"], row["attempts"]) for row in rows if row["index"] != 7},
                         {("succeeded", 1)})

    def test_needs_that_fit_nowhere_are_named(self):
        job = self.start(["show", "HOME"], {"memory": "60Ti"})
        thing = job.until(lambda thing: jobs.condition(thing, "Progressing").get("reason") == "NoEligibleNodes",
                          what="no node fits")
        message = jobs.condition(thing, "Progressing")["message"]
        self.assertIn("without enough memory", message)
        self.assertIn("a worker with one task requests 62914592Mi", message)


class SlotsTest(NeedsCase):
    """Runs alone: pods of other jobs take room, so that nodes have fewer slots."""

    beside = False
    MEBIBYTE = 1 << 20

    @staticmethod
    def container(pod, name):
        return next(one for one in pod["spec"]["containers"] if one["name"] == name)

    def test_pods_request_what_their_tasks_need_and_tasks_are_told(self):
        job = self.start(["show", "OMP_NUM_THREADS"], {"cpu": "1", "memory": "24Mi"})
        made = {}  # by node; they go with the end of the job

        def three(pods):
            made.update({pod["metadata"]["annotations"]["evenkeel.dev/node"]: pod for pod in pods.values()})
            return len(made) == 3
        kube.until(three, "pods", "-n", self.namespace, "-l", job.selector("worker"),
                   what="there are three workers")
        for name, pod in made.items():
            command = self.container(pod, "command")
            slots = int(self.container(pod, "worker")["args"][
                self.container(pod, "worker")["args"].index("--threads") + 1])
            allocatable = kube.get("node", name)["status"]["allocatable"]
            self.assertEqual(slots, int(allocatable["cpu"]), allocatable)
            self.assertEqual(command["resources"]["requests"]["memory"], str(slots * 24 * self.MEBIBYTE))
            self.assertEqual(command["resources"]["limits"]["memory"],
                             str((slots * 24 + 64) * self.MEBIBYTE))
        job.wait_complete(120)
        self.assertEqual(set(self.outputs(job)), {"1\n"})


class RerunTest(CommandCase):
    """New jobs that run some tasks of an earlier job again and have the results of all."""

    def test_failed_tasks_run_again_and_results_are_merged(self):
        self.claim_new_volume("results", "pi4-b")
        kube.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "files"},
                     "data": {"other": ""}}, self.namespace)
        first = self.begin(["demand", "/inputs/repaired", "4"], {"tasks": 12},
                           inputs={"configMap": "files"},
                           resultStorage={"persistentVolumeClaim": "results"},
                           taskPolicy={"backoffLimitPerTask": 0, "maxFailedTasks": 12})
        first.wait_complete(120)
        self.assertEqual(first.status()["failedIndexes"], "0,4,8")
        before = self.rows(first)

        kube.patch("configmap", "files", {"data": {"repaired": ""}}, self.namespace)
        second = first.rerun()
        self.assertEqual(second.name, "commands-rerun-1")
        self.assertEqual(second.get()["spec"]["rerun"], {"job": "commands", "failed": True})
        second.wait_complete(120)
        rows = self.check_squares(second, 12)
        for index in range(12):
            if index % 4:
                self.assertEqual(rows[index], before[index], "it has not run again")

        # The results are on the claim, so the first job is not needed any more.
        kube.delete("weightedjob", first.name, "-n", self.namespace)
        third = second.rerun("--indexes", "10-11,2")
        self.assertEqual(third.name, "commands-rerun-2")
        third.wait_complete(120)
        again = self.check_squares(third, 12)
        self.assertEqual([row for row in again if row["index"] not in (2, 10, 11)],
                         [row for row in rows if row["index"] not in (2, 10, 11)])

    def test_results_on_another_claim_cannot_be_taken_over(self):
        first = self.begin(["square", "1"], {"tasks": 3})
        first.wait_complete(120)
        second = self.begin(["square", "1"], {"tasks": 3}, name="again",
                            resultStorage={"persistentVolumeClaim": "results"},
                            rerun={"job": first.name, "indexes": "1"})
        found = self.wait_over(second)
        failed = jobs.condition(found, "Failed")
        self.assertEqual(failed.get("reason"), "RerunImpossible", found["status"])
        self.assertIn("has no resultStorage", failed["message"])


class TemplateTest(CommandCase):
    """Parts of the pod template: marks of the pods, and nodes that are left out."""

    def test_labels_and_node_affinity(self):
        left_out, *others = sorted(cluster_case.NODES)
        term = {"matchExpressions": [{"key": "kubernetes.io/os", "operator": "Exists"}],
                "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": [left_out]}]}
        job = self.begin(["square", "300"], {"tasks": 100}, template={
            "labels": {"team": "lab"}, "annotations": {"example.com/note": "two words"},
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [term]}}}})
        job.wait_part(0.05, 120)
        pods = [*job.workers().values(), job.coordinator()]
        self.assertEqual(set(job.workers()), set(others))
        for pod in pods:
            self.assertEqual(pod["metadata"]["labels"]["team"], "lab")
            self.assertEqual(pod["metadata"]["annotations"]["example.com/note"], "two words")
        self.assertNotEqual(job.coordinator()["spec"]["nodeName"], left_out)
        job.wait_complete(240)
        rows = self.check_squares(job, 100)
        self.assertLessEqual({row["node"] for row in rows}, set(others))

    def test_an_extended_resource_that_no_node_has(self):
        job = self.submit(jobs.manifest("commands", {"command": {
            "image": self.images["numbered"], "command": ["/commands", "square", "1"], "tasks": 3}},
            worker={"resources": {"limits": {"example.com/codec": 1}}}))
        job.until(lambda thing: "without enough example.com/codec: it has 0, the worker requests 1" in
                  jobs.condition(thing, "Progressing").get("message", ""), 120, "it says what is missing")


class ConvertTest(CommandCase):
    """Jobs of batch/v1 that kubectl evenkeel has converted."""

    def test_a_converted_indexed_job_has_one_right_result_per_index(self):
        tasks = 12
        text, remarks = jobs.convert({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "fruit"},
            "spec": {"completions": tasks, "parallelism": 3, "completionMode": "Indexed",
                     "backoffLimit": 4, "template": {"spec": {
                         "restartPolicy": "Never",
                         "nodeSelector": {"kubernetes.io/os": "linux"},
                         "securityContext": {"runAsUser": 65532},
                         "containers": [{
                             "name": "main", "image": self.images["numbered"],
                             "command": ["/commands", "show"],
                             "args": ["=$(FRUIT) $(JOB_COMPLETION_INDEX)", "JOB_COMPLETION_INDEX",
                                      "FRUIT"],
                             "env": [{"name": "FRUIT", "value": "plum"}],
                             "resources": SMALL}]}}}})
        self.assertEqual([line.split(": ")[1] for line in remarks],
                         ["spec.parallelism", "spec.backoffLimit",
                          "spec.template.spec.containers[0].resources"])
        # kubectl validates strictly: every field of the converted job has to be known.
        kube.kubectl("apply", "-n", self.namespace, "--dry-run=server", "-f", "-", text=text)
        kube.kubectl("apply", "-n", self.namespace, "-f", "-", text=text)
        job = jobs.Job("fruit", self.namespace)
        job.wait_complete(120)
        rows = self.rows(job)
        self.assertEqual([row["stdout"] for row in rows],
                         [f"plum {n}\n{n}\nplum\n" for n in range(tasks)])
        self.assertEqual({row["status"] for row in rows}, {"succeeded"})


class ImageTest(CommandCase):
    """Images that cannot run show as a condition with a reason, and recover when they are mended."""

    def unused(self, like=None):
        """Another image, or an image that does not exist."""
        name = f"{command_images.REPOSITORY}:{uuid.uuid4().hex[:8]}"
        if like:
            machine.cluster("tag", self.images[like], name)
        return name

    def expect(self, reason, image):
        job = self.begin(["square", "1"], {"tasks": 10}, image=image)
        found = jobs.condition(job.until(
            lambda thing: jobs.condition(thing, "Progressing").get("reason") == reason and thing,
            120, reason), "Progressing")
        self.assertEqual(found["status"], "False")
        self.assertIn(image, found["message"])
        kube.until(lambda events: any(event.get("reason") == reason and image in event.get("note", "")
                                      for event in events.values()),
                   "events.events.k8s.io", "-n", self.namespace, what=f"an event of {reason}")
        self.assertIn(reason, kube.kubectl("get", "wj", "commands", "-n", self.namespace))
        return job

    def mend(self, job, image):
        machine.cluster("tag", self.images["numbered"], image)
        job.wait_complete(180)
        self.check_squares(job, 10)

    def test_image_that_runs_as_root(self):
        image = self.unused("root")
        self.mend(self.expect("ImageRunsAsRoot", image), image)

    def test_image_whose_user_has_no_number(self):
        self.expect("ImageUserUnknown", self.unused("named"))

    def test_image_that_is_not_there(self):
        image = self.unused()
        self.mend(self.expect("ImagePullFailed", image), image)


if __name__ == "__main__":
    cluster_case.main()
