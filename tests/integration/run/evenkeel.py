"""Runs the real evenkeel in a separate folder and checks its output and files.

EVENKEEL names the program; evenkeel-worker stands beside it. ctest sets it.
"""

import json
import os
import pathlib
import shutil
import signal
import sqlite3
import struct
import subprocess
import tempfile
import time
import unittest

EVENKEEL = os.environ["EVENKEEL"]
WORKER_NAME = "evenkeel-worker"
PATIENCE = 60  # seconds that anything may take which should happen soon


def job(name, workload, **sections):
    """A WeightedJob; `sections` are further fields of its spec."""
    return {"apiVersion": "batch.evenkeel.dev/v1alpha1", "kind": "WeightedJob",
            "metadata": {"name": name}, "spec": {"workload": workload, **sections}}


def primes(end, method="Sieve", **more):
    return {"primes": {"end": end, "method": method, **more}}


def synthetic(tasks, cost, mode="Sleep", **more):
    return {"synthetic": {"tasks": tasks, "cost": cost, "mode": mode, **more}}


def node(name, speed=None, **labels):
    metadata = {"name": name}
    if speed is not None:
        metadata["annotations"] = {"evenkeel.dev/emulated-speed": str(speed)}
    if labels:
        metadata["labels"] = {"hardware.evenkeel.dev/" + key.replace("_", "-"): value
                              for key, value in labels.items()}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def nodes(*items):
    return {"apiVersion": "v1", "kind": "List", "items": list(items)}


def eventually(condition, what, patience=PATIENCE):
    """Waits until `condition` gives something true, and returns that."""
    end = time.monotonic() + patience
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"in {patience} s it did not come to this: {what}")
        time.sleep(0.01)


def read_npy(path):
    """(shape, numbers) of an array of 64-bit integers."""
    data = path.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    header = data[10:10 + length].decode()
    shape = tuple(int(n) for n in header.split("(")[1].split(")")[0].split(",") if n.strip())
    code = {"<i8": "q", "<u8": "Q"}[header.split("'descr': '")[1][:3]]
    numbers = struct.unpack(f"<{(len(data) - 10 - length) // 8}{code}", data[10 + length:])
    return shape, numbers


def indexes(ranges):
    """Every index of (begin, end) ranges, as often as it is there."""
    return sorted(i for begin, end in ranges for i in range(begin, end))


class Process:
    """A running `evenkeel`; its output goes to files, so that no pipe can fill."""

    def __init__(self, arguments, folder, **popen):
        self._out = tempfile.TemporaryFile("w+", dir=folder.parent)
        self._err = tempfile.TemporaryFile("w+", dir=folder.parent)
        self.started = time.monotonic()
        self._process = subprocess.Popen([EVENKEEL, *map(str, arguments)], cwd=folder,
                                         stdin=subprocess.DEVNULL, stdout=self._out,
                                         stderr=self._err, text=True, **popen)
        self.pid = self._process.pid

    @staticmethod
    def _all_of(file):
        file.seek(0)
        return file.read()

    out = property(lambda self: self._all_of(self._out))
    err = property(lambda self: self._all_of(self._err))

    def running(self):
        return self._process.poll() is None

    def wait(self, patience=PATIENCE):
        try:
            return self._process.wait(patience)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it hangs; it said: {self.out}{self.err}") from None

    def signal(self, number):
        self._process.send_signal(number)

    def workers(self):
        """Process id of each running worker, by the name of its node."""
        found = {}
        for pid, parent, command in worker_processes():
            if parent == self.pid and "--node" in command:
                found[command[command.index("--node") + 1]] = pid
        return found

    def end(self):
        if self.running():
            self._process.kill()
            self._process.wait()
        self._out.close()
        self._err.close()


def worker_processes():
    """(pid, pid of the parent, command line) of every worker on this machine that is not a zombie."""
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().decode().split("\0")
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has gone meanwhile
        if os.path.basename(command[0]) == WORKER_NAME and fields[0] != "Z":
            yield int(entry.name), int(fields[1]), command


class RunTest(unittest.TestCase):
    """A test with a separate folder, in which jobs are run."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="evenkeel-run-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.folder = self.root / "work"
        self.folder.mkdir()
        self.output = self.folder / "out"

    def write(self, name, content):
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def command(self, manifest, node_list=None, *more):
        arguments = ["run", self.write("job.yaml", manifest)]
        if node_list is not None:
            arguments += ["--nodes", self.write("nodes.yaml", node_list)]
        return arguments + ["--output", self.output, *more]

    def start(self, arguments, **popen):
        process = Process(arguments, self.folder, **popen)
        self.addCleanup(process.end)
        return process

    def run_to_end(self, arguments, code=0, patience=PATIENCE):
        process = self.start(arguments)
        self.assertEqual(process.wait(patience), code, process.out + process.err)
        return process

    # The files of a run.
    def summary(self):
        return json.loads((self.output / "summary.json").read_text())

    def timeline(self):
        return [json.loads(line) for line in (self.output / "timeline.jsonl").read_text().splitlines()]

    def timeline_ranges(self):
        return [tuple(line["range"]) for line in self.timeline() if "range" in line]

    def journal_rows(self):
        """Reads the results from a copy of the journal, because a running job locks the journal."""
        with tempfile.TemporaryDirectory(dir=self.root) as copy:
            for name in ("journal.db-wal", "journal.db"):
                if (self.output / name).exists():
                    shutil.copy(self.output / name, copy)
            database = sqlite3.connect(pathlib.Path(copy) / "journal.db")
            try:
                return database.execute("SELECT * FROM results ORDER BY begin").fetchall()
            except sqlite3.DatabaseError:
                return []  # it is being made, or was copied in the middle of a checkpoint
            finally:
                database.close()

    def durable_tasks(self):
        if not (self.output / "journal.db").exists():
            return 0
        return sum(row[1] - row[0] for row in self.journal_rows())

    def wait_for_tasks(self, process, at_least):
        def enough():
            self.assertTrue(process.running(), process.out + process.err)
            return self.durable_tasks() >= at_least
        eventually(enough, f"{at_least} tasks are durable")

    def wait_for_workers(self, process, count):
        return eventually(lambda: len(process.workers()) == count and process.workers(),
                          f"{count} workers run")

    def check_covered_once(self, tasks):
        """Journal and time line have each task exactly once."""
        everything = list(range(tasks))
        self.assertEqual(indexes(row[:2] for row in self.journal_rows()), everything)
        self.assertEqual(indexes(self.timeline_ranges()), everything)

    def check_no_worker_of(self, workers):
        """None of these processes is left."""
        eventually(lambda: not {pid for pid, _, _ in worker_processes()} & set(workers.values()),
                   "the workers have ended")


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main(verbosity=2)
