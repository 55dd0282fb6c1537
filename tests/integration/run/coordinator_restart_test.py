"""Coordinators that are killed, stopped, suspended, moved and doubled: nothing is lost or done twice."""

import json
import signal
import time
import zlib

import evenkeel
from cluster import ClusterTest, COORDINATOR_PORTS, free_ports
from evenkeel import eventually, job, synthetic

TASKS = 240
NODES = (("a", 2), ("b", 1), ("c", 1))
# Copies are off, so that every second that is wasted was wasted by running something again.
BALANCING = {"tailStealing": {"speculation": "Disabled"}, "leaseSeconds": 2}


class SturdyJob(ClusterTest):
    """Three sleeping nodes and 240 short tasks."""

    def setUp(self):
        super().setUp()
        workload = synthetic(TASKS, {"uniform": [0.03, 0.09]}, seed=7)
        self.plan(job("sturdy", workload, balancing=BALANCING), *NODES)

    def start_and_get_half_way(self):
        coordinator = self.coordinator()
        workers = self.workers("a", "b", "c")
        coordinator.await_tasks(TASKS // 4)
        return coordinator, workers

    def check_result(self, coordinator, epoch):
        done = coordinator.await_state("Complete")
        self.assertEqual(done["tasks"], {"total": TASKS, "completed": TASKS, "failed": 0})
        self.assertEqual(done["epoch"], epoch)
        self.assertEqual(sum(row["completed"] for row in done["workers"]), TASKS)
        self.check_covered_once(TASKS)
        _, numbers = evenkeel.read_npy(self.output / "results.npy")
        self.assertEqual(numbers[::2], tuple(range(TASKS)))
        return done

    def check_resumes(self, durable, workers, epoch=2, **how):
        """A restart in the same folder continues with the same workers and keeps durable results."""
        coordinator = self.coordinator(**how)
        done = self.check_result(coordinator, epoch)
        self.assertEqual(done["resumedTasks"], sum(row[1] - row[0] for row in durable))
        self.assertLessEqual(set(durable), set(self.journal_rows()))
        self.check_all_done(workers)
        return coordinator


class RestartTest(SturdyJob):
    def test_killed(self):
        coordinator, workers = self.start_and_get_half_way()
        coordinator.process.kill()
        coordinator.wait()
        durable = self.journal_rows()
        self.assertTrue(all(each.running() for each in workers), "they wait for their coordinator")
        self.check_resumes(durable, workers)

    def test_hangs(self):
        """A peer that answers nothing any more, as after a power cut: noticed within 20 s or so."""
        coordinator, workers = self.start_and_get_half_way()
        coordinator.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        eventually(lambda: all("lost the coordinator" in each.said for each in workers),
                   "every worker has noticed")
        self.assertLess(time.monotonic() - began, 30)
        coordinator.process.send_signal(signal.SIGCONT)
        self.check_result(coordinator, 1)
        self.check_all_done(workers)

    def test_told_to_stop(self):
        coordinator, workers = self.start_and_get_half_way()
        self.assertEqual(coordinator.await_exit(patience=20), 0, coordinator.said)
        self.logged(coordinator, "sturdy: Interrupted: told to stop; the next start goes on")
        durable = self.journal_rows()
        summary = self.summary()
        self.assertEqual(summary["state"], "Interrupted")
        self.assertEqual(summary["tasks"]["completed"], sum(row[1] - row[0] for row in durable))
        self.assertEqual(summary["wastedSeconds"], 0)
        self.check_resumes(durable, workers)
        self.assertEqual(self.summary()["wastedSeconds"], 0)

    def test_told_twice_to_stop(self):
        self.plan(job("long", synthetic(4, {"constant": 15})), *NODES)
        coordinator = self.coordinator()
        self.workers("a", "b", "c")
        coordinator.await_progress(
            lambda now: all(row["state"] == "Running" for row in now["workers"]), "all work")
        began = time.monotonic()
        coordinator.process.send_signal(signal.SIGTERM)
        # The first signal drains, so it is still there for the second one.
        eventually(lambda: coordinator.get("/readyz", coordinator.health)[0] == 503, "it drains")
        self.assertEqual(coordinator.await_exit(patience=10), 0, coordinator.said)
        self.assertLess(time.monotonic() - began, 10)

    def test_a_lower_epoch_gives_way(self):
        coordinator, workers = self.start_and_get_half_way()
        self.assertEqual(coordinator.await_exit(patience=20), 0)
        second = self.coordinator()
        second.await_progress(lambda now: any(row["connected"] for row in now["workers"]),
                              "the workers have seen the second start")
        second.process.kill()
        second.wait()
        outdated = self.coordinator(folder=self.root / "old")
        self.assertEqual(outdated.wait(), 5, outdated.said)
        self.logged(outdated, "sturdy: a newer coordinator of this job is running")
        self.assertTrue(all(each.running() for each in workers))
        self.check_resumes(self.journal_rows(), workers, epoch=3)

    def test_two_in_one_folder(self):
        coordinator, workers = self.start_and_get_half_way()
        second = self.coordinator(ports=free_ports(COORDINATOR_PORTS))
        self.assertEqual(second.wait(10), 5, second.said)
        self.assertIn("journal.db is in use by another process", second.said)
        self.check_result(coordinator, 1)
        self.check_all_done(workers)
        # It keeps the folder to itself as long as it serves.
        third = self.coordinator(ports=free_ports(COORDINATOR_PORTS))
        self.assertEqual(third.wait(10), 5, third.said)


class SuspendTest(SturdyJob):
    def suspend(self, coordinator):
        status, body = coordinator.ask("PUT", "/desired-state/Suspended")
        self.assertEqual(status, 202, body)
        self.assertEqual(json.loads(body)["desiredState"], "Suspended")
        said = coordinator.await_state("Interrupted")
        self.assertEqual(said["reason"], "suspended")
        return said

    def test_snapshot_moves_to_a_new_folder(self):
        coordinator, workers = self.start_and_get_half_way()
        self.assertEqual(coordinator.ask("GET", "/snapshot")[0], 409)
        said = self.suspend(coordinator)
        self.assertEqual(said["tasks"]["completed"], self.durable_tasks())
        self.suspend(coordinator)  # asking again does no harm
        status, snapshot = coordinator.ask("GET", "/snapshot")
        self.assertEqual(status, 200)
        self.assertLess(len(snapshot), 512 * 1024)
        self.assertEqual(zlib.decompress(snapshot)[:15], b"SQLite format 3")
        durable = self.journal_rows()
        for each in (*workers, coordinator):
            each.end()

        self.output = self.root / "elsewhere"
        kept = self.write("journal.db.z", snapshot)
        second = self.coordinator("--snapshot", kept)
        workers = self.workers("a", "b", "c")
        done = self.check_result(second, 2)
        self.assertEqual(done["resumedTasks"], sum(row[1] - row[0] for row in durable))
        self.assertLessEqual(set(durable), set(self.journal_rows()))
        self.check_all_done(workers)
        # The container starts again in the same folder: the snapshot is older and is left alone.
        self.assertEqual(second.await_exit(), 0)
        third = self.coordinator("--snapshot", kept)
        self.assertEqual(third.await_state("Complete")["resumedTasks"], TASKS)

    def test_stays_suspended_and_ends_when_told(self):
        coordinator, _ = self.start_and_get_half_way()
        self.suspend(coordinator)
        self.assertEqual(coordinator.progress()["state"], "Interrupted")
        self.assertEqual(coordinator.get("/readyz", coordinator.health)[0], 200)
        self.assertIn(b"<html", coordinator.get("/report.html")[1])
        self.assertEqual(coordinator.await_exit(), 0)

    def test_a_snapshot_that_is_too_large(self):
        workload = synthetic(80_000, {"constant": 0}, mode="None", seed=1)
        self.plan(job("large", workload), *NODES)
        coordinator = self.coordinator()
        self.workers("a")
        coordinator.await_state("Complete")
        status, body = coordinator.ask("GET", "/snapshot")
        self.assertEqual(status, 413, body[:200])
        self.assertRegex(json.loads(body)["reason"], r"would have \d+ bytes .* more than the 524288")


if __name__ == "__main__":
    evenkeel.main()
