"""Several jobs on the same three boards: exact results, no time lost, estimates that follow the contention; and jobs
whose requests do not fit together.

Prints the figures that it checks.
"""

import datetime
import json
import sys
import threading
import time

import cluster_case
import jobs
import kube

# Jobs of some minutes, because starting and ending the pods takes 4 to 7 s however long the jobs are.
CPU_SECONDS = 0.04   # of a task: beside two jobs, the 24 tasks that a rate is measured by take less than FOLLOW_SECONDS
TASKS = 2000         # of the two equal jobs
FEWER_TASKS = 1400   # of the job that is suspended
REQUEST = "200m"     # three workers and their coordinators fit on each board
TOLERANCE, START_SECONDS = 1.05, 3.0
FOLLOW_SECONDS = 10  # estimates follow a change within this time
STATUS_SECONDS = 2   # for the status to be written and read
SETTLE_SECONDS = 20  # pods that start take much of the boards for some time, so first estimates are poor
PRIORITY_CLASS = "evenkeel-test-important"
CAPACITY = sum(cluster_case.SHARES.values())


def note(text):
    print(f"  {text}", file=sys.stderr)


def seconds_of(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Watch:
    """Statuses of all jobs of a namespace as they are written, until `stop()`."""

    def __init__(self, namespace):
        self.statuses = {}  # by name: [(seconds since 1970 when it was seen, status)]
        self._stopped = False
        self._thread = threading.Thread(target=self._follow, args=(namespace,), daemon=True)
        self._thread.start()

    def _follow(self, namespace):
        def take(objects):
            for name, thing in objects.items():
                seen = self.statuses.setdefault(name, [])
                status = thing.get("status", {})
                if status and (not seen or seen[-1][1] != status):
                    seen.append((time.time(), status))
            return self._stopped
        kube.until(take, "weightedjobs", "-n", namespace, seconds=900, what="the test ends the watch")

    def stop(self):
        self._stopped = True

    def remaining(self, name, since, until):
        """[(when it was seen, remaining seconds)] of the estimates seen in this time."""
        return [(at, seconds_of(status["estimatedCompletionTime"]) - at)
                for at, status in self.statuses.get(name, [])
                if since <= at <= until and "estimatedCompletionTime" in status]


class SharingTest(cluster_case.ClusterTest):
    """Three jobs at once, measured; a soak."""

    def spinning(self, name, tasks, **template):
        worker = {"resources": {"requests": {"cpu": REQUEST}}}
        if template:
            worker["template"] = template
        return jobs.manifest(name, jobs.spinning(tasks, CPU_SECONDS), worker=worker,
                             weighting={"policy": "paper", "mode": "Fuzzy"})

    def check_exact(self, job, tasks):
        """Each task's result has arrived, once."""
        status = job.status()
        self.assertEqual((status["tasks"]["completed"], status["tasks"].get("failed", 0)), (tasks, 0), status)
        self.assertEqual(json.loads(status["result"]["summary"])["tasks"], tasks)
        self.check_covered_once(job)

    def suspend_for_a_while(self, job, others, watch):
        """Suspends and resumes `job`. Checks that the estimates of `others` follow the suspension within FOLLOW_SECONDS, and
        returns for each the first estimate that has had FOLLOW_SECONDS to follow the resumption: (when it was seen, time of
        completion), and the last one before."""
        def state(thing):
            return jobs.condition(thing, "Suspended").get("status") == "True"
        before = time.time()
        job.change(suspend=True)
        job.until(state, what=f"{job.name} is suspended")
        suspended = time.time()
        time.sleep(FOLLOW_SECONDS + STATUS_SECONDS)  # the time within which estimates must have followed
        resumed = time.time()
        job.change(suspend=False)
        job.wait_workers(3)
        running = time.time()
        time.sleep(FOLLOW_SECONDS + STATUS_SECONDS)  # likewise
        after = time.time()
        estimates = {}
        for other in others:
            early = watch.remaining(other.name, 0, before)
            alone = watch.remaining(other.name, suspended, resumed)
            late = watch.remaining(other.name, running, after)
            self.assertTrue(early and alone and late, (early, alone, late))
            (at, was), (then, follows), (last, again) = early[-1], alone[-1], late[-1]
            # Two of three jobs need two thirds of the time for the same work.
            shrunk = follows / max(was - (then - at), 1.0)
            note(f"{other.name}: {was:.0f} s left beside two jobs, {follows:.0f} s beside one ({shrunk:.2f} of what "
                 f"it would have been), {again:.0f} s beside two again")
            self.assertLess(shrunk, 0.85)
            estimates[other.name] = (last, last + again), (then, then + follows)
        return estimates

    def check_estimates(self, estimates):
        """Each job ended about when it was estimated after the resumption, which is later than it was before."""
        for name, ((seen, estimated), (_, before)) in estimates.items():
            ended = seconds_of(jobs.Job(name, self.namespace).status()["completionTime"])
            left = max(ended - seen, 1.0)
            note(f"{name}: ended {ended - seen:.0f} s after an estimate of {estimated - seen:.0f} s; before the third job "
                 f"went on, the end was estimated {estimated - before:.0f} s earlier")
            self.assertGreater(estimated, before + 2)
            self.assertLess(abs(estimated - ended) / left, 0.3)

    def test_three_jobs_share_the_boards(self):
        kube.apply({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass",
                    "metadata": {"name": PRIORITY_CLASS}, "value": 1000})
        self.addCleanup(kube.delete, "priorityclass", PRIORITY_CLASS)
        watch = Watch(self.namespace)
        self.addCleanup(watch.stop)

        begun = time.monotonic()
        ordinary = self.submit(self.spinning("ordinary", TASKS))
        important = self.submit(self.spinning("important", TASKS, priorityClassName=PRIORITY_CLASS))
        paused = self.submit(self.spinning("paused", FEWER_TASKS))
        for job in (ordinary, important, paused):
            job.wait_workers(3)
        time.sleep(SETTLE_SECONDS)
        estimates = self.suspend_for_a_while(paused, (ordinary, important), watch)
        for job in (ordinary, important, paused):
            job.wait_complete(500)
        took = time.monotonic() - begun

        best = (2 * TASKS + FEWER_TASKS) * CPU_SECONDS / CAPACITY
        limit = TOLERANCE * best + START_SECONDS
        note(f"{took:.1f} s; the bound of all work is {best:.1f} s, the limit {limit:.1f} s")
        self.check_estimates(estimates)
        for job, tasks in ((ordinary, TASKS), (important, TASKS), (paused, FEWER_TASKS)):
            self.check_exact(job, tasks)
        times = {}
        for job in (ordinary, important):
            status = job.status()
            times[job.name] = seconds_of(status["completionTime"]) - seconds_of(status["startTime"])
        first, last = sorted(times.values())
        note(f"the equal jobs took {times}: {100 * (last - first) / last:.1f} % apart")
        self.assertLessEqual(last - first, 0.1 * last)
        self.assertLessEqual(took, limit)


class RoomTest(cluster_case.ClusterTest):
    """Jobs whose requests do not fit together."""

    def test_a_job_without_room_says_so_and_takes_boards_as_they_become_free(self):
        allocatable = {node["metadata"]["name"]: node["status"]["allocatable"]["cpu"]
                       for node in kube.get("nodes") if node["metadata"]["name"] in cluster_case.NODES}
        least = min(int(cpu[:-1]) if cpu.endswith("m") else 1000 * int(cpu) for cpu in allocatable.values())
        request = f"{6 * least // 10}m"  # two do not fit on any board
        note(f"boards have {allocatable}; each worker requests {request}")

        def large(name):
            return jobs.manifest(name, jobs.sleeping(2000, 0.3), worker={
                "resources": {"requests": {"cpu": request}}}, weighting={"policy": "paper", "mode": "Fuzzy"})

        def says(*words):
            def good(thing):
                message = jobs.condition(thing, "Progressing").get("message", "")
                return all(word in message for word in words) and message
            return good

        def live_workers(job):
            return sorted(node for node, pod in job.workers().items() if "deletionTimestamp" not in pod["metadata"])

        first = self.submit(large("first"))
        first.wait_workers(3)
        later = self.submit(large("later"))
        found = later.until(lambda thing: thing.get("status", {}).get("state") == "WaitingForRoom" and thing,
                            what="the later job waits for room")
        message = jobs.condition(found, "Progressing")["message"]
        note(f"it waits: {message}")
        self.assertIn("lacks cpu: requested", message)
        self.assertIn("held by job first", message)
        self.assertEqual(live_workers(later), [])

        first.change(nodes={"maxWorkers": 2})  # the lightest board becomes free
        began = time.monotonic()
        later.wait_workers(1)
        note(f"a board became free: the later job has {live_workers(later)} after {time.monotonic() - began:.1f} s")
        self.assertEqual(live_workers(later), ["pi3"])
        found = later.until(says("workers run", "waits for room", "pi4-a lacks cpu", "pi4-b lacks cpu"),
                            what="it says on which boards it waits while it runs")
        note(f"it runs and waits: {jobs.condition(found, 'Progressing')['message']}")
        self.assertEqual(found["status"]["state"], "Progressing")

        began = time.monotonic()
        kube.delete("weightedjob", "first", "-n", self.namespace, wait=False)
        later.wait_workers(3)
        note(f"all boards became free: the later job has {live_workers(later)} after "
             f"{time.monotonic() - began:.1f} s")
        found = later.until(lambda thing: jobs.condition(thing, "Progressing").get("message") == "workers run",
                            what="it waits for nothing any more")
        self.assertEqual(found["status"]["state"], "Progressing")
        self.delete_jobs()


if __name__ == "__main__":
    cluster_case.main()
