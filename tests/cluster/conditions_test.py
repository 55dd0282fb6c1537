"""What no schema can see: it shows as a condition with a reason and as an event, and a mended cause
lets the job go on by itself."""

import uuid

import chart
import cluster_case
import jobs
import kube
import machine

TASKS, SECONDS = 60, 0.1


class ConditionsTest(cluster_case.ClusterTest):
    beside = True

    def begin(self, **sections):
        return self.submit(jobs.manifest("troubled", jobs.sleeping(TASKS, SECONDS), **sections))

    def expect_trouble(self, job, word, seconds=kube.PATIENCE):
        """A condition whose message has the word, with a reason, and an event with that reason."""
        def trouble(thing):
            for found in thing.get("status", {}).get("conditions", []):
                if word in found.get("message", ""):
                    return found
            return None
        found = trouble(job.until(trouble, seconds, f"a condition names {word}"))
        self.assertRegex(found["reason"], r"^[A-Z][A-Za-z]+$")
        self.assertFalse(jobs.condition(job.get(), "Complete").get("status") == "True")
        kube.until(lambda events: any(
            event.get("regarding", {}).get("name") == job.name and
            event.get("reason") == found["reason"] and word in event.get("note", "")
            for event in events.values()),
            "events.events.k8s.io", "-n", self.namespace, what=f"an event of {found['reason']}")
        return found

    def expect_recovery(self, job, word):
        job.wait_complete(120)
        for found in job.status()["conditions"]:
            self.assertNotIn(word, found.get("message", ""))

    def test_unknown_policy(self):
        job = self.begin(weighting={"policy": "nobody-knows"})
        self.expect_trouble(job, "nobody-knows")
        policy = kube.get("weightingpolicy", "default")
        kube.create({"apiVersion": policy["apiVersion"], "kind": policy["kind"],
                     "metadata": {"name": "nobody-knows"}, "spec": policy["spec"]})
        self.addCleanup(kube.delete, "weightingpolicy", "nobody-knows")
        self.expect_recovery(job, "nobody-knows")
        kube.wait("condition=Accepted", "weightingpolicy/nobody-knows")

    def test_policy_that_the_schema_lets_pass(self):
        """The schema counts characters, the parser bytes."""
        policy = kube.get("weightingpolicy", "default")
        policy["spec"]["criteria"][0]["name"] = 40 * "\u00e9"
        kube.create({"apiVersion": policy["apiVersion"], "kind": policy["kind"],
                     "metadata": {"name": "too-long"}, "spec": policy["spec"]})
        self.addCleanup(kube.delete, "weightingpolicy", "too-long")
        (told,) = kube.until(
            lambda found: found.get("too-long", {}).get("status", {}).get("conditions"),
            "weightingpolicy", "too-long", what="a condition of the policy")
        self.assertEqual((told["type"], told["status"], told["reason"]),
                         ("Accepted", "False", "InvalidPolicy"))
        self.assertIn("spec.criteria[0].name: must be text of 1 to 63 bytes", told["message"])
        self.expect_trouble(self.begin(weighting={"policy": "too-long"}), "spec.criteria[0].name")

    def test_missing_claim(self):
        job = self.begin(resultStorage={"persistentVolumeClaim": "not-there"})
        self.expect_trouble(job, "not-there")
        self.claim_new_volume("not-there", "pi4-a")
        self.expect_recovery(job, "not-there")

    def test_no_eligible_node(self):
        selector = {"matchLabels": {"example.com/colour": "green"}}
        job = self.begin(nodes={"selector": selector})
        self.expect_trouble(job, "node")
        kube.kubectl("label", "node", "pi4-a", "example.com/colour=green")
        self.addCleanup(kube.kubectl, "label", "node", "pi4-a", "example.com/colour-")
        job.wait_complete(120)

    def test_full_claim(self):
        """The coordinator cannot write, keeps its results, and continues when there is room."""
        volume = self.claim_new_volume("small", "pi4-a", mebibytes=16)
        ballast = kube.place("STATE") / "volumes" / volume / "ballast"
        job = self.submit(jobs.manifest("troubled", jobs.sleeping(20_000, 0.004),
                                        resultStorage={"persistentVolumeClaim": "small"}))
        job.wait_part(0.1)
        fill(ballast)
        self.expect_trouble(job, "no space left")
        ballast.unlink()
        self.expect_recovery(job, "no space left")
        self.assertEqual(job.summary()["tasks"]["completed"], 20_000)

    def test_priority_class_that_is_not_there(self):
        job = self.begin(worker={"template": {"priorityClassName": "no-such-priority"}})
        self.expect_trouble(job, "no-such-priority")
        kube.create({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                     "metadata": {"name": "no-such-priority"}, "value": 10})
        self.addCleanup(kube.delete, "priorityclass", "no-such-priority")
        self.expect_recovery(job, "no-such-priority")

    def test_deadline(self):
        job = self.submit(jobs.manifest("late", jobs.sleeping(1000, 1), activeDeadlineSeconds=5))
        found = job.until(lambda thing: jobs.condition(thing, "Failed").get("status") == "True",
                          what="the deadline has passed")
        self.assertIn("eadline", jobs.condition(found, "Failed")["reason"])
        kube.wait("delete", "pod", "-l", job.selector("worker"), "-n", self.namespace)

    def test_time_to_live(self):
        job = self.begin(ttlSecondsAfterFinished=3)
        job.wait_complete()
        kube.wait("delete", "weightedjob/troubled", "-n", self.namespace)
        kube.wait("delete", "pod", "-l", f"evenkeel.dev/weighted-job={job.name}", "-n",
                  self.namespace)

    def submit_after(self, name, *after, workload=None, **sections):
        """A short job that starts after those jobs."""
        workload = workload or jobs.sleeping(10, 0.05)
        if after:
            sections["after"] = list(after)
        return self.submit(jobs.manifest(name, workload, **sections))

    def expect_waiting(self, job, words):
        """It says what it waits for, and nothing is created for it."""
        found = job.until(lambda thing: words in jobs.condition(thing, "Progressing").get("message", ""),
                          what=f"{job.name} {words}")
        self.assertEqual(found["status"]["state"], "WaitingForJobs")
        self.assertNotIn("startTime", found["status"])
        for kind in ("pods", "configmaps", "secrets", "services"):
            own = kube.get(kind, "-n", self.namespace, "-l", f"evenkeel.dev/weighted-job={job.name}")
            self.assertEqual(own, [], kind)

    def test_jobs_after_jobs(self):
        """c starts after b, and b after a, although a is deleted as soon as it is complete."""
        last = self.submit_after("c", "b")
        self.expect_waiting(last, "waits for b (does not exist)")
        middle = self.submit_after("b", "a", activeDeadlineSeconds=600)
        self.expect_waiting(middle, "waits for a (does not exist)")
        shown = kube.kubectl("get", "weightedjob", "-n", self.namespace)
        self.assertEqual(shown.count("WaitingForJobs"), 2, shown)
        first = self.submit_after("a", ttlSecondsAfterFinished=0)
        uid = first.get()["metadata"]["uid"]
        middle.wait_complete()
        self.assertEqual(middle.status()["after"], [{"name": "a", "uid": uid}])
        last.wait_complete()
        kube.wait("delete", "weightedjob/a", "-n", self.namespace)
        end = jobs.condition(middle.get(), "Complete")["lastTransitionTime"]
        self.assertGreaterEqual(last.status()["startTime"], end)
        reasons = {event["reason"] for event in last.events()}
        self.assertIn("WaitingForJobs", reasons)
        self.assertTrue(reasons & {"Starting", "Running"}, reasons)

    def test_jobs_after_a_failed_job(self):
        failing = {"synthetic": {"tasks": 4, "cost": {"constant": 0.01}, "failing": [2]}}
        middle = self.submit_after("b", "a")
        last = self.submit_after("c", "b", suspend=True)
        self.submit_after("a", workload=failing, taskPolicy={"backoffLimitPerTask": 0})
        for job, message in ((middle, "job a has failed (TasksFailed)"),
                             (last, "job b has failed (DependencyFailed)")):
            found = job.until(lambda thing: jobs.condition(thing, "Failed").get("status") == "True",
                              what=f"{job.name} has failed")
            failed = jobs.condition(found, "Failed")
            self.assertEqual(failed["reason"], "DependencyFailed")
            self.assertIn(message, failed["message"])
            self.assertNotEqual(jobs.condition(found, "Suspended").get("status"), "True")
            self.assertEqual(job.pods("coordinator") + job.pods("worker"), [])

    def test_jobs_in_a_circle(self):
        circle = [self.submit_after("a", "c"), self.submit_after("b", "a"), self.submit_after("c", "b")]
        for job in circle:
            found = job.until(lambda thing: jobs.condition(thing, "Failed").get("status") == "True",
                              what=f"{job.name} has failed")
            failed = jobs.condition(found, "Failed")
            self.assertEqual(failed["reason"], "CircularDependency")
            self.assertRegex(failed["message"],
                             rf": {job.name} after [abc] after [abc] after {job.name}$")

    def test_failed_tasks_are_listed(self):
        workload = {"synthetic": {"tasks": 20, "cost": {"constant": 0.01}, "failing": [3, 7, 8, 9]}}
        job = self.submit(jobs.manifest("flawed", workload, taskPolicy={
            "backoffLimitPerTask": 1, "maxFailedTasks": 10}))
        found = job.until(lambda thing: any(jobs.condition(thing, kind).get("status") == "True"
                                            for kind in ("Complete", "Failed")), what="it is over")
        self.assertEqual(found["status"]["failedIndexes"], "3,7-9")
        self.assertEqual(found["status"]["tasks"]["failed"], 4)


class ImageTest(cluster_case.ClusterTest):
    """An image that cannot be pulled: a chart whose worker image is not there."""

    def test_image_that_cannot_be_pulled(self):
        missing = f"no-such-tag-{uuid.uuid4().hex[:8]}"  # the mending gives nodes an image of that name
        chart.install("--set", f"worker.image.tag={missing}", "--set",
                      "worker.image.pullPolicy=IfNotPresent")
        try:
            job = self.submit(jobs.manifest("troubled", jobs.sleeping(TASKS, SECONDS)))
            found = job.until(lambda thing: any(
                missing in row.get("message", "")
                for row in thing.get("status", {}).get("conditions", [])),
                seconds=120, what="a condition names the image")
            self.assertNotEqual(jobs.condition(found, "Complete").get("status"), "True")
            image = chart.worker_image()
            machine.cluster("tag", image, image.rsplit(":", 1)[0] + f":{missing}")
            job.wait_complete(180)
        finally:
            chart.install()


def fill(path):
    """Writes until the volume has no room for another byte."""
    with open(path, "wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue  # full for pieces of this size


if __name__ == "__main__":
    cluster_case.main()
