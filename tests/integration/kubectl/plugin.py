"""Runs the real kubectl-evenkeel with a kubectl that only pretends; see fake_kubectl.py.

KUBECTL_EVENKEEL names the program. ctest sets it.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PLUGIN = os.environ["KUBECTL_EVENKEEL"]
FAKE = pathlib.Path(__file__).with_name("fake_kubectl.py")
JOBS = "weightedjobs.batch.evenkeel.dev"
PATIENCE = 60  # seconds that anything may take which should happen soon
SUMMARY = {"job": "primes", "workload": "primes", "state": "Complete", "strategy": "TailStealing",
           "tasks": {"total": 4, "completed": 4, "failed": 0}, "makespanSeconds": 2.0,
           "startupSeconds": 0.1, "lowerBoundSeconds": 1.9, "rateSource": "measured",
           "efficiency": 0.95, "loadImbalancePercent": 1.0, "wastedSeconds": 0, "messages": 9,
           "moves": {"reserved": 0, "leased": 0, "copies": 0}, "bytesSent": 1, "bytesReceived": 1,
           "nodes": [], "result": {"count": 4}}


def job(name="primes", namespace="lab", complete=True, **status):
    conditions = [{"type": "Complete", "status": "True"}] if complete else [
        {"type": "Progressing", "status": "True", "reason": "Running", "message": "all run"}]
    return {"metadata": {"name": name, "namespace": namespace}, "spec": {},
            "status": {"tasks": {"total": 4, "completed": 4 if complete else 1},
                       "progress": "100%" if complete else "25%",
                       "startTime": "2026-03-01T09:30:00Z", "conditions": conditions, **status}}


def pod(name="primes-coordinator-1", namespace="lab", phase="Running", attempt="1"):
    return {"metadata": {"name": name, "namespace": namespace,
                         "annotations": {"evenkeel.dev/attempt": attempt}},
            "status": {"phase": phase}}


class PluginTest(unittest.TestCase):
    """A test with a separate folder and a cluster with one complete job."""

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="evenkeel-plugin-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.cluster, self.folder, programs = (self.root / name for name in ("cluster", "work", "bin"))
        for path in (self.cluster / "pages" / "results", self.folder, programs):
            path.mkdir(parents=True)
        kubectl = programs / "kubectl"
        kubectl.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n')
        kubectl.chmod(0o755)
        self.environment = {**os.environ, "FAKE_CLUSTER": str(self.cluster), "TERM": "xterm",
                            "PATH": f"{programs}:{os.environ['PATH']}",
                            "http_proxy": "http://127.0.0.1:1"}  # must not be used
        self.objects = {f"{JOBS} primes": job(), "pods": {"items": [pod()]}}
        self.pages = {"index.json": json.dumps(["primes.npy"]), "results/primes.npy": "numbers",
                      "summary.json": json.dumps(SUMMARY), "timeline.jsonl": "{}\n",
                      "report.html": "<html>", "metrics.prom": "up 1\n"}
        self.forwards = ["serve"]

    def write_cluster(self):
        (self.cluster / "objects.json").write_text(json.dumps(self.objects))
        (self.cluster / "forwards.json").write_text(json.dumps(self.forwards))
        for name, content in self.pages.items():
            data = content if isinstance(content, bytes) else content.encode()
            path = self.cluster / "pages" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def start(self, *arguments, **popen):
        self.write_cluster()
        outputs = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen}
        process = subprocess.Popen([PLUGIN, *arguments], cwd=self.folder, text=True,
                                   env=self.environment, stdin=subprocess.DEVNULL, **outputs)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def run_plugin(self, *arguments, code=0):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def check_refused(self, *arguments, code, says=()):
        """Expects one line with the error and no other effect."""
        out, err = self.run_plugin(*arguments, code=code)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertTrue(err.startswith("kubectl-evenkeel: "), err)
        self.assertLess(len(err), 700)
        for part in says:
            self.assertIn(part, err)
        return out

    def calls(self):
        path = self.cluster / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def files(self, folder="evenkeel-primes"):
        path = self.folder / folder
        return {file.name: file.read_bytes() for file in path.iterdir()} if path.exists() else None


def children_of(process):
    """Process ids of the kubectls that it runs."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has gone meanwhile
        if int(fields[1]) == process.pid and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def eventually(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"in {PATIENCE} s it did not come to this: {what}")
        time.sleep(0.02)


def main():
    unittest.main(verbosity=2)
