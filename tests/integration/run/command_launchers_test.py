"""Commands as in a cluster: the launcher runs apart from the worker, in the user's container."""

import json
import os
import pathlib
import signal

import evenkeel
from cluster import WORKER, ClusterTest, Program
from evenkeel import eventually, job

LAUNCHER = WORKER.parent / "evenkeel-launcher"


class LaunchersTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.launchers = {}

    def socket(self, node):
        return self.folder / f"{node}.sock"

    def launcher(self, node):
        """With the environment that the user's container would have."""
        environment = {"PATH": os.environ["PATH"], "IMAGE": node, "EVENKEEL_NODE": "not this"}
        started = Program([LAUNCHER, "serve", self.socket(node)], self.folder, env=environment)
        self.addCleanup(started.end)
        self.launchers[node] = started
        return started

    def worker_beside(self, node, *more):
        return self.worker(node, "--launcher-socket", self.socket(node), *more)

    def begin(self, script, tasks, *nodes, **sections):
        self.plan(job("many", {"command": {"image": "docker.io/library/busybox:1.36", "tasks": tasks,
                                           "command": ["/bin/sh", "-c", script]}}, **sections),
                  *((node, 1) for node in nodes))
        return self.coordinator()

    def rows(self, coordinator):
        status, body = coordinator.get("/results/results.jsonl")
        self.assertEqual(status, 200)
        return [json.loads(line) for line in body.decode().splitlines()]

    def test_commands_run_where_the_launcher_is(self):
        coordinator = self.begin("echo $JOB_COMPLETION_INDEX $IMAGE $EVENKEEL_NODE ${HOME-none}", 200,
                                 "one", "two")
        self.launcher("one")
        self.launcher("two")
        workers = [self.worker_beside(node, "--threads", 3) for node in ("one", "two")]
        done = coordinator.await_state("Complete")
        self.assertEqual(done["result"], {"succeeded": 200, "failed": 0, "exitCodes": {"0": 200}})
        self.check_all_done(workers)
        rows = self.rows(coordinator)
        self.assertEqual([row["stdout"] for row in rows],
                         [f"{n} {row['node']} {row['node']} none\n" for n, row in enumerate(rows)])
        for launcher in self.launchers.values():
            self.assertTrue(launcher.running())
            launcher.process.terminate()
            self.assertEqual(launcher.wait(), 0, launcher.said)

    def test_a_worker_waits_for_its_launcher(self):
        coordinator = self.begin("echo $JOB_COMPLETION_INDEX", 20, "late")
        worker = self.worker_beside("late")
        coordinator.await_progress(lambda now: now["state"], "it listens")
        self.assertFalse(self.socket("late").exists())
        self.launcher("late")
        coordinator.await_state("Complete")
        self.check_all_done([worker])

    def test_a_worker_that_waits_can_be_told_to_end(self):
        self.begin("true", 20, "never")
        worker = self.worker_beside("never")
        eventually(lambda: self.handles_signals(worker.pid), "it is up")
        worker.process.terminate()
        self.assertEqual(worker.wait(), 0, worker.said)

    @staticmethod
    def handles_signals(pid):
        """Whether SIGTERM is blocked, which is how the worker waits for it."""
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        blocked = int(status.split("SigBlk:")[1].split()[0], 16)
        return blocked >> (signal.SIGTERM - 1) & 1

    def test_a_launcher_that_dies_and_comes_back_costs_its_running_tasks_one_attempt(self):
        coordinator = self.begin("echo $JOB_COMPLETION_INDEX; sleep 0.02", 150, "fragile")
        launcher = self.launcher("fragile")
        worker = self.worker_beside("fragile", "--threads", 2)
        coordinator.await_tasks(20)
        launcher.process.kill()
        launcher.wait()
        self.launcher("fragile")
        coordinator.await_state("Complete")
        self.check_all_done([worker])
        rows = self.rows(coordinator)
        self.assertEqual([row["stdout"] for row in rows], [f"{n}\n" for n in range(150)])
        self.assertLessEqual(sum(row["attempts"] - 1 for row in rows), 2)

    def test_a_worker_that_is_killed_leaves_no_command_behind(self):
        coordinator = self.begin(f"echo $$ >>{self.folder}/pids; exec sleep 1000", 4, "one")
        launcher = self.launcher("one")
        worker = self.worker_beside("one", "--threads", 2)
        pids = self.folder / "pids"
        eventually(lambda: pids.exists() and pids.read_text().count("\n") == 2, "two commands run")
        worker.process.kill()
        for pid in pids.read_text().split():
            eventually(lambda pid=pid: not pathlib.Path(f"/proc/{pid}").exists(), "the command is gone")
        self.assertTrue(launcher.running())
        self.assertTrue(coordinator.running())


if __name__ == "__main__":
    evenkeel.main()
