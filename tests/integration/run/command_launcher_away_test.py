"""Workers whose launcher does not return leave, and no task counts it as a failure."""

import json
import pathlib

import evenkeel
from cluster import COORDINATOR, ClusterTest, Program
from evenkeel import eventually, job

LAUNCHER = pathlib.Path(COORDINATOR).parent / "evenkeel-launcher"


class LauncherAwayTest(ClusterTest):
    def setUp(self):
        super().setUp()
        command = {"command": ["/bin/sh", "-c", "sleep 0.05"], "tasks": 40}
        self.plan(job("sturdy", {"command": command}, balancing={"leaseSeconds": 2},
                      taskPolicy={"backoffLimitPerTask": 0, "timeoutSeconds": 3}),
                  ("a", 1), ("b", 1))
        self.socket = self.folder / "launcher.sock"

    def launcher(self):
        started = Program([LAUNCHER, "serve", self.socket], self.folder)
        self.addCleanup(started.end)
        eventually(self.socket.exists, "it listens")
        return started

    def check_left(self, worker):
        self.assertEqual(worker.wait(), 1, worker.said)
        self.logged(worker, f"evenkeel-worker on a: no launcher at {self.socket}: .*; "
                            "the worker leaves, its tasks go to others")

    def check_untouched(self, coordinator):
        done = coordinator.await_state("Complete")
        self.assertEqual(done["tasks"], {"total": 40, "completed": 40, "failed": 0})
        rows = [json.loads(line) for line in (self.output / "results.jsonl").read_text().splitlines()]
        self.assertEqual({(row["attempts"], row["status"]) for row in rows}, {(1, "succeeded")})
        return {row["node"] for row in rows}

    def lose_launcher(self, patience):
        """A worker that has seen its launcher, gets tasks, and has none any more."""
        launcher = self.launcher()
        worker = self.worker("a", "--launcher-socket", self.socket, "--launcher-patience", patience,
                             "--threads", 2)
        eventually(lambda: "no coordinator at" in worker.said, "it looks for its coordinator")
        launcher.process.kill()
        launcher.wait()
        return worker

    def test_the_worker_leaves_and_its_tasks_go_to_others(self):
        worker = self.lose_launcher(patience=1)
        coordinator = self.coordinator()
        self.check_left(worker)
        self.worker("b")
        self.assertEqual(self.check_untouched(coordinator), {"b"})

    def test_a_task_that_runs_out_of_time_meanwhile_is_not_charged(self):
        worker = self.lose_launcher(patience=30)  # longer than the tasks' timeout
        coordinator = self.coordinator()
        self.check_left(worker)
        self.worker("b")
        self.assertEqual(self.check_untouched(coordinator), {"b"})

    def test_a_launcher_that_comes_back_in_time_is_found(self):
        worker = self.lose_launcher(patience=30)
        coordinator = self.coordinator()
        coordinator.await_progress(
            lambda now: any(row["state"] == "Running" for row in now["workers"]), "it has tasks")
        self.socket.unlink()
        self.launcher()
        self.assertEqual(self.check_untouched(coordinator), {"a"})
        self.assertEqual(worker.wait(), 0, worker.said)


if __name__ == "__main__":
    evenkeel.main()
