"""spec.worker.taskResources on one machine: how many tasks run at a time, and with what."""

import json
import os
import pathlib
import unittest

import evenkeel
from bad_input_test import BadInputTest
from evenkeel import RunTest, job, node, nodes


def board(name, cores, memory, speed=0.4):
    described = node(name, speed)
    described["status"] = {"capacity": {"cpu": str(cores), "memory": memory}}
    return described


def shell(script, **more):
    return {"command": {"command": ["/bin/sh", "-c", script], **more}}


class TaskNeedsTest(RunTest):
    def rows(self):
        return [json.loads(line) for line in (self.output / "results.jsonl").read_text().splitlines()]

    def test_a_task_that_needs_all_cores_runs_alone_and_is_told_how_many(self):
        cores = os.cpu_count()
        running = self.folder / "running"
        running.mkdir()
        script = (f'mkdir {running}/$EVENKEEL_TASK_INDEX; ls {running} | wc -l; sleep 0.05; '
                  f'rmdir {running}/$EVENKEEL_TASK_INDEX; '
                  'echo $OMP_NUM_THREADS $GOMAXPROCS $OPENBLAS_NUM_THREADS')
        self.run_to_end(self.command(job(
            "many", shell(script, tasks=6),
            worker={"taskResources": {"cpu": cores},
                    "template": {"env": [{"name": "GOMAXPROCS", "value": "1"}]}})))
        self.assertEqual({row["stdout"] for row in self.rows()}, {f"1\n{cores} 1 {cores}\n"})

    def test_a_board_has_the_share_of_the_tasks_that_fit(self):
        """Three boards that are alike, but for one task, for two or for four of them at a time."""
        process = self.run_to_end(self.command(
            job("many", shell(":", tasks=60), weighting={"mode": "Equal"},
                worker={"taskResources": {"memory": "1Gi"}}),
            nodes(board("small", 4, "1900Mi"), board("middle", 4, "2Gi"), board("large", 4, "8Gi"),
                  board("tiny", 4, "900Mi"))))
        rows = {row["name"]: row for row in self.summary()["nodes"]}
        self.assertEqual({name: row["ratio"] for name, row in rows.items()},
                         {"small": 0.25, "middle": 0.5, "large": 1})
        self.assertIn("left out: tiny has too little for one task of spec.worker.taskResources: "
                      "4 cores and 900 MiB", process.out + process.err)


def can_limit_memory():
    """Whether this user may make control groups with the controller memory."""
    if os.geteuid() != 0:
        return False
    lines = pathlib.Path("/proc/self/cgroup").read_text().splitlines()
    own = {controllers: group for _, controllers, group in (line.split(":", 2) for line in lines)}
    if "memory" in own:
        return True
    control = pathlib.Path("/sys/fs/cgroup" + own.get("", "/none"), "cgroup.subtree_control")
    return control.exists() and "memory" in control.read_text()


@unittest.skipUnless(can_limit_memory(), "needs root and control groups of memory")
class OutOfMemoryTest(TaskNeedsTest):
    """Each task but two needs little; task 0 fits on the large board alone, task 1 nowhere."""

    SCRIPT = ('set -o pipefail; case $EVENKEEL_TASK_INDEX in 0) m=100M;; 1) m=160M;; *) m=1M; sleep 0.02;; esac; '
              'head -c $m /dev/zero | tail -c $m | wc -c')

    def test_a_task_runs_alone_then_where_there_is_most_memory_then_fails(self):
        process = self.run_to_end(self.command(
            job("many", {"command": {"command": ["/bin/bash", "-c", self.SCRIPT], "tasks": 40}},
                worker={"taskResources": {"memory": "16Mi"}},
                taskPolicy={"backoffLimitPerTask": 0, "maxFailedTasks": 1}),
            nodes(board("small", 4, "16Mi", 1), board("large", 4, "1Gi", 1))))
        rows = self.rows()
        self.assertEqual((rows[0]["status"], rows[0]["node"]), ("succeeded", "large"))
        self.assertEqual(rows[1]["status"], "failed")
        self.assertRegex(rows[1]["reason"], "^OutOfMemory: ")
        self.assertIn(rows[1]["attempts"], (2, 3))
        self.assertEqual({(row["status"], row["attempts"]) for row in rows[2:]}, {("succeeded", 1)})
        self.assertEqual(process.err.count("was killed"), 0, process.err)


class BadNeedsTest(BadInputTest):
    def test_what_fits_nowhere(self):
        manifest = job("many", shell(":", tasks=1), worker={"taskResources": {"memory": "900Ti"}})
        self.check_job(manifest, "spec.worker.taskResources", "too little for one task")
        self.check_refused(self.command(manifest, nodes(board("a", 4, "8Gi"), board("b", 4, "1Gi"))),
                           self.folder / "nodes.yaml", "no node can run a task", "1024 MiB")

    def test_what_is_wrong(self):
        for needs, *parts in (
                ({}, "spec.worker.taskResources", "at least one resource"),
                ({"cpu": 0}, "taskResources.cpu", "at least 1m"),
                ({"memory": 512}, "taskResources.memory", "at least 1Mi"),
                ({"gpu": 1}, "taskResources.gpu", "is no resource"),
                ({"ephemeral-storage": "1Gi"}, "is no resource of a task"),
                ({"nvidia.com/gpu": "500m"}, "taskResources.nvidia.com/gpu", "whole number")):
            with self.subTest(needs=needs):
                self.check_job(job("many", shell(":", tasks=1), worker={"taskResources": needs}), *parts)
        self.check_job(job("many", shell(":", tasks=1),
                           worker={"taskResources": {"cpu": 1}, "resources": {"limits": {"cpu": 2}}}),
                       "taskResources.cpu", "must not stand beside resources.limits.cpu")


if __name__ == "__main__":
    evenkeel.main()
