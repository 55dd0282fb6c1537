"""Commands as pods run them: launchers as process 1 of containers whose image has nothing in it but one
program, under a user of their own; workers beside them; a coordinator. As processes of this machine."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

from cluster import COORDINATOR, WORKER, ClusterTest, Program
from evenkeel import job

LAUNCHER = pathlib.Path(COORDINATOR).parent / "evenkeel-launcher"
SOURCE = pathlib.Path(__file__).resolve().parents[2] / "cluster" / "commands.c"
OUR_USER, THEIR_USER = 65532, 4711
NODES = ("pi4a", "pi4b", "pi3")
SKIPPED = 77
TEMPORARY = "/tmp"  # in the container


def of_group(folder):
    """An empty folder as the kubelet makes it for the containers of a pod."""
    folder.mkdir(parents=True)
    os.chown(folder, 0, OUR_USER)
    folder.chmod(0o2777)


class Pod:
    """The containers of one worker pod; `image` has what the user's one has."""

    def __init__(self, test, node, image):
        self.test, self.node = test, node
        self.root = test.folder / f"container-{node}"
        if self.root.exists():
            shutil.rmtree(self.root)
        shutil.copytree(image, self.root)
        self.shared = self.root / "evenkeel"
        for folder in (self.shared / "bin", self.shared / "run", self.root / "tmp"):
            of_group(folder)
        self.root.chmod(0o755)
        self.shared.chmod(0o755)
        subprocess.run([LAUNCHER, "install", self.shared / "bin"], check=True, user=OUR_USER,
                       group=OUR_USER)
        self.launcher = self.worker = None

    def start(self):
        self.start_launcher()
        self.start_worker()
        return self

    def start_launcher(self):
        self.launcher = self.run(
            "unshare", "--pid", "--fork", "--kill-child", "chroot",
            f"--userspec={THEIR_USER}:{THEIR_USER}", f"--groups={OUR_USER}", self.root,
            "/evenkeel/bin/evenkeel-launcher", "serve", "/evenkeel/run/launcher.sock")
        # With its user the child has lost the signal that --kill-child would send it.
        self.test.addCleanup(self.kill_launcher)

    def start_worker(self):
        identity = self.test.client(self.node)
        for path in (identity.ca, identity.cert, identity.key):
            path.chmod(0o644)  # the worker runs as another user
        self.worker = self.run(
            WORKER, "--coordinator", f"localhost:{self.test.ports[0]}", "--node", self.node,
            "--workload", "command", "--threads", "2", *identity.options(),
            "--launcher-socket", self.shared / "run" / "launcher.sock", user=OUR_USER,
            group=OUR_USER)

    def run(self, *command, **popen):
        started = Program(command, self.test.folder, **popen)
        self.test.addCleanup(started.end)
        return started

    def delete(self):
        """Signals both containers at once, as the kubelet does."""
        self.worker.process.send_signal(signal.SIGTERM)
        for child in self.launcher_itself():
            os.kill(child, signal.SIGTERM)
        self.test.assertEqual(self.worker.wait(), 0, self.worker.said)
        self.test.assertEqual(self.launcher.wait(), 0, self.launcher.said)

    def launcher_itself(self):
        """Process 1 of the container."""
        children = pathlib.Path(f"/proc/{self.launcher.pid}/task/{self.launcher.pid}/children")
        try:
            return [int(pid) for pid in children.read_text().split()]
        except OSError:
            return []  # it has ended

    def kill_launcher(self):
        for child in self.launcher_itself():
            os.kill(child, signal.SIGKILL)
        self.launcher.wait()


class CommandPodsTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.image = self.root / "image"
        self.image.mkdir()
        subprocess.run(["gcc", "-Os", "-static", "-o", self.image / "commands", SOURCE], check=True)
        for folder in (self.root, self.folder):
            folder.chmod(0o755)

    def begin(self, words, **more):
        command = {"image": "example.com/commands:1", "command": ["/commands", *words], **more}
        self.plan(job("commands", {"command": command}), *((node, 1) for node in NODES))
        (self.root / "authority").chmod(0o755)
        return self.coordinator()

    def rows(self, coordinator):
        """The results, once the job is complete."""
        done = coordinator.await_state("Complete")
        self.assertEqual(done["resultFiles"], ["results.jsonl"])
        status, body = coordinator.get("/results/results.jsonl")
        self.assertEqual(status, 200)
        rows = [json.loads(line) for line in body.splitlines()]
        self.assertEqual([row["index"] for row in rows], list(range(len(rows))))
        return rows

    def check_squares(self, rows, tasks):
        self.assertEqual([row["stdout"] for row in rows], [f"{n * n}\n" for n in range(tasks)])
        self.assertEqual({row["status"] for row in rows}, {"succeeded"})

    def test_a_thousand_commands_with_a_pod_deleted(self):
        coordinator = self.begin(["square", "10"], tasks=1000)
        pods = {node: Pod(self, node, self.image).start() for node in NODES}
        coordinator.await_tasks(200)
        pods["pi4b"].delete()
        Pod(self, "pi4b", self.image).start()
        rows = self.rows(coordinator)
        self.check_squares(rows, 1000)
        # Tasks that ran in the deleted pod do not count a failed attempt.
        self.assertEqual({row["attempts"] for row in rows}, {1})
        self.assertEqual({row["node"] for row in rows}, set(NODES))

    def test_a_launcher_that_is_killed_is_found_again(self):
        coordinator = self.begin(["square", "50"], tasks=200)
        pods = {node: Pod(self, node, self.image).start() for node in NODES}
        coordinator.await_tasks(40)
        pods["pi4a"].kill_launcher()
        coordinator.await_tasks(60)
        pods["pi4a"].start_launcher()
        self.check_squares(self.rows(coordinator), 200)
        self.assertTrue(pods["pi4a"].worker.running() or pods["pi4a"].worker.wait() == 0)

    def test_a_worker_waits_for_its_launcher(self):
        """An image may take its time to come."""
        coordinator = self.begin(["square", "1"], tasks=20)
        pod = Pod(self, "pi4a", self.image)
        pod.start_worker()
        coordinator.await_progress(lambda now: now["state"] == "Running", "it runs")
        pod.start_launcher()
        self.check_squares(self.rows(coordinator), 20)

    def test_commands_run_in_the_container(self):
        coordinator = self.begin(
            ["write", f"{TEMPORARY}/file", "/evenkeel/bin/evenkeel-launcher"], tasks=3)
        Pod(self, "pi4a", self.image).start()
        self.assertEqual([row["stdout"] for row in self.rows(coordinator)],
                         [f"{THEIR_USER} yes no\n"] * 3)


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("unshare"):
        print("skipped: another user in another root folder takes root", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
