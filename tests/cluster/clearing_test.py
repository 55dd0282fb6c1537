"""`scripts/cluster.sh down` removes what a killed cluster left, and `machine.leftovers` sees all of it.

Needs no cluster: the test creates leftovers of its own, and fails while another run uses the cluster.
"""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import machine

PATIENCE = 20  # seconds for the kernel to release what killed processes held
POD = "evenkeel/left/pods/kubepods/besteffort/pod01234567-89ab-cdef-0123-456789abcdef"
NETWORK = "evenkeel-left"


def take_down():
    return machine.cluster("down", "--owner", os.getppid(), check=False)


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def remove_group(folder):
    """The control group and its parents, up to the mount point of the hierarchy."""
    while not os.path.ismount(folder):
        with contextlib.suppress(OSError):
            folder.rmdir()
        folder = folder.parent


class ClearingTest(unittest.TestCase):
    def setUp(self):
        self.assertEqual(machine.leftovers(), [])

    def check_found_and_removed(self, *expected):
        found = machine.leftovers()
        for line in expected:
            self.assertIn(f"{line[0]}: left behind: {line[1]}", found)
        self.assertEqual(take_down().returncode, 0)
        end = time.monotonic() + PATIENCE
        while machine.leftovers() and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(machine.leftovers(), [])

    def provide_version_2(self):
        """A machine may have no mount of the hierarchy of version 2, or have it anywhere."""
        folder = tempfile.mkdtemp(prefix="control groups ")
        self.addCleanup(os.rmdir, folder)
        run("mount", "-t", "cgroup2", "none", folder)
        self.addCleanup(run, "umount", folder)
        return folder

    def make_group(self, root):
        folder = pathlib.Path(root, POD)
        self.addCleanup(remove_group, folder)
        folder.mkdir(parents=True, exist_ok=True)  # two mounts show the same hierarchy of version 2
        return folder

    def sleeper_in(self, group):
        process = subprocess.Popen(["sleep", "600"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        (group / "cgroup.procs").write_text(str(process.pid))
        return process

    def test_control_groups_of_every_hierarchy(self):
        self.provide_version_2()
        roots = machine.cgroup_mounts()
        groups = {root: self.make_group(root) for root in roots}
        self.check_found_and_removed(*(("control groups", str(group)) for group in groups.values()))
        for group in groups.values():
            self.assertFalse(group.exists())

    def test_processes_in_control_groups_of_version_2(self):
        process = self.sleeper_in(self.make_group(self.provide_version_2()))
        self.check_found_and_removed(("processes", f"{process.pid} sleep 600 "))
        self.assertEqual(process.wait(PATIENCE), -9)

    def test_networks_and_mounts(self):
        run("ip", "netns", "add", NETWORK)
        self.addCleanup(subprocess.run, ["ip", "netns", "del", NETWORK], stderr=subprocess.DEVNULL)
        run("ip", "link", "add", "evenkeel0", "type", "veth", "peer", "name", "machine", "netns", NETWORK)
        run("ip", "addr", "add", "10.77.1.2/30", "dev", "evenkeel0")
        run("ip", "link", "set", "evenkeel0", "up")
        folder = machine.where()["STATE"] / "volumes" / "left"
        folder.mkdir(parents=True)
        run("mount", "-t", "tmpfs", "evenkeel-volume", folder)
        self.addCleanup(subprocess.run, ["umount", folder], stderr=subprocess.DEVNULL)
        route = next(line for line in machine.snapshot()["routes"] if "evenkeel0" in line)
        self.check_found_and_removed(("network namespaces", NETWORK), ("routes", route),
                                     ("mounts", str(folder)), ("mounts", f"/run/netns/{NETWORK}"))

    def test_a_cluster_of_which_the_state_folder_was_deleted(self):
        """The machine still has the settings of a kubelet; the record in /run has those from before."""
        before = {line for line in machine.snapshot()["settings"] if "panic" in line or "overcommit" in line}
        record = pathlib.Path("/run/evenkeel-settings")
        record.write_text("".join(f"{line}\n" for line in sorted(before)))
        self.addCleanup(record.unlink, missing_ok=True)
        for line in before:
            self.addCleanup(run, "sysctl", "-qw", line.replace(" ", ""))
        run("sysctl", "-qw", *(f"{name}={value}" for name, value in machine.KUBELET_SETTINGS.items()))
        self.check_found_and_removed(("files", str(record)), ("settings", "vm.overcommit_memory = 1"),
                                     ("settings", "kernel.panic = 10"))
        self.assertLessEqual(before, machine.snapshot()["settings"])


def main():
    status = take_down().returncode  # prints the reason if it fails or is skipped
    if status:
        sys.exit(status)
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
