"""Nodes that stop answering, die, slow down or join during the run: the others take over.

The job must end within 5 % plus one lease of the moment at which the speeds of the nodes over time
have done its work. The figures are printed.
"""

import os
import pathlib
import signal
import time

import evenkeel
from evenkeel import RunTest, job, node, nodes, synthetic

LEASE = 1.0
SPEEDS = {"alpha": 2, "beta": 1, "gamma": 1, "delta": 1}
RESTART_PAUSE = 0.2  # of a worker that died, before it is started again


def time_to_do(work, speeds, changes):
    """When `work` (seconds at speed 1) is done, if each (time, node, speed) of `changes` happens."""
    speeds, now = dict(speeds), 0.0
    for at, name, speed in sorted(changes):
        done = sum(speeds.values()) * (at - now)
        if done >= work:
            break
        work, now = work - done, at
        speeds[name] = speed
    return now + work / sum(speeds.values())


class FaultTest(RunTest):
    def begin(self, cost, tasks, mode="Sleep", speeds=None):
        self.speeds = speeds or SPEEDS
        manifest = job("faulty", synthetic(tasks, cost, mode, seed=11), balancing={"leaseSeconds": LEASE})
        listed = nodes(*(node(name, speed) for name, speed in self.speeds.items()))
        self.process = self.start(self.command(manifest, listed))
        self.changes = []
        return self.wait_for_workers(self.process, len(self.speeds))

    def now(self):
        return time.monotonic() - self.process.started

    def change(self, name, speed):
        self.changes.append((self.now(), name, speed))

    def wait_until(self, seconds):
        """The passing of time is what this test is about."""
        while self.now() < seconds:
            self.assertTrue(self.process.running(), self.process.out + self.process.err)
            time.sleep(0.005)

    def check_end(self, what, tasks, leases=1):
        self.assertEqual(self.process.wait(), 0, self.process.out + self.process.err)
        summary = self.summary()
        self.assertEqual(summary["tasks"], {"total": tasks, "completed": tasks, "failed": 0})
        self.check_covered_once(tasks)
        work = summary["lowerBoundSeconds"] * sum(self.speeds.values())
        bound, makespan = time_to_do(work, self.speeds, self.changes), summary["makespanSeconds"]
        print(f"\n{what}: {makespan:.2f} s, bound {bound:.2f} s ({makespan / bound - 1:+.1%}), "
              f"lease {summary['leaseSeconds']:g} s, wasted {summary['wastedSeconds']:.2f} s, "
              f"moves {summary['moves']}", flush=True)
        self.assertLess(bound, makespan)
        self.assertLess(makespan, 1.05 * bound + leases * LEASE)
        return summary


class SleepingNodesTest(FaultTest):
    TASKS = 300
    COST = {"uniform": [0.05, 0.15]}

    def test_nothing_happens(self):
        self.begin(self.COST, self.TASKS)
        self.check_end("undisturbed", self.TASKS)

    def test_stopped_for_ever(self):
        for name, moment in (("alpha", 2), ("delta", 5)):
            with self.subTest(name):
                self.output = self.folder / name
                workers = self.begin(self.COST, self.TASKS)
                self.wait_until(moment)
                os.kill(workers[name], signal.SIGSTOP)
                self.change(name, 0)
                self.check_end(f"{name} stopped at {moment} s", self.TASKS)
                self.check_no_worker_of(workers)

    def test_stopped_for_a_while(self):
        workers = self.begin(self.COST, self.TASKS)
        self.wait_until(1.5)
        os.kill(workers["alpha"], signal.SIGSTOP)
        self.change("alpha", 0)
        self.wait_until(4)
        os.kill(workers["alpha"], signal.SIGCONT)
        self.change("alpha", SPEEDS["alpha"])
        summary = self.check_end("alpha stopped from 1.5 to 4 s", self.TASKS)
        kinds = [line["kind"] for line in self.timeline() if line.get("worker") == "alpha"]
        self.assertIn("lost", kinds)
        self.assertEqual(kinds.count("joined"), 2)
        self.assertGreater(summary["nodes"][0]["completed"], 40)

    def test_killed(self):
        workers = self.begin(self.COST, self.TASKS)
        self.wait_until(3)
        os.kill(workers["alpha"], signal.SIGKILL)
        self.change("alpha", 0)
        self.changes.append((self.now() + RESTART_PAUSE, "alpha", SPEEDS["alpha"]))
        self.check_end("alpha killed at 3 s", self.TASKS)

    def test_joins_late(self):
        workers = self.begin(self.COST, self.TASKS)
        os.kill(workers["alpha"], signal.SIGSTOP)
        self.change("alpha", 0)
        self.wait_until(4)
        os.kill(workers["alpha"], signal.SIGCONT)
        self.change("alpha", SPEEDS["alpha"])
        summary = self.check_end("alpha joins at 4 s", self.TASKS)
        self.assertGreater(summary["nodes"][0]["completed"], 20)

    def test_one_after_the_other_until_one_is_left(self):
        workers = self.begin(self.COST, self.TASKS // 3)
        for moment, name in enumerate(("alpha", "beta", "gamma"), 1):
            self.wait_until(moment / 2)
            os.kill(workers[name], signal.SIGSTOP)
            self.change(name, 0)
        self.check_end("only delta is left", self.TASKS // 3, leases=3)


def group_of(pid):
    """(folder, version) of the control group that holds the CPU of a process, or nothing."""
    for line in pathlib.Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        number, controllers, group = line.split(":", 2)
        if "/evenkeel-" not in group:
            continue
        for folder in (f"/sys/fs/cgroup{group}", f"/sys/fs/cgroup/unified{group}",
                       f"/sys/fs/cgroup/cpu{group}", f"/sys/fs/cgroup/cpu,cpuacct{group}"):
            folder = pathlib.Path(folder)
            if (folder / "cpu.max").exists() or (folder / "cpu.cfs_quota_us").exists():
                return folder
    return None


class ComputingNodesTest(FaultTest):
    SPEEDS = {"alpha": 0.2, "beta": 0.1, "gamma": 0.1}
    TASKS = 300

    def halve(self, pid):
        folder = group_of(pid)
        if not folder:
            self.skipTest("this system does not permit control groups: speeds are held by pausing")
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text().split()
            (folder / "cpu.max").write_text(f"{int(quota) // 2} {period}")
        else:
            file = folder / "cpu.cfs_quota_us"
            file.write_text(str(int(file.read_text()) // 2))

    def test_slows_down_to_half(self):
        workers = self.begin({"uniform": [0.005, 0.015]}, self.TASKS, "Spin", self.SPEEDS)
        self.wait_until(2)
        self.halve(workers["alpha"])
        self.change("alpha", self.SPEEDS["alpha"] / 2)
        summary = self.check_end("alpha slows down to half at 2 s", self.TASKS)
        self.assertEqual(summary["speedControl"], "cgroup")


if __name__ == "__main__":
    evenkeel.main()
