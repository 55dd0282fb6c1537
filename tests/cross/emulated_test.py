"""Builds for a board's architecture and runs the result under qemu.

Usage: emulated_test.py arm64|armhf; EVENKEEL and EVENKEEL_DECISIONS name this machine's own programs.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHITECTURE = sys.argv[1]
EMULATOR = {"arm64": "qemu-aarch64", "armhf": "qemu-arm"}[ARCHITECTURE]
BUILD = ROOT / "build" / ARCHITECTURE
PROGRAMS = ("evenkeel", "evenkeel-worker")
CORE_TESTS = ("base_test", "model_test", "model_parsing_test", "scheduling_test", "engine_test")
PRIMES_TO_10000 = {"count": 1229, "largest": 9973}


def script(*arguments):
    return subprocess.run(["bash", str(ROOT / "scripts" / "cross.sh"), ARCHITECTURE, *arguments],
                          check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout


class EmulatedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        script("--tests", *PROGRAMS, *CORE_TESTS, "decisions")
        cls.emulate = [EMULATOR, "-L", script("--print-sysroot").strip()]

    def run_there(self, program, *arguments, **options):
        process = subprocess.run([*self.emulate, str(program), *map(str, arguments)],
                                 stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        return process.stdout

    def test_decisions_are_the_same(self):
        here = subprocess.run([os.environ["EVENKEEL_DECISIONS"]], check=True, capture_output=True,
                              text=True).stdout
        there = self.run_there(BUILD / "tests" / "cross" / "decisions")
        self.assertEqual(there.splitlines(), here.splitlines())

    def test_weights_are_the_same(self):
        arguments = ("weights", "--nodes", ROOT / "examples" / "nodes" / "pi-trio.yaml", "-o", "json")
        here = subprocess.run([os.environ["EVENKEEL"], *map(str, arguments)], check=True,
                              capture_output=True, text=True).stdout
        self.assertEqual(json.loads(self.run_there(BUILD / "bin" / "evenkeel", *arguments)),
                         json.loads(here))

    def test_tests_of_the_core(self):
        for program in CORE_TESTS:
            with self.subTest(program):
                self.run_there(BUILD / "tests" / "unit" / program, "--gtest_brief=1", cwd=ROOT)

    def test_primes_to_ten_thousand(self):
        """evenkeel starts its workers itself, so what stands beside it has to be emulated, too."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "evenkeel").write_bytes((BUILD / "bin" / "evenkeel").read_bytes())
            worker = " ".join([*self.emulate, str(BUILD / "bin" / "evenkeel-worker")])
            (folder / "evenkeel-worker").write_text(f'#!/bin/sh\nexec {worker} "$@"\n')
            for program in PROGRAMS:
                (folder / program).chmod(0o755)
            (folder / "job.json").write_text(json.dumps({
                "apiVersion": "batch.evenkeel.dev/v1alpha1", "kind": "WeightedJob",
                "metadata": {"name": "primes"},
                "spec": {"workload": {"primes": {"end": 10000, "method": "TrialDivision"}}}}))
            self.run_there(folder / "evenkeel", "run", folder / "job.json", "--nodes",
                           ROOT / "examples" / "nodes" / "pi-trio.yaml", "--output", folder / "out",
                           timeout=300)
            summary = json.loads((folder / "out" / "summary.json").read_text())
            self.assertEqual(summary["result"], PRIMES_TO_10000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
