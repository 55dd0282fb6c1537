"""Files of tasks that come from the coordinator and go back to it: real processes that share no folder."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import unittest

import evenkeel
from cluster import ClusterTest
from evenkeel import job

NODES = ("pi4a", "pi4b", "pi3")
COMMON = 9 << 20  # bytes of the file that all tasks need: three chunks
SCRIPT = ("cat \"$1\" > own.txt; wc -c < model/common.bin > length.txt; mkdir out; "
          "cat own.txt length.txt > out/both.txt; sleep {pause}")


class FilesTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.inputs = self.folder / "inputs"
        (self.inputs / "texts").mkdir(parents=True)
        (self.inputs / "model").mkdir()
        (self.inputs / "model" / "common.bin").write_bytes(os.urandom(COMMON))

    lines = 100  # of the text of a task
    keeps_files = False  # nodes have a volume for their caches, which outlives the job

    def text(self, index):
        return f"text {index}\n" * self.lines

    def start(self, tasks, pause=0.02, nodes=NODES, missing=(), options=(), **policy):
        for index in set(range(tasks)) - set(missing):
            text = self.inputs / "texts" / f"{index} %.txt"
            if not text.exists():
                text.write_text(self.text(index))
        self.plan(job("files", {"command": {
            "command": ["/bin/sh", "-ec", SCRIPT.format(pause=pause), "sh", "{}"],
            "arguments": [f"texts/{index} %.txt" for index in range(tasks)],
            "inputs": ["{}", "model/*.bin"], "outputs": ["out/both.txt", "own.*"]}},
            **({"taskPolicy": policy} if policy else {})), *((node, 1) for node in nodes))
        coordinator = self.coordinator("--inputs", self.inputs)
        return coordinator, [self.file_worker(node, *options) for node in nodes]

    def file_worker(self, node, *more):
        if self.keeps_files:
            more += ("--persistent-file-cache", self.volume(node) / "cache")
        return super().file_worker(node, *more)

    def volume(self, node):
        return self.folder / f"volume-{node}"

    def mount_volume(self, node, options):
        """A file system of its own: input files cannot be links to files in there."""
        self.volume(node).mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.volume(node)],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest("mount is not permitted: " + mounted.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", self.volume(node)], check=True)

    @staticmethod
    def sent_bytes(coordinator):
        status, body = coordinator.get("/metrics", coordinator.health)
        assert status == 200, body
        found = re.search(rb'^evenkeel_transfer_bytes_total\{.*direction="sent".*\} (\S+)$', body, re.M)
        return float(found[1])

    def files(self):
        folder = self.output / "files"
        return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}

    def check_files(self, *indexes):
        expected = {}
        for index in indexes:
            expected[f"{index}/own.txt"] = self.text(index)
            expected[f"{index}/out/both.txt"] = self.text(index) + f"{COMMON}\n"
        self.assertEqual(self.files(), expected)

    def check_clean(self, nodes=NODES):
        """Nothing is left of the directories of tasks and of unfinished uploads."""
        for node in nodes:
            self.assertEqual(os.listdir(self.folder / node / "tasks"), [])
        self.assertFalse((self.output / "files" / ".staged").exists() and
                         os.listdir(self.output / "files" / ".staged"))

    def rows(self):
        return [json.loads(line) for line in (self.output / "results.jsonl").read_text().splitlines()]

    def test_each_task_has_its_inputs_and_leaves_its_outputs(self):
        coordinator, workers = self.start(60)
        coordinator.await_state("Complete")
        self.check_all_done(workers)
        self.check_files(*range(60))
        self.check_clean()
        self.assertEqual({row["status"] for row in self.rows()}, {"succeeded"})

    def test_exact_though_coordinator_and_worker_are_killed(self):
        coordinator, workers = self.start(60, pause=0.1)
        coordinator.await_tasks(10)
        coordinator.await_exit(signal.SIGKILL)
        coordinator = self.coordinator("--inputs", self.inputs)
        coordinator.await_tasks(25)
        workers[0].await_exit(signal.SIGKILL)
        workers[0] = self.file_worker(NODES[0])
        coordinator.await_state("Complete")
        self.check_all_done(workers)
        self.check_files(*range(60))
        self.check_clean()
        self.assertEqual({(row["status"], row["attempts"]) for row in self.rows()}, {("succeeded", 1)})

    def test_an_interrupted_coordinator_keeps_files_whose_results_are_on_their_way(self):
        """Workers report results again that a coordinator has not recorded, but do not send the files again."""
        coordinator, workers = self.start(60, pause=0.2)
        coordinator.await_tasks(5)
        stored = self.output / "files" / "59"
        stored.mkdir()
        (stored / "own.txt").write_text("its result has not arrived")
        self.assertEqual(coordinator.await_exit(), 0)
        self.assertTrue((stored / "own.txt").exists())
        coordinator = self.coordinator("--inputs", self.inputs)
        coordinator.await_state("Complete")
        self.check_all_done(workers)
        self.check_files(*range(60))

    def test_wrong_bytes_in_a_cache_are_found_out(self):
        coordinator, workers = self.start(40, pause=0.1, nodes=NODES[:1])
        coordinator.await_tasks(3)
        spoiled = 0
        for path in (self.folder / NODES[0] / "cache").rglob("*"):
            if path.is_file() and path.stat().st_size > 1 << 20:
                path.chmod(0o644)
                with open(path, "r+b") as file:
                    file.write(b"wrong")
                spoiled += 1
        self.assertGreater(spoiled, 0)
        coordinator.await_state("Complete")
        self.check_all_done(workers)
        self.check_files(*range(40))

    def test_a_cache_outlives_its_worker(self):
        coordinator, workers = self.start(30, pause=0.1, nodes=NODES[:1])
        coordinator.await_tasks(5)
        workers[0].await_exit(signal.SIGKILL)
        before = {path: path.stat().st_ino for path in (self.folder / NODES[0] / "cache").iterdir()
                  if path.is_file() and path.stat().st_size == COMMON}
        self.assertEqual(len(before), 1)
        workers = [self.file_worker(NODES[0])]
        coordinator.await_state("Complete")
        self.check_all_done(workers)
        self.check_files(*range(30))
        self.assertEqual({path: path.stat().st_ino for path in before}, before)

    def run_once(self, tasks=12, **more):
        """Runs the job in an output folder of its own; returns (coordinator, workers)."""
        coordinator, workers = self.start(tasks, **more)
        coordinator.await_state("Complete")
        self.check_all_done(workers)
        self.check_files(*range(tasks))
        return coordinator, workers

    def test_a_second_job_finds_the_files_in_the_caches(self):
        self.keeps_files = True
        coordinator, _ = self.run_once(tasks=60, pause=0.2)
        self.assertTrue(COMMON <= self.sent_bytes(coordinator) < 1.3 * COMMON, self.sent_bytes(coordinator))
        coordinator.await_exit()
        first = {row["index"]: row["node"] for row in self.rows()}
        for node in NODES:  # as its pod goes
            self.assertEqual(os.listdir(self.folder / node), ["tasks"])
            shutil.rmtree(self.folder / node)
        self.output = self.folder / "again"
        coordinator, _ = self.run_once(tasks=60, pause=0.2)
        self.assertLess(self.sent_bytes(coordinator), 0.1 * COMMON)
        # By chance a third would be; the first ones start before the nodes have said what they have.
        at_home = sum(first[row["index"]] == row["node"] for row in self.rows())
        self.assertGreater(at_home, 0.8 * 60)

    def test_what_others_have_changed_in_a_volume_is_fetched_again(self):
        self.keeps_files = True
        coordinator, _ = self.run_once(nodes=NODES[:1])
        coordinator.await_exit()
        for path in (self.volume(NODES[0]) / "cache").iterdir():
            path.chmod(0o644)
            with open(path, "r+b") as file:
                file.write(b"wrong")
        self.output = self.folder / "again"
        coordinator, _ = self.run_once(nodes=NODES[:1])
        chunk = 4 << 20
        self.assertTrue(chunk <= self.sent_bytes(coordinator) < 2 * chunk, "only what is wrong")

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount a file system")
    def test_a_volume_that_is_full(self):
        self.keeps_files = True
        self.mount_volume(NODES[0], "size=8m")
        _, workers = self.run_once(nodes=NODES[:1])
        self.logged(workers[0], r"cache: cannot be written: No space left on device; "
                    rf"from now on, input files are cached in \S+/{NODES[0]}/cache\n")
        self.assertEqual(workers[0].said.count("from now on"), 1, workers[0].said)

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount a file system")
    def test_a_volume_that_is_read_only(self):
        self.keeps_files = True
        self.mount_volume(NODES[0], "ro")
        _, workers = self.run_once(nodes=NODES[:1])
        self.logged(workers[0], r"cache: cannot be written: Read-only file system; from now on")

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount a file system")
    def test_a_volume_on_another_disk_than_the_tasks(self):
        self.keeps_files = True
        self.mount_volume(NODES[0], "size=100m")
        _, workers = self.run_once(nodes=NODES[:1])
        self.assertNotIn("from now on", workers[0].said)
        self.assertEqual(os.listdir(self.folder / NODES[0]), ["tasks"])

    def test_a_missing_common_file_fails_the_job(self):
        (self.inputs / "model" / "common.bin").unlink()
        coordinator, _ = self.start(3)
        self.assertEqual(coordinator.wait(), 2)
        self.assertIn("input model/*.bin: matches no file", coordinator.said)

    def test_more_than_a_million_different_files_are_refused_before_the_first_task(self):
        self.plan(job("files", {"command": {"command": ["cat", "texts/{index}"], "tasks": 10_000_000,
                                            "inputs": ["texts/{index}"]}}), (NODES[0], 1))
        coordinator = self.coordinator("--inputs", self.inputs)
        self.assertEqual(coordinator.wait(), 2)
        self.assertIn("workload.command.inputs: the tasks have more than 1,000,000 different input files",
                      coordinator.said)

    def test_a_file_that_is_missing_or_changes_fails_its_tasks(self):
        coordinator, workers = self.start(30, pause=0.1, nodes=NODES[:1], missing=[7],
                                          backoffLimitPerTask=0, maxFailedTasks=30)
        coordinator.await_tasks(15)
        with open(self.inputs / "model" / "common.bin", "r+b") as file:
            file.write(b"changed")
        coordinator.await_state("Complete")
        self.check_all_done(workers)
        rows = self.rows()
        failed = [row["index"] for row in rows if row["status"] == "failed"]
        self.assertIn(7, failed)
        self.assertEqual(rows[7]["reason"], "input texts/7 %.txt: there is no such file")
        others = set(failed) - {7}
        self.assertTrue(others and min(others) >= 15, failed)
        for index in others:
            self.assertEqual(rows[index]["reason"], "input model/common.bin: changed while the job ran")
        self.check_files(*(row["index"] for row in rows if row["status"] == "succeeded"))

    def test_a_rerun_in_a_new_folder_has_the_files_of_all_tasks(self):
        coordinator, workers = self.start(6, nodes=NODES[:1], missing=[2], backoffLimitPerTask=0,
                                          maxFailedTasks=1)
        coordinator.await_state("Complete")
        self.check_all_done(workers)
        self.check_files(0, 1, 3, 4, 5)
        coordinator.await_exit()

        (self.inputs / "texts" / "2 %.txt").write_text(self.text(2))
        first, self.output = self.output, self.folder / "again"
        manifest = json.loads((self.folder / "job.json").read_text())
        manifest["metadata"]["name"] = "files-rerun-1"
        manifest["spec"]["rerun"] = {"job": "files", "failed": True}
        self.plan(manifest, (NODES[0], 1))
        coordinator = self.coordinator("--inputs", self.inputs, "--earlier", first)
        workers = [self.file_worker(NODES[0])]
        coordinator.await_state("Complete")
        self.check_all_done(workers)
        self.check_files(*range(6))
        self.check_clean(NODES[:1])

    def test_results_without_room_for_output_files(self):
        self.lines = 800_000  # 8 MB, more than the journal
        coordinator, workers = self.start(4, pause=0.5)
        coordinator.await_state("Running")
        resource.prlimit(coordinator.pid, resource.RLIMIT_FSIZE, (4 << 20, resource.RLIM_INFINITY))
        blocked = coordinator.await_state("Blocked")
        self.assertRegex(blocked["reason"], "^output files cannot be stored: .*; the job goes on when there is room$")
        self.assertTrue(all(each.running() for each in workers), "they keep what is not stored")
        resource.prlimit(coordinator.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        coordinator.await_state("Complete")
        self.check_all_done(workers)
        self.assertTrue(all("failed" not in row.values() for row in self.rows()))
        self.check_files(*range(4))
        self.check_clean()

    def test_files_that_do_not_fit_into_the_cache(self):
        coordinator, _ = self.start(3, nodes=NODES[:1], backoffLimitPerTask=0,
                                    options=["--file-cache-bytes", COMMON // 2])
        end = coordinator.await_state("Failed")
        self.assertRegex(end["reason"], r"inputs: the files of the task have \d+ bytes, and a worker may "
                         rf"keep {COMMON // 2}")

    def test_tasks_wait_for_room_in_the_cache(self):
        self.lines = 800_000
        # For one task at a time, and a part that is on its way.
        room = COMMON + len(self.text(0)) + (5 << 20)
        coordinator, workers = self.start(8, nodes=NODES[:1],
                                          options=["--threads", 3, "--file-cache-bytes", room])
        coordinator.await_state("Complete")
        self.check_all_done(workers)
        self.check_files(*range(8))
        self.assertEqual({(row["status"], row["attempts"]) for row in self.rows()}, {("succeeded", 1)})

    def test_a_job_that_has_files_cannot_go_into_a_snapshot(self):
        coordinator, _ = self.start(30, pause=0.2)
        coordinator.await_tasks(3)
        self.assertEqual(coordinator.ask("PUT", "/desired-state/Suspended")[0], 202)
        coordinator.await_state("Interrupted")
        status, body = coordinator.ask("GET", "/snapshot")
        self.assertEqual(status, 413)
        self.assertIn(b"spec.resultStorage", body)


if __name__ == "__main__":
    evenkeel.main()
