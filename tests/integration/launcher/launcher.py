"""Talks to the real evenkeel-launcher as a worker does. EVENKEEL_LAUNCHER names it; ctest sets it."""

import dataclasses
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest

LAUNCHER = os.environ["EVENKEEL_LAUNCHER"]
# Programs with sanitizers are not static, and need more memory.
SANITIZED = b"INTERP" in subprocess.run(["readelf", "-lW", LAUNCHER], capture_output=True, check=True).stdout
PATIENCE = 60  # seconds that anything may take which should happen soon
MAGIC, VERSION = 0x4C4B5645, 4
HELLO, JOB, RUN, STOP, ENDED, PROGRESS, LIMIT = 1, 2, 3, 4, 5, 6, 7
OPEN, OPENED, FIND, FOUND, REMOVE, REMOVED = 8, 9, 10, 11, 12, 13
# Results of looking up a file.
FILE, FAILED, TOO_MANY, LINK, FOLDER, DEVICE, SOCKET, FIFO = 1, 2, 3, 4, 5, 6, 7, 8
EXITED, SIGNALLED, NO_PROGRAM, NO_FOLDER, NO_PROCESS = 1, 2, 3, 4, 5


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<I", len(data)) + data


def listed(items):
    return struct.pack("<I", len(items)) + b"".join(items)


def changes(by_position):
    return listed([struct.pack("<I", position) + text(value)
                   for position, value in by_position.items()])


def frame(kind, fields):
    return struct.pack("<IB", len(fields) + 1, kind) + fields


def hello(version=VERSION):
    return frame(HELLO, struct.pack("<II", MAGIC, version))


def job(words, variables=(), folder="", limit=65536, grace_ms=1000, follows=False):
    return frame(JOB, text(folder) + listed([text(word) for word in words])
                 + listed([text(variable) for variable in variables])
                 + struct.pack("<II?", limit, grace_ms, follows))


def run(number, words=None, variables=None, folder=""):
    return frame(RUN, struct.pack("<Q", number) + text(str(folder)) + changes(words or {})
                 + changes(variables or {}))


def stop(number):
    return frame(STOP, struct.pack("<Q", number))


def limit(number, item):
    return frame(LIMIT, struct.pack("<Qq", number, item))


@dataclasses.dataclass
class Ended:
    id: int
    ending: int
    value: int
    wall_ns: int
    cpu_ns: int
    out_of_memory: bool
    output_cut: bool
    error_cut: bool
    output: bytes
    error: bytes


class Worker:
    """A worker's end of a connection."""

    def __init__(self, connected):
        self.socket = connected
        self.socket.settimeout(PATIENCE)
        self.runs = 0
        self.progress = []  # items that the running command has reported

    def send(self, data):
        self.socket.sendall(data)

    def _bytes(self, count):
        data = bytearray()
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError("the launcher has gone")
            data += more
        return bytes(data)

    def receive(self):
        size, kind = struct.unpack("<IB", self._bytes(5))
        return kind, self._bytes(size - 1)

    def prepare(self, words, **more):
        kind, fields = self.receive()
        assert (kind, fields) == (HELLO, struct.pack("<II", MAGIC, VERSION)), (kind, fields)
        self.send(hello() + job(words, **more))
        return self

    def start(self, **differences):
        self.runs += 1
        self.progress = []
        self.send(run(self.runs, **differences))
        return self.runs

    def _take_progress(self, fields):
        number, item = struct.unpack("<Qq", fields)
        assert number == self.runs, (number, self.runs)
        self.progress.append(item)

    def await_progress(self, item):
        """Receives until the command has reported this item or a higher one."""
        while not self.progress or self.progress[-1] < item:
            kind, fields = self.receive()
            assert kind == PROGRESS, kind
            self._take_progress(fields)

    def ended(self):
        kind, fields = self.receive()
        while kind == PROGRESS:
            self._take_progress(fields)
            kind, fields = self.receive()
        assert kind == ENDED, kind
        head = struct.Struct("<QBiQQ???")
        output, rest = self._text(fields[head.size:])
        error, rest = self._text(rest)
        assert not rest
        return Ended(*head.unpack(fields[:head.size]), output, error)

    @staticmethod
    def _text(data):
        (size,) = struct.unpack("<I", data[:4])
        return data[4:4 + size], data[4 + size:]

    def open(self, folder, path):
        """(status, errno, descriptor or None) of a file in the directory of a task."""
        self.send(frame(OPEN, text(str(folder)) + text(path)))
        data, descriptors, _, _ = socket.recv_fds(self.socket, 10, 4)
        data += self._bytes(10 - len(data))
        size, kind, status, error = struct.unpack("<IBBi", data)
        assert (size, kind) == (6, OPENED), data
        return status, error, *(descriptors or [None])

    def find(self, folder, glob, max_files=1000):
        """(status, errno, names) of what matches in the directory of a task."""
        self.send(frame(FIND, text(str(folder)) + text(glob) + struct.pack("<I", max_files)))
        kind, fields = self.receive()
        assert kind == FOUND, kind
        status, error, count = struct.unpack("<BiI", fields[:9])
        names, rest = [], fields[9:]
        for _ in range(count):
            name, rest = self._text(rest)
            names.append(name)
        assert not rest
        return status, error, names

    def remove(self, folder):
        """errno, 0 if the directory is removed."""
        self.send(frame(REMOVE, text(str(folder))))
        kind, fields = self.receive()
        assert kind == REMOVED, kind
        return struct.unpack("<i", fields)[0]

    def run(self, **differences):
        number = self.start(**differences)
        ended = self.ended()
        assert ended.id == number
        return ended

    def close(self):
        self.socket.close()


def eventually(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"in {PATIENCE} s it did not come to this: {what}"
        time.sleep(0.005)


def alive(pid):
    """Whether the process is there and no zombie."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children(pid):
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(entry.name))
    return found


class LauncherTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="evenkeel-launcher-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def started(self, *arguments, **popen):
        process = subprocess.Popen([*arguments], stdin=subprocess.DEVNULL, **popen)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def over_socketpair(self, words, program=LAUNCHER, popen=None, **more):
        """(launcher, worker) of a launcher of one's own."""
        ours, theirs = socket.socketpair()
        process = self.started(program, "serve", "--fd", str(theirs.fileno()),
                               pass_fds=[theirs.fileno()], **(popen or {}))
        theirs.close()
        worker = Worker(ours)
        self.addCleanup(worker.close)
        return process, worker.prepare(words, **more)

    def worker(self, words, **more):
        return self.over_socketpair(words, **more)[1]

    def shell(self, script, **more):
        return self.worker(["/bin/sh", "-c", script], **more)

    def listening(self):
        """(launcher, path) of one that listens."""
        path = self.folder / "run.sock"
        process = self.started(LAUNCHER, "serve", str(path))
        eventually(path.is_socket, "a socket")
        return process, path

    def connected(self, path, words, **more):
        connection = socket.socket(socket.AF_UNIX)
        self.addCleanup(connection.close)

        def listens():
            try:
                connection.connect(str(path))
                return True
            except (ConnectionRefusedError, FileNotFoundError):
                return False  # not yet
        eventually(listens, "the launcher listens")
        worker = Worker(connection)
        return worker.prepare(words, **more)

    def assert_exited(self, ended, code=0):
        self.assertEqual((ended.ending, ended.value), (EXITED, code), ended.error)

    def assert_killed(self, ended, number=signal.SIGKILL):
        self.assertEqual((ended.ending, ended.value), (SIGNALLED, number))

    def pid_in(self, name):
        """The number that a command writes into a file."""
        path = self.folder / name
        eventually(lambda: path.exists() and path.read_text().endswith("\n"), f"{name} is written")
        return int(path.read_text())
