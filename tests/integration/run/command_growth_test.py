"""Tasks that are appended to a job: while it runs, while it is stopped, when it is over; and what happens
to them when coordinator or worker die."""

import collections
import json
import os
import signal

import evenkeel
from cluster import ClusterTest
from evenkeel import eventually, job, node, nodes

ONLY_APPENDED = "tasks may only be appended at the end"


class GrowingJob:
    """Each run of a task leaves a line in a file, so that nothing can be run twice unseen."""

    def manifest(self, pause=0.05, **tasks):
        script = (f'echo "$JOB_COMPLETION_INDEX" >> {self.folder}/ran; sleep {pause}; '
                  'echo "$JOB_COMPLETION_INDEX${EVENKEEL_ARGUMENT+ $EVENKEEL_ARGUMENT}"')
        return job("growing", {"command": {"command": ["/bin/sh", "-c", script], **tasks}},
                   balancing={"leaseSeconds": 2, "tailStealing": {"speculation": "Disabled"}})

    def change(self, name, manifest):
        """As an editor or a kubelet does it: the file is another one at once."""
        self.write(name + ".new", manifest)
        os.replace(self.folder / (name + ".new"), self.folder / name)

    def runs(self):
        """How often each task was begun."""
        ran = self.folder / "ran"
        return collections.Counter(map(int, ran.read_text().split())) if ran.exists() else {}

    def rows(self):
        return [json.loads(line) for line in (self.output / "results.jsonl").read_text().splitlines()]

    def check_all_done(self, tasks):
        self.assertEqual([row["stdout"].split()[0] for row in self.rows()],
                         [str(n) for n in range(tasks)])
        self.assertEqual(set(self.runs()), set(range(tasks)))
        self.check_covered_once(tasks)


class LocalGrowthTest(GrowingJob, evenkeel.RunTest):
    def start_job(self, manifest):
        return self.start(self.command(manifest, nodes(node("a"), node("b"))))

    def check_complete(self, process, tasks):
        self.assertEqual(process.wait(), 0, process.out + process.err)
        self.check_all_done(tasks)
        self.assertEqual(self.summary()["tasks"], {"total": tasks, "completed": tasks, "failed": 0})

    def test_a_run_takes_what_is_appended_meanwhile(self):
        process = self.start_job(self.manifest(tasks=60, pause=0.1))
        self.wait_for_tasks(process, 5)
        self.change("job.yaml", self.manifest(tasks=90, pause=0.1))
        self.check_complete(process, 90)
        self.assertEqual(set(self.runs().values()), {1})
        done = {row["name"]: row["completed"] for row in self.summary()["nodes"]}
        self.assertGreater(min(done.values()), 15, done)

    def balanced(self, **options):
        """Returns the moves after 40 tasks were appended at the first of two equal busy nodes."""
        manifest = self.manifest(tasks=60, pause=0.2)
        longer = self.manifest(tasks=100, pause=0.2)
        for each in (manifest, longer):
            each["spec"]["balancing"] = {"strategy": "Compensated", "compensated": options}
        process = self.start_job(manifest)
        self.wait_for_tasks(process, 8)
        self.change("job.yaml", longer)
        self.check_complete(process, 100)
        self.assertEqual(set(self.runs().values()), {1})
        return [(line["from"], line["worker"], line["tasks"])
                for line in self.timeline() if line["kind"] == "move"]

    def test_load_that_comes_in_is_sent_on(self):
        (sender, receiver, tasks), = self.balanced()
        self.assertEqual((sender, receiver), ("a", "b"))
        self.assertAlmostEqual(tasks, 20, delta=4)

    def test_less_is_sent_where_transfers_take_time(self):
        # 20 tasks would take 40 s, the receiver is dry after about 4, so that of speeds of 0.5 and 5
        # tasks a second follows k = 0.5 / 5.5 + 5 / 5.5 x 4 / 40.
        (_, _, tasks), = self.balanced(compensation="First", transferTasksPerSecond=0.5)
        self.assertAlmostEqual(tasks, 0.18 * 20, delta=2)

    def test_a_longer_list_of_arguments(self):
        process = self.start_job(self.manifest(arguments=[f"a{n}" for n in range(60)], pause=0.1))
        self.wait_for_tasks(process, 5)
        self.change("job.yaml", self.manifest(arguments=[f"a{n}" for n in range(80)], pause=0.1))
        self.check_complete(process, 80)
        self.assertEqual([row["argument"] for row in self.rows()], [f"a{n}" for n in range(80)])

    def test_any_other_change_is_left_for_later(self):
        process = self.start_job(self.manifest(tasks=40, pause=0.2))
        self.wait_for_tasks(process, 2)
        self.change("job.yaml", self.manifest(tasks=30, pause=0.2))
        eventually(lambda: ONLY_APPENDED in process.err, "it says so")
        self.change("job.yaml", "no manifest")
        self.check_complete(process, 40)

    def test_a_finished_run_runs_the_added_tasks_only(self):
        self.check_complete(self.start_job(self.manifest(tasks=20)), 20)
        self.check_complete(self.start_job(self.manifest(tasks=35)), 35)
        self.assertEqual(set(self.runs().values()), {1})
        again = self.start_job(self.manifest(tasks=35))
        self.check_complete(again, 35)
        self.assertIn("was complete already", again.out)
        self.assertEqual(set(self.runs().values()), {1})

    def test_a_stopped_run_goes_on_with_more_tasks(self):
        process = self.start_job(self.manifest(tasks=60, pause=0.1))
        self.wait_for_tasks(process, 5)
        process.signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130, process.out + process.err)
        self.check_complete(self.start_job(self.manifest(tasks=70, pause=0.1)), 70)
        self.assertEqual(set(self.runs().values()), {1})

    def test_killed_after_tasks_were_appended(self):
        process = self.start_job(self.manifest(tasks=60, pause=0.1))
        self.wait_for_tasks(process, 5)
        self.change("job.yaml", self.manifest(tasks=80, pause=0.1))
        eventually(lambda: max(self.runs(), default=0) >= 60, "an appended task has begun")
        process.signal(signal.SIGKILL)
        process.wait()
        refused = self.start_job(self.manifest(tasks=60, pause=0.1))
        self.assertEqual(refused.wait(), 2, refused.out + refused.err)
        self.assertEqual(len(refused.err.splitlines()), 1, refused.err)
        self.assertIn("(command version 1, 80 tasks)", refused.err)
        self.check_complete(self.start_job(self.manifest(tasks=80, pause=0.1)), 80)

    def test_a_file_of_arguments_may_grow_but_not_change(self):
        lines = [f"line-{n}" for n in range(20)]
        self.write("names.txt", "\n".join(lines))
        self.check_complete(self.start_job(self.manifest(argumentsFile="names.txt")), 20)
        self.write("names.txt", "\n".join(lines + ["more", "and more"]) + "\n")
        self.check_complete(self.start_job(self.manifest(argumentsFile="names.txt")), 22)
        self.assertEqual(set(self.runs().values()), {1})
        self.write("names.txt", "\n".join(["other"] + lines[1:] + ["more", "and more", "x"]))
        refused = self.start_job(self.manifest(argumentsFile="names.txt"))
        self.assertEqual(refused.wait(), 2, refused.out + refused.err)
        self.assertEqual(len(refused.err.splitlines()), 1, refused.err)
        self.assertIn("inputs of the tasks (a file of them has changed)", refused.err)
        self.assertIn(ONLY_APPENDED, refused.err)

    def test_arguments_in_front_are_refused(self):
        self.check_complete(self.start_job(self.manifest(arguments=["a", "b"])), 2)
        before = self.summary()
        refused = self.start_job(self.manifest(arguments=["z", "a", "b"]))
        self.assertEqual(refused.wait(), 2, refused.out + refused.err)
        self.assertIn(ONLY_APPENDED, refused.err)
        self.assertEqual(self.summary(), before)


class CoordinatorGrowthTest(GrowingJob, ClusterTest):
    """As in a cluster: the coordinator's manifest changes under it."""

    def setUp(self):
        super().setUp()
        self.plan(self.manifest(tasks=60, pause=0.1), ("a", 1), ("b", 1))

    def begin(self):
        coordinator = self.coordinator()
        workers = self.workers("a", "b")
        first = coordinator.await_tasks(5)
        self.assertEqual(first["tasks"]["total"], 60)
        self.change("job.json", self.manifest(tasks=100, pause=0.1))
        grown = coordinator.await_progress(lambda now: now["tasks"]["total"] == 100, "it has them")
        self.assertNotEqual(grown["workloadDigest"], first["workloadDigest"])
        self.assertEqual(grown["epoch"], 1)
        return coordinator, workers

    def check_end(self, coordinator):
        done = coordinator.await_state("Complete")
        self.assertEqual(done["tasks"], {"total": 100, "completed": 100, "failed": 0})
        self.check_all_done(100)

    def test_tasks_are_appended(self):
        coordinator, workers = self.begin()
        self.check_end(coordinator)
        self.assertEqual(set(self.runs().values()), {1})
        for each in workers:
            self.assertEqual(each.wait(), 0, each.said)

    def test_the_coordinator_is_killed_afterwards(self):
        coordinator, workers = self.begin()
        coordinator.process.kill()
        coordinator.wait()
        second = self.coordinator()
        resumed = second.await_progress(lambda now: now["epoch"] == 2, "it is back")
        self.assertEqual(resumed["tasks"]["total"], 100)
        self.check_end(second)
        for each in workers:
            self.assertEqual(each.wait(), 0, each.said)

    def test_tasks_are_appended_while_no_coordinator_runs(self):
        coordinator = self.coordinator()
        workers = self.workers("a", "b")
        coordinator.await_tasks(5)
        coordinator.process.kill()
        coordinator.wait()
        self.change("job.json", self.manifest(tasks=100, pause=0.1))
        self.check_end(self.coordinator())
        for each in workers:
            self.assertEqual(each.wait(), 0, each.said)

    def test_a_worker_is_killed_afterwards(self):
        coordinator, workers = self.begin()
        workers[0].process.kill()
        late = self.worker("c")
        self.check_end(coordinator)
        for each in (workers[1], late):
            self.assertEqual(each.wait(), 0, each.said)

    def test_a_job_that_is_complete_does_not_begin_again(self):
        self.plan(self.manifest(tasks=5), ("a", 1), ("b", 1))
        coordinator = self.coordinator()
        self.workers("a", "b")
        coordinator.await_state("Complete")
        self.change("job.json", self.manifest(tasks=9))
        for number in (signal.SIGTERM, signal.SIGKILL):
            coordinator.await_exit(number)
            coordinator = self.coordinator()
            done = coordinator.await_state("Complete")
            self.assertEqual(done["tasks"], {"total": 5, "completed": 5, "failed": 0})
        self.assertEqual(set(self.runs()), set(range(5)))

    def test_fewer_tasks_are_not_taken(self):
        coordinator, _ = self.begin()
        self.change("job.json", self.manifest(tasks=99, pause=0.1))
        eventually(lambda: ONLY_APPENDED in coordinator.said, "it says so")
        coordinator.process.kill()
        coordinator.wait()
        shrunk = self.coordinator()
        self.assertEqual(shrunk.wait(), 2, shrunk.said)
        self.assertIn(ONLY_APPENDED, shrunk.said)
        self.change("job.json", self.manifest(tasks=100, pause=0.1))
        self.check_end(self.coordinator())


if __name__ == "__main__":
    evenkeel.main()
