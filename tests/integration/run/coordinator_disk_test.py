"""A full disk under a coordinator: it reports that, waits and continues; no result is lost."""

import os
import resource
import subprocess
import unittest

import evenkeel
from cluster import ClusterTest
from evenkeel import eventually, job, synthetic

TASKS = 20000  # 16 bytes each: 313 KiB
WORKLOAD = synthetic(TASKS, {"constant": 0.0003})
ENDLESS = resource.RLIM_INFINITY


def limit_of(kibibytes):
    """Limits the size of the process's files; the test raises the limit later."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (kibibytes * 1024, ENDLESS))


class FullDiskTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.plan(job("large", WORKLOAD), ("one", 1), ("two", 1))

    def check_blocked(self, coordinator):
        blocked = coordinator.await_state("Blocked")
        self.assertRegex(blocked["reason"], "[Nn]o space left|File too large")
        self.assertNotIn("run the same command", blocked["reason"])
        self.assertEqual(coordinator.get("/readyz", coordinator.health)[0], 200)
        self.assertTrue(coordinator.running())
        return blocked

    def check_complete(self, coordinator, workers):
        done = coordinator.await_state("Complete")
        self.assertEqual(done["tasks"], {"total": TASKS, "completed": TASKS, "failed": 0})
        self.check_all_done(workers)
        self.check_covered_once(TASKS)
        shape, numbers = evenkeel.read_npy(self.output / "results.npy")
        self.assertEqual((shape, numbers[::2]), ((TASKS, 2), tuple(range(TASKS))))

    def test_files_that_may_not_grow(self):
        coordinator = self.coordinator()
        workers = self.workers("one", "two")
        eventually(lambda: len(self.journal_rows()) > 0, "results are durable")
        largest = max(path.stat().st_size for path in self.output.glob("journal.db*"))
        resource.prlimit(coordinator.pid, resource.RLIMIT_FSIZE, (largest, ENDLESS))
        self.check_blocked(coordinator)
        durable = self.journal_rows()
        self.assertLess(0, len(durable))
        self.assertTrue(all(each.running() for each in workers), "they keep what is not durable")
        resource.prlimit(coordinator.pid, resource.RLIMIT_FSIZE, (ENDLESS, ENDLESS))
        self.check_complete(coordinator, workers)
        self.assertLessEqual(set(durable), set(self.journal_rows()))

    def test_full_from_the_first_moment_on(self):
        coordinator = self.coordinator(preexec_fn=limit_of(1))
        workers = self.workers("one", "two")
        self.assertEqual(self.check_blocked(coordinator)["epoch"], 0)
        resource.prlimit(coordinator.pid, resource.RLIMIT_FSIZE, (ENDLESS, ENDLESS))
        self.check_complete(coordinator, workers)

    def test_told_to_stop_or_to_suspend_while_blocked(self):
        coordinator = self.coordinator(preexec_fn=limit_of(1))
        self.check_blocked(coordinator)
        status, body = coordinator.ask("PUT", "/desired-state/Suspended")
        self.assertEqual(status, 202, body)
        coordinator.await_state("Interrupted")
        self.assertEqual(coordinator.ask("GET", "/snapshot")[0], 503)
        self.assertEqual(coordinator.await_exit(patience=5), 0)
        coordinator = self.coordinator(preexec_fn=limit_of(1))
        self.check_blocked(coordinator)
        self.assertEqual(coordinator.await_exit(patience=5), 0)

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount a file system")
    def test_small_file_system(self):
        self.output.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", self.output],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest("mount is not permitted: " + mounted.stderr.strip())
        coordinator = self.coordinator()

        def unmount():
            coordinator.end()
            subprocess.run(["umount", self.output], check=True)
        self.addCleanup(unmount)
        workers = self.workers("one", "two")
        self.check_blocked(coordinator)
        subprocess.run(["mount", "-o", "remount,size=100m", self.output], check=True)
        self.check_complete(coordinator, workers)


if __name__ == "__main__":
    evenkeel.main()
