"""Brings up the cluster that all tests of it share, and notes what the machine was like before.

Usage: cluster_up.py NOTES            the cluster, with the base image in it
       cluster_up.py NOTES --chart    the images and the chart, on the cluster that is up
"""

import json
import os
import pathlib
import subprocess
import sys

import chart
import cluster_case
import machine

BUILD_SECONDS = 5400  # from an empty cache, on a slow machine


def bring_up(notes):
    # Whatever a killed run left is not how the machine was before.
    if machine.cluster("down", seconds=300, check=False).returncode == machine.SKIPPED:
        sys.exit(machine.SKIPPED)
    before = {kind: sorted(found) for kind, found in machine.remains().items()}
    # ctest outlives this program: the cluster is its, for as long as it runs.
    process = machine.cluster("up", "--owner", os.getppid(), seconds=BUILD_SECONDS, check=False)
    if process.returncode:
        sys.exit(process.returncode)
    notes.write_text(json.dumps(before))
    images("--base")
    machine.cluster("load", *machine.IMAGES.glob("base-*.tar"), seconds=300)


def install_chart():
    cluster_case.require_cluster()
    images("--prebuilt")
    machine.cluster("load", *machine.IMAGES.glob("evenkeel-*-amd64.tar"), seconds=300)
    chart.install()


def images(*arguments):
    subprocess.run(["bash", str(machine.ROOT / "scripts" / "images.sh"), *arguments], check=True,
                   stdin=subprocess.DEVNULL, timeout=BUILD_SECONDS)


if __name__ == "__main__":
    if sys.argv[2:] == ["--chart"]:
        install_chart()
    else:
        bring_up(pathlib.Path(sys.argv[1]))
