"""A full disk: the job stops with a one-line error and resumes when there is space."""

import os
import resource
import subprocess
import unittest

import evenkeel
from evenkeel import RunTest, job, node, nodes, synthetic

TASKS = 20000  # 16 bytes each: 313 KiB
LISTED = nodes(node("one"), node("two"))
WORKLOAD = synthetic(TASKS, {"constant": 0}, mode="None")


class FullDiskTest(RunTest):
    said = ""

    def check_stopped(self, process):
        self.assertEqual(process.wait(30), 1, process.out + process.err)
        self.assertEqual(len(process.err.splitlines()), 1, process.err)
        self.assertRegex(process.err, "[Nn]o space left|File too large")
        self.check_no_worker_of(process.workers())
        self.said += process.err

    def check_stopped_by_the_journal(self):
        self.assertIn("journal.db: no space left; run the same command again when there is room", self.said)

    def check_complete(self):
        summary = self.summary()
        self.assertEqual(summary["state"], "Complete")
        self.assertEqual(summary["tasks"], {"total": TASKS, "completed": TASKS, "failed": 0})
        self.check_covered_once(TASKS)
        shape, numbers = evenkeel.read_npy(self.output / "results.npy")
        self.assertEqual(shape, (TASKS, 2))
        self.assertEqual(numbers[::2], tuple(range(TASKS)))

    def test_files_that_may_not_grow(self):
        """Growing limits of the process on the size of a file: room for more and more of the job."""
        arguments = self.command(job("large", WORKLOAD), LISTED)
        done = 0
        for kibibytes in (60, 150, 250, 300):
            limit = kibibytes * 1024

            def restrict(limit=limit):
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

            self.check_stopped(self.start(arguments, preexec_fn=restrict))
            self.assertLessEqual(done, self.durable_tasks())
            done = self.durable_tasks()
        self.check_stopped_by_the_journal()
        self.assertLess(0, done)
        self.run_to_end(arguments)
        self.check_complete()

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount a file system")
    def test_small_file_system(self):
        self.output.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", self.output],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest("mount is not permitted: " + mounted.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", self.output], check=True)
        arguments = self.command(job("large", WORKLOAD), LISTED)
        for size in ("100k", "100k", "300k", "600k"):
            subprocess.run(["mount", "-o", "remount,size=" + size, self.output], check=True)
            self.check_stopped(self.start(arguments))
        self.check_stopped_by_the_journal()
        subprocess.run(["mount", "-o", "remount,size=100m", self.output], check=True)
        self.run_to_end(arguments)
        self.check_complete()


if __name__ == "__main__":
    evenkeel.main()
