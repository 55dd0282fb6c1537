"""Programs of another architecture, run under qemu."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRIO = ROOT / "examples" / "nodes" / "pi-trio.yaml"
EMULATORS = {"arm64": "qemu-aarch64", "armhf": "qemu-arm"}
PRIMES_TO_10000 = {"count": 1229, "largest": 9973}


def check_hardening(tests, programs, **environment):
    """Runs those tests of tests/architecture/hardening_test.py. Raises AssertionError if one fails."""
    process = subprocess.run(
        [sys.executable, "-B", str(ROOT / "tests" / "architecture" / "hardening_test.py"), tests],
        env={**os.environ, "EVENKEEL_PROGRAMS": ":".join(programs), **environment},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise AssertionError(process.stderr)


class Emulation:
    """Emulates an architecture (Debian's name) with its libraries below a folder."""

    def __init__(self, architecture, libraries):
        self.command = [EMULATORS[architecture], "-L", str(libraries)]

    def run(self, program, *arguments, **options):
        """Returns the output of the program. Raises AssertionError if it fails."""
        process = subprocess.run([*self.command, str(program), *map(str, arguments)],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
        if process.returncode != 0:
            raise AssertionError(f"{program}: exit code {process.returncode}\n"
                                 f"{process.stdout}{process.stderr}")
        return process.stdout

    def result_of_primes(self, programs, end):
        """The result that `evenkeel run` and three workers, all from that folder, come to."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            # evenkeel starts the workers from its own folder, so these have to be emulated, too.
            (folder / "evenkeel").write_bytes((programs / "evenkeel").read_bytes())
            worker = " ".join([*self.command, str(programs / "evenkeel-worker")])
            (folder / "evenkeel-worker").write_text(f'#!/bin/sh\nexec {worker} "$@"\n')
            for program in ("evenkeel", "evenkeel-worker"):
                (folder / program).chmod(0o755)
            (folder / "job.json").write_text(json.dumps({
                "apiVersion": "batch.evenkeel.dev/v1alpha1", "kind": "WeightedJob",
                "metadata": {"name": "primes"},
                "spec": {"workload": {"primes": {"end": end, "method": "TrialDivision"}}}}))
            self.run(folder / "evenkeel", "run", folder / "job.json", "--nodes", TRIO, "--output",
                     folder / "out", timeout=300)
            return json.loads((folder / "out" / "summary.json").read_text())["result"]
