"""Brings up the cluster that all tests of it share, and notes what the machine was like before.

Usage: cluster_up.py NOTES            the cluster, after one whose start was killed, and the images
       cluster_up.py NOTES --chart    the chart, on the cluster that is up
"""

import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys

import chart
import cluster_case
import machine

BUILD_SECONDS = 5400  # from an empty cache, on a slow machine


def bring_up(notes):
    # ctest, which outlives this program, owns the cluster.
    owner = os.getppid()
    # The snapshot must not include what a killed run left.
    down = machine.cluster("down", "--owner", owner, seconds=300, check=False)
    if down.returncode:  # skipped, or in use by another run
        sys.exit(down.returncode)
    before = {kind: sorted(found) for kind, found in machine.snapshot().items()}
    # Building images mostly waits for the disk and the mirror of packages.
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        built = pool.submit(build_images)
        kill_half_way(owner)
        process = machine.cluster("up", "--owner", owner, seconds=BUILD_SECONDS, check=False)
        if process.returncode:
            sys.exit(process.returncode)
        notes.write_text(json.dumps(before))
        built.result()
    machine.cluster("load", *machine.IMAGES.glob("base-*.tar"), seconds=300)


def build_images():
    images("--base")
    images("--prebuilt")


def kill_half_way(owner):
    """Kills an `up` while it starts the nodes; the next `up` has to remove what it left."""
    process = subprocess.Popen([*machine.SCRIPT, "up", "--owner", str(owner)],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                               start_new_session=True)
    for line in process.stdout:
        print(line, end="", flush=True)
        if "starting the nodes" in line:
            break
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


def install_chart():
    cluster_case.require_cluster()
    machine.cluster("load", *machine.IMAGES.glob("evenkeel-*-amd64.tar"), seconds=300)
    chart.install_with_defaults()
    chart.install()


def images(*arguments):
    subprocess.run(["bash", str(machine.ROOT / "scripts" / "images.sh"), *arguments], check=True,
                   stdin=subprocess.DEVNULL, timeout=BUILD_SECONDS)


if __name__ == "__main__":
    if sys.argv[2:] == ["--chart"]:
        install_chart()
    else:
        bring_up(pathlib.Path(sys.argv[1]))
