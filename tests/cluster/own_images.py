"""The image of examples/own-workload: the project is built with what Evenkeel's build installs, and its
image on top of Evenkeel's, as docs/own-workloads.md says.

There is no registry; it is handed to the nodes as a file."""

import fcntl
import subprocess
import sys

import kube
import machine

sys.path.insert(0, str(machine.ROOT / "tests" / "integration" / "package"))
import package_build  # noqa: E402  beside the tests that need no cluster

IMAGE = "localhost/evenkeel/own-workload:1"
FILE = machine.IMAGES / "own-own-workload-1.tar"
FOLDER = machine.ROOT / "build" / "cluster-files" / "own-workload"
PROJECT = FOLDER / "own-workload"
PROGRAM = PROJECT / "build" / "bin" / "evenkeel"


def provide():
    """The image, in all nodes. Tests may ask at the same time."""
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    with open(FOLDER.parent / "own-workload.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = kube.place("STATE") / "images"
        loaded = known.read_text().splitlines() if known.exists() else []
        if str(FILE) not in loaded:
            build()
            machine.cluster("load", FILE, seconds=300)
    return IMAGE


def build():
    package_build.install(machine.ROOT / "build" / "release", FOLDER)
    package_build.build_project("own-workload", FOLDER)
    files = PROJECT / "build" / "image"
    package_build.run("cmake", "--install", PROJECT / "build", "--strip", "--prefix", files / "usr")
    subprocess.run(["bash", str(machine.ROOT / "scripts" / "images.sh"), "--own",
                    str(PROJECT / "Dockerfile"), str(files), IMAGE],
                   check=True, stdin=subprocess.DEVNULL, timeout=600)
