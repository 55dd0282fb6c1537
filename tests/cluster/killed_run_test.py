"""A run that is killed leaves a cluster behind; the next `up` clears it, and `down` all of it."""

import os
import signal
import subprocess
import sys
import unittest

import cluster_case
import kube
import machine


class KilledRunTest(unittest.TestCase):
    def test_up_after_a_killed_up(self):
        """Killed with nodes half-way; what it began is no hindrance, and not in the way of the end."""
        script = ["bash", str(machine.ROOT / "scripts" / "cluster.sh")]
        # The owner of the shared cluster is alive: another one's is refused before it does anything.
        stranger = subprocess.run([*script, "up"], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=120)
        self.assertEqual(stranger.returncode, 1)
        self.assertIn("in use by process", stranger.stderr)
        owner = (kube.place("STATE") / "owner").read_text().split()[0]
        process = subprocess.Popen([*script, "up", "--owner", owner], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   start_new_session=True)
        for line in process.stdout:
            if "starting the nodes" in line:
                break
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        machine.cluster("up", "--owner", owner, seconds=300)
        machine.cluster("load", *machine.IMAGES.glob("base-*.tar"), seconds=300)
        self.assertEqual(len(kube.get("nodes")), 3)
        left = [pid for pid in machine.remains()["processes"] if "kube-apiserver" in pid]
        self.assertEqual(len(left), 1, left)


if __name__ == "__main__":
    cluster_case.require_cluster()
    sys.exit(unittest.main(verbosity=2))
