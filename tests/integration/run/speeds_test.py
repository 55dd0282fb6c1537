"""How nodes are held to their speeds, and that waiting costs nothing."""

import os
import pathlib
import shutil
import time
import unittest

import evenkeel
from evenkeel import RunTest, eventually, job, node, nodes, primes, synthetic

TICK = 1 / os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def cpu_share(pid, seconds):
    """Of one core, over the next `seconds`."""
    began, before = time.monotonic(), cpu_seconds(pid)
    time.sleep(seconds)
    return (cpu_seconds(pid) - before) / (time.monotonic() - began)


class HeldSpeedTest(RunTest):
    SPEEDS = {"half": 0.3, "tenth": 0.1}
    ENDLESS = primes(3_000_000, "TrialDivision")

    def check_shares(self, process):
        workers = self.wait_for_workers(process, 2)
        eventually(lambda: all(cpu_seconds(pid) > 5 * TICK for pid in workers.values()), "all compute")
        for name, speed in self.SPEEDS.items():
            share = cpu_share(workers[name], 2)
            print(f"\n{name}: {share:.3f} of a core, declared {speed}", flush=True)
            self.assertLess(share, 1.2 * speed + TICK)
            self.assertGreater(share, 0.3 * speed)  # the machine may be busy with other things
        process.signal(2)
        self.assertEqual(process.wait(), 130)
        return self.summary()["speedControl"]

    def arguments(self):
        listed = nodes(*(node(name, speed) for name, speed in self.SPEEDS.items()))
        return self.command(job("held", self.ENDLESS), listed)

    def test_shares_of_a_core(self):
        control = self.check_shares(self.start(self.arguments()))
        self.assertIn(control, ("cgroup", "duty-cycle"))

    @unittest.skipUnless(os.geteuid() == 0, "is what the other test shows already, without root")
    def test_shares_without_control_groups(self):
        """As a user who may not make control groups."""
        nobody = 65534
        programs = self.root / "bin"
        programs.mkdir()
        for name in ("evenkeel", "evenkeel-worker"):
            shutil.copy(pathlib.Path(evenkeel.EVENKEEL).parent / name, programs)
        arguments = self.arguments()
        self.root.chmod(0o755)
        os.chown(self.folder, nobody, nobody)
        process = self.start(arguments, executable=programs / "evenkeel", user=nobody, group=nobody)
        self.assertEqual(self.check_shares(process), "duty-cycle")


class SleepingTest(RunTest):
    def test_sleeping_job_without_nodes_uses_all_threads_of_this_machine(self):
        self.run_to_end(self.command(job("sleepy", synthetic(20, {"constant": 0.1}))))
        summary = self.summary()
        self.assertEqual((summary["rateSource"], summary["speedControl"]), ("declared", "none"))
        self.assertEqual([row["name"] for row in summary["nodes"]], ["local"])
        self.assertAlmostEqual(summary["lowerBoundSeconds"],
                               max(2 / len(os.sched_getaffinity(0)), 0.1), delta=0.01)

    def test_worker_without_work_waits_without_polling(self):
        """`early` has one short task, `late` a long one that cannot be moved."""
        workload = synthetic(2, {"list": [0.1, 4]})
        workload["synthetic"].pop("tasks")
        manifest = job("waiting", workload, balancing={
            "strategy": "DomainDecomposition"},
            weighting={"mode": "Explicit", "weights": {"early": 1, "late": 40}})
        process = self.start(self.command(manifest, nodes(node("early", 1), node("late", 1))))
        workers = self.wait_for_workers(process, 2)
        self.wait_for_tasks(process, 1)
        share = cpu_share(workers["early"], 2)
        coordinator = cpu_share(process.pid, 1)
        self.assertTrue(process.running())
        print(f"\nidle worker: {share:.4f} of a core, coordinator {coordinator:.4f}", flush=True)
        self.assertLess(share, 0.02)
        self.assertLess(coordinator, 0.05)
        self.assertEqual(process.wait(), 0, process.err)
        self.assertEqual([row["completed"] for row in self.summary()["nodes"]], [1, 1])


if __name__ == "__main__":
    evenkeel.main()
