#!/usr/bin/env python3
"""Measures the cases of docs/benchmarks.md and compares them with their budgets.

Exit code 1 if a budget is missed, 2 if a case failed. Python standard library and openssl only.
"""

import argparse
import os
import pathlib
import platform
import sys
import time

import command_case
import matmul_cases
import process_cases
import simulated_scale
import sixteen_workers
import thesis_cases
from evenkeel_runs import PROJECT, Bench, RunFailed
from figures import table, write_json

CASES = (
    "sixteen", "small-tasks", "commands", "worker-cpu", "tls-memory", "state", "simulated", "matmul",
    "thesis",
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path,
                        help="build folder of the release preset")
    parser.add_argument("--repetitions", default=3, type=int, help="of each case (default: 3)")
    parser.add_argument("--quick", action="store_true", help="one repetition, smaller cases")
    parser.add_argument("--only", choices=CASES, action="append", help="these cases only")
    parser.add_argument("--json", default="bench-results.json", type=pathlib.Path,
                        help="file for the figures (default: bench-results.json)")
    return parser.parse_args()


def say(line):
    print(line, file=sys.stderr, flush=True)


def measure(bench, args):
    repetitions = 1 if args.quick else args.repetitions
    cases = {
        "sixteen": lambda: sixteen_workers.measure(bench, repetitions, say),
        "small-tasks": lambda: process_cases.small_tasks(
            bench, repetitions, 1_000_000 if args.quick else 3_000_000, say),
        "commands": lambda: command_case.measure(
            bench, repetitions, 5_000 if args.quick else 20_000, say),
        "worker-cpu": lambda: process_cases.worker_cpu(bench, repetitions, 6 if args.quick else 12, say),
        "tls-memory": lambda: process_cases.memory_over_tls(
            bench, 1000, 3 if args.quick else 10, say),
        "state": lambda: process_cases.coordinator_state(bench, repetitions, say),
        "simulated": lambda: simulated_scale.measure(bench, repetitions, args.quick, say),
        "matmul": lambda: matmul_cases.measure(bench, repetitions, args.quick, say),
        "thesis": lambda: thesis_cases.measure(bench, repetitions, args.quick, say),
    }
    figures = []
    for name in args.only or CASES:
        say(f"{name}:")
        figures += cases[name]()
    return figures


def machine():
    model = next((line.partition(":")[2].strip()
                  for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith(("model name", "Model"))), platform.machine())
    return {"processor": model, "cores": os.cpu_count(), "loadBefore": os.getloadavg()[0],
            "system": platform.platform()}


def main():
    args = arguments()
    where = machine()
    if where["loadBefore"] > 0.5 * where["cores"]:
        say(f"note: the machine is busy (load {where['loadBefore']:.1f}): figures will be too low")
    begin = time.monotonic()
    try:
        with Bench(args.build) as bench:
            figures = measure(bench, args)
    except RunFailed as failure:
        say(f"run_cases.py: {failure}")
        return 2
    print(table(figures))
    write_json(args.json, figures, machine=where, seconds=round(time.monotonic() - begin, 1))
    say(f"figures: {args.json}")
    missed = [figure.name for figure in figures if figure.verdict == "MISSED"]
    for name in missed:
        say(f"budget missed: {name}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
