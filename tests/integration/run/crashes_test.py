"""Killed or interrupted during the run, the same command continues: no task is lost or repeated."""

import os
import shutil
import signal

import evenkeel
from evenkeel import RunTest, eventually, job, node, nodes, primes, synthetic

TASKS = 240
LISTED = nodes(node("alpha", 2), node("beta", 1), node("gamma", 1))
# Copies are off, so that every second that is wasted was wasted by running something again.
BALANCING = {"tailStealing": {"speculation": "Disabled"}, "leaseSeconds": 1}


class SturdyJob(RunTest):
    """Three sleeping nodes and 240 short tasks."""

    def setUp(self):
        super().setUp()
        workload = synthetic(TASKS, {"uniform": [0.02, 0.06]}, seed=7)
        self.arguments = self.command(job("sturdy", workload, balancing=BALANCING), LISTED)

    def start_and_get_half_way(self):
        process = self.start(self.arguments)
        workers = self.wait_for_workers(process, 3)
        self.wait_for_tasks(process, TASKS // 4)
        return process, workers

    def kill(self, *pids):
        for pid in pids:
            os.kill(pid, signal.SIGKILL)

    def check_result(self):
        summary = self.summary()
        self.assertEqual(summary["state"], "Complete")
        self.assertEqual(summary["tasks"], {"total": TASKS, "completed": TASKS, "failed": 0})
        self.assertEqual(sum(row["completed"] for row in summary["nodes"]), TASKS)
        self.assertEqual(summary["wastedSeconds"], 0)
        self.assertLess(summary["lowerBoundSeconds"], summary["makespanSeconds"])
        self.check_covered_once(TASKS)
        _, numbers = evenkeel.read_npy(self.output / "results.npy")
        self.assertEqual(numbers[::2], tuple(range(TASKS)))
        return summary

    def resume_and_check(self):
        """Runs the same command again: what was durable stays as it was, to the byte."""
        durable = self.journal_rows()
        done = sum(row[1] - row[0] for row in durable)
        self.assertLess(0, done)
        self.assertLess(done, TASKS)
        process = self.run_to_end(self.arguments)
        self.assertIn(f"goes on from the journal, {done} tasks are done", process.out)
        self.assertLessEqual(set(durable), set(self.journal_rows()))
        self.assertEqual(self.check_result()["epoch"], 2)


class CrashTest(SturdyJob):
    def test_worker_killed(self):
        process, workers = self.start_and_get_half_way()
        durable = self.journal_rows()
        self.kill(workers["alpha"])
        self.assertEqual(process.wait(), 0, process.err)
        self.assertLessEqual(set(durable), set(self.journal_rows()))
        self.check_result()
        self.assertIn("worker alpha was killed by signal Killed; it is started again", process.err)

    def test_every_worker_killed(self):
        process, workers = self.start_and_get_half_way()
        self.kill(*workers.values())
        self.assertEqual(process.wait(), 0, process.err)
        self.check_result()

    def test_coordinator_killed(self):
        process, workers = self.start_and_get_half_way()
        self.kill(process.pid)
        process.wait()
        self.check_no_worker_of(workers)
        self.resume_and_check()

    def test_coordinator_and_worker_killed(self):
        process, workers = self.start_and_get_half_way()
        self.kill(workers["alpha"], process.pid)
        process.wait()
        self.check_no_worker_of(workers)
        self.resume_and_check()

    def test_killed_again_and_again(self):
        for quarter in (1, 2, 3):
            process = self.start(self.arguments)
            workers = self.wait_for_workers(process, 3)
            self.wait_for_tasks(process, TASKS * quarter // 4)
            self.kill(process.pid)
            process.wait()
            self.check_no_worker_of(workers)
        self.run_to_end(self.arguments)
        self.assertEqual(self.check_result()["epoch"], 4)

    def test_resumes_with_other_nodes_and_another_strategy(self):
        process, workers = self.start_and_get_half_way()
        self.kill(process.pid)
        process.wait()
        self.check_no_worker_of(workers)
        self.write("nodes.yaml", nodes(node("alpha", 2), node("delta", 2)))
        self.run_to_end([*self.arguments, "--strategy", "DomainDecomposition"])
        summary = self.check_result()
        self.assertEqual({row["name"] for row in summary["nodes"]},
                         {"alpha", "beta", "gamma", "delta"})


class PrimesCrashTest(RunTest):
    """The same with real numbers: primes, the coordinator killed while the CPU is busy."""

    def test_result_is_the_same(self):
        workload = primes(200_000, "TrialDivision", candidatesPerTask=100)
        listed = nodes(*(node(f"node-{i}", 0.5) for i in range(3)))
        arguments = self.command(job("primes", workload, balancing={"leaseSeconds": 1}), listed)
        process = self.start(arguments)
        workers = self.wait_for_workers(process, 3)
        self.wait_for_tasks(process, 200)
        os.kill(workers["node-1"], signal.SIGKILL)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        self.check_no_worker_of(workers)
        durable = self.journal_rows()
        self.assertLess(self.durable_tasks(), 1000)
        self.run_to_end(arguments)
        self.assertEqual(self.summary()["result"], {"count": 17984, "largest": 199999})
        self.assertLessEqual(set(durable), set(self.journal_rows()))
        self.check_covered_once(1000)


class InterruptTest(SturdyJob):
    def interrupt(self, number):
        process, workers = self.start_and_get_half_way()
        process.signal(number)
        self.assertEqual(process.wait(10), 130, process.err)
        self.check_no_worker_of(workers)
        return process

    def check_interrupted(self, process):
        self.assertEqual(process.err, "evenkeel: sturdy: interrupted; the same command goes on\n")
        summary = self.summary()
        self.assertEqual(summary["state"], "Interrupted")
        self.assertEqual(summary["tasks"]["completed"], self.durable_tasks())
        self.assertTrue((self.output / "report.html").exists())

    def test_interrupted_by_sigint(self):
        self.check_interrupted(self.interrupt(signal.SIGINT))
        self.resume_and_check()

    def test_interrupted_by_sigterm(self):
        self.check_interrupted(self.interrupt(signal.SIGTERM))
        self.resume_and_check()

    def test_second_interrupt_ends_at_once(self):
        workload = synthetic(4, {"constant": 3})
        arguments = self.command(job("long", workload), LISTED)
        process = self.start(arguments)
        self.wait_for_workers(process, 3)
        process.signal(signal.SIGINT)
        process.signal(signal.SIGTERM)
        self.assertEqual(process.wait(4), 130, process.err)


class CompleteTest(SturdyJob):
    def files(self):
        return {path.name: path.read_bytes() for path in self.output.iterdir()
                if not path.name.startswith("journal.db")}

    def test_complete_job_is_not_run_again(self):
        self.run_to_end(self.arguments)
        before, rows = self.files(), self.journal_rows()
        (self.output / "results.npy").unlink()
        (self.output / "timeline.jsonl").unlink()
        process = self.run_to_end([*self.arguments, "--strategy", "Interleaved"], patience=5)
        self.assertIn("was complete already", process.out)
        self.assertIn("sturdy: Complete in", process.out)
        self.assertEqual(self.files(), before)
        self.assertEqual(self.journal_rows(), rows)

    def test_lost_summary_is_made_up_from_the_journal(self):
        self.run_to_end(self.arguments)
        before = self.summary()
        (self.output / "summary.json").unlink()
        self.run_to_end(self.arguments, patience=5)
        after = self.check_result()
        self.assertEqual(after["result"], before["result"])
        for field in ("completed", "name"):
            self.assertEqual([row[field] for row in after["nodes"]],
                             [row[field] for row in before["nodes"]])

    def without_worker(self):
        """evenkeel where there is no evenkeel-worker beside it."""
        return {"executable": shutil.copy(evenkeel.EVENKEEL, self.root)}

    def test_complete_job_needs_no_worker(self):
        self.run_to_end(self.arguments)
        before = self.files()
        process = self.start(self.arguments, **self.without_worker())
        self.assertEqual(process.wait(5), 0, process.err)
        self.assertEqual(self.files(), before)

    def test_worker_that_cannot_be_started(self):
        process = self.start(self.arguments, **self.without_worker())
        self.assertEqual(process.wait(10), 1, process.out)
        self.assertEqual(len(process.err.splitlines()), 1, process.err)
        self.assertIn("evenkeel-worker cannot be started: No such file or directory", process.err)
        self.run_to_end(self.arguments)
        self.check_result()

    def test_second_run_in_the_same_folder_is_refused(self):
        first, _ = self.start_and_get_half_way()
        second = self.run_to_end(self.arguments, 2, patience=10)
        self.assertEqual(len(second.err.splitlines()), 1, second.err)
        self.assertIn("journal.db", second.err)
        self.assertTrue(first.running())
        self.assertEqual(first.wait(), 0, first.err)
        self.check_result()


if __name__ == "__main__":
    evenkeel.main()
