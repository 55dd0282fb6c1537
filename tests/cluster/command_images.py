"""Images for container commands: FROM scratch, with tests/cluster/commands.c in them and nothing else.

There is no registry; they are handed to the nodes as files."""

import fcntl
import hashlib
import subprocess

import kube
import machine

REPOSITORY = "localhost/evenkeel/commands"
FOLDER = machine.ROOT / "build" / "cluster-files" / "commands"
SOURCE = machine.ROOT / "tests" / "cluster" / "commands.c"
USERS = {"numbered": "65532:65532", "root": "", "named": "somebody"}


def names():
    """From a word for the image's user to the image; other programs have other tags."""
    version = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:8]
    return {user: f"{REPOSITORY}:{user}-{version}" for user in USERS}


def provide():
    """All images in all nodes, by the word for their user. Tests may ask at the same time."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(FOLDER / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = kube.place("STATE") / "images"
        loaded = known.read_text().splitlines() if known.exists() else []
        missing = [user for user, name in names().items() if str(file_of(name)) not in loaded]
        if missing:
            program = FOLDER / "commands"
            subprocess.run(["gcc", "-Os", "-s", "-static", "-o", program, SOURCE], check=True)
            machine.cluster("load", *[build(program, user) for user in missing], seconds=300)
    return names()


def file_of(name):
    return FOLDER / (name.rsplit(":", 1)[1] + ".tar")


def build(program, user):
    name = names()[user]
    image = subprocess.run(
        ["python3", machine.ROOT / "scripts" / "lib" / "cluster" / "tiny_image.py", name, program,
         USERS[user]], check=True, capture_output=True).stdout
    file_of(name).write_bytes(image)
    return file_of(name)
