"""A journal that takes long to write or to read costs no worker and no time.

EVENKEEL_STALL_SECONDS sets how long one commit takes, EVENKEEL_JOURNAL_MB how large the journal is of
which pages are drawn. EVENKEEL_SLOW_SYNC names the library that delays a commit.
"""

import os
import threading

import evenkeel
from cluster import ClusterTest
from evenkeel import RunTest, eventually, job, node, nodes, synthetic

LEASE = 2.0
STALL = float(os.environ.get("EVENKEEL_STALL_SECONDS", "7"))
SPEEDS = {"fast": 3, "middle": 2, "slow": 1}
SHORT_TASK = 0.05  # seconds at speed 1
SHORT_TASKS = int((STALL + 6) * sum(SPEEDS.values()) / SHORT_TASK)

JOURNAL_MB = int(os.environ.get("EVENKEEL_JOURNAL_MB", "60"))
THREADS = 2  # of each of three workers
TASK = 0.4
TASKS = max(JOURNAL_MB, 300)
APPENDED = 60


class SlowJournalTest(RunTest):
    def check_nobody_was_lost(self, tasks, undisturbed):
        """`undisturbed` is the makespan in seconds without the slow journal."""
        self.assertEqual([event for event in self.timeline() if event.get("event") == "lost"], [])
        self.check_covered_once(tasks)
        makespan = self.summary()["makespanSeconds"]
        print(f"makespan {makespan:.2f} s, undisturbed {undisturbed:.2f} s", flush=True)
        self.assertLess(makespan, undisturbed + 1.0)


class SlowCommitTest(SlowJournalTest):
    def test_a_commit_that_takes_long_while_there_is_room_for_results(self):
        trigger = self.root / "slow"
        manifest = job("sleepers", synthetic(SHORT_TASKS, {"constant": SHORT_TASK}),
                       balancing={"leaseSeconds": LEASE})
        listed = nodes(*(node(name, speed) for name, speed in SPEEDS.items()))
        process = self.start(self.command(manifest, listed), env={
            **os.environ, "LD_PRELOAD": os.environ["EVENKEEL_SLOW_SYNC"],
            "EVENKEEL_SLOW_SYNC_TRIGGER": str(trigger), "EVENKEEL_SLOW_SYNC_SECONDS": str(STALL)})
        self.wait_for_tasks(process, 40)
        trigger.touch()
        eventually(lambda: not trigger.exists(), "a commit has begun")
        self.assertEqual(process.wait(), 0, process.out + process.err)
        self.check_nobody_was_lost(SHORT_TASKS, self.summary()["lowerBoundSeconds"] * 1.03)


class LargePageTest(SlowJournalTest, ClusterTest):
    def manifest(self, tasks):
        script = f"sleep {TASK}; head -c {JOURNAL_MB * 1_000_000 // TASKS} /dev/zero | tr '\\0' x"
        return job("wordy", {"command": {"command": ["/bin/sh", "-c", script], "tasks": tasks,
                                         "outputLimitBytes": 1 << 20}},
                   balancing={"leaseSeconds": LEASE})

    def test_pages_of_a_large_journal_are_drawn_while_tasks_are_appended(self):
        names = ("a", "b", "c")
        self.plan(self.manifest(TASKS), *((name, 1) for name in names))
        coordinator = self.coordinator()
        workers = [self.worker(name, "--threads", THREADS) for name in names]
        before = coordinator.await_progress(lambda now: now["tasks"]["completed"] > TASKS * 0.6,
                                            "most is done")
        pages = []
        drawn = threading.Event()

        def draw():
            while not drawn.is_set():
                pages.append(coordinator.get("/report.html")[0])

        reader = threading.Thread(target=draw)
        reader.start()
        self.write("job.json.new", self.manifest(TASKS + APPENDED))
        os.replace(self.folder / "job.json.new", self.folder / "job.json")
        coordinator.await_progress(lambda now: now["tasks"]["total"] > TASKS, "it has the new tasks")
        coordinator.await_tasks(TASKS + APPENDED // 2)
        drawn.set()
        reader.join()
        coordinator.await_state("Complete")
        self.assertEqual(set(pages), {200})
        self.check_all_done(workers)
        size = (self.output / "journal.db").stat().st_size / 1e6
        print(f"{len(pages)} pages; journal of {size:.0f} MB", flush=True)
        self.assertGreater(size, JOURNAL_MB)
        # Every thread is in the middle of a task, on average. A task takes longer than it sleeps, because
        # its output has to be written, read and sent: the rate before the pages includes that.
        done = before["tasks"]["completed"] + THREADS * len(names) / 2
        self.check_nobody_was_lost(TASKS + APPENDED,
                                   before["activeSeconds"] * (TASKS + APPENDED) / done)


if __name__ == "__main__":
    evenkeel.main()
