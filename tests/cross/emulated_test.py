"""Builds for a board's architecture and runs the result under qemu.

Usage: emulated_test.py arm64|armhf; EVENKEEL and EVENKEEL_DECISIONS name this machine's own programs.
"""

import json
import os
import subprocess
import sys
import unittest

import emulation

ARCHITECTURE = sys.argv[1]
BUILD = emulation.ROOT / "build" / ARCHITECTURE
PROGRAMS = ("evenkeel", "evenkeel-worker")
# Drawn costs, faults, slow links, tasks that are somewhere, a central node with a processor.
SCENARIOS = ("grid-06-deaths", "grid-07-heavy-tail", "grid-09-slow-links", "mirtaheri-e-random-arrivals",
             "melesio-row-4")
CORE_TESTS = ("base_test", "model_test", "model_parsing_test", "scheduling_test", "engine_test")


def script(*arguments):
    """Returns the output of scripts/cross.sh."""
    process = subprocess.run(["bash", str(emulation.ROOT / "scripts" / "cross.sh"), ARCHITECTURE,
                              *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if process.returncode != 0:
        raise AssertionError(f"cross.sh {' '.join(arguments)}: exit code {process.returncode}\n"
                             f"{process.stdout[-10_000:]}")
    return process.stdout


def run_here(program, *arguments):
    return subprocess.run([os.environ[program], *map(str, arguments)], check=True,
                          capture_output=True, text=True).stdout


class EmulatedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        script("--tests", *PROGRAMS, *CORE_TESTS, "decisions")
        cls.there = emulation.Emulation(ARCHITECTURE, script("--print-sysroot").strip())

    def test_decisions_are_the_same(self):
        there = self.there.run(BUILD / "tests" / "cross" / "decisions")
        self.assertEqual(there.splitlines(), run_here("EVENKEEL_DECISIONS").splitlines())

    def test_weights_are_the_same(self):
        arguments = ("weights", "--nodes", emulation.TRIO, "-o", "json")
        there = self.there.run(BUILD / "bin" / "evenkeel", *arguments)
        self.assertEqual(json.loads(there), json.loads(run_here("EVENKEEL", *arguments)))

    def test_simulations_are_the_same(self):
        """Times are whole nanoseconds, and what is drawn comes from functions of our own."""
        for name in SCENARIOS:
            with self.subTest(name):
                scenario = emulation.ROOT / "simulator" / "scenarios" / f"{name}.yaml"
                arguments = ("simulate", scenario, "--strategy", "all", "--seeds", "1..2", "-o", "json")
                there = self.there.run(BUILD / "bin" / "evenkeel", *arguments)
                self.assertEqual(there, run_here("EVENKEEL", *arguments))

    def test_programs_are_hardened(self):
        programs = [str(BUILD / "bin" / program) for program in PROGRAMS]
        emulation.check_hardening("Flags", programs, EVENKEEL_BUILD=str(BUILD))
        emulation.check_hardening("Programs", programs)

    def test_tests_of_the_core(self):
        for program in CORE_TESTS:
            with self.subTest(program):
                self.there.run(BUILD / "tests" / "unit" / program, "--gtest_brief=1",
                               cwd=emulation.ROOT)

    def test_primes_to_ten_thousand(self):
        self.assertEqual(self.there.result_of_primes(BUILD / "bin", 10_000),
                         emulation.PRIMES_TO_10000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
