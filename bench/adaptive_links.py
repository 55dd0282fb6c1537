#!/usr/bin/env python3
"""Measures AdaptiveIterative over links of 100, 10 and 2 Mbit/s beside a version that looks at
calculation alone, and TailStealing: docs/benchmarks.md.

Exit code 77 if links cannot be shaped here. Needs root, iproute2 and openssl."""

import argparse
import json
import pathlib
import random
import statistics
import struct
import sys
import tempfile

import shaped_links
from evenkeel_runs import PROJECT, manifest
from figures import Figure, write_json
from shaped_links import JOB, LinkedCluster, LinkedNode

# The table of nodes of Sanchez, Macias and Suarez: megahertz, and megabits a second of the link.
PAPER = (("piii-666-master", None, 666), ("piii-1000", 100, 1000), ("piii-666", 100, 666),
         ("celeron-633", 10, 633), ("p200-mmx", 10, 200), ("pii-300", 2, 300))
ORDERS = (200, 400, 600, 800, 1000)
ROWS_AN_ORDER = 32  # rows of A: as many products with one B, one behind the other
TASKS_AN_ORDER = 100  # tasks of one such product: 2 to 10 rows
ROUNDS = 8
VARIANTS = {"aware": {"strategy": "AdaptiveIterative", "adaptiveIterative": {"rounds": ROUNDS}},
            "calculation": {"strategy": "AdaptiveIterative",
                            "adaptiveIterative": {"rounds": ROUNDS, "communication": "Disabled"}},
            "TailStealing": {"strategy": "TailStealing"}}
SECTIONS = 120  # of a filter: a product and a sum each; its combinations take much the same time
FILTER = {"clockMegahertz": 50, "method": "List", "operations": [
    operation for n in range(SECTIONS) for operation in (
        {"name": f"p{n}", "kind": "multiply"},
        {"name": f"s{n}", "kind": "add", "after": [f"p{n}", *([f"s{n - 1}"] if n else [])]})], "units": [
    {"name": "adder", "kinds": ["add"], "max": 64, "area": 256, "energyPicojoules": 20, "idleMicrowatts": 5},
    {"name": "multiplier", "kinds": ["multiply"], "max": 64, "cycles": 2, "area": 2560,
     "energyPicojoules": 300, "idleMicrowatts": 60}]}


def paper_nodes(share):
    """`share` of a core for 1000 MHz."""
    return [LinkedNode(name, megabits, round(share * megahertz / 1000, 5))
            for name, megabits, megahertz in PAPER]


def run(cluster, workload, variant):
    output = cluster.run(manifest(JOB, workload, balancing=VARIANTS[variant]))
    summary = json.loads((output / "summary.json").read_text())
    rounds = shaped_links.rounds(output) if variant != "TailStealing" else []
    return summary, rounds


def write_matrix(path, rows, columns):
    """A NumPy file of whole numbers of 32 bits, any of them."""
    shape = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    header = shape.ljust(128 - 10 - 1).encode() + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header
                     + random.Random(rows).randbytes(4 * rows * columns))


def product(cluster, order):
    write_matrix(cluster.folder / "a.npy", ROWS_AN_ORDER * order, order)
    write_matrix(cluster.folder / "b.npy", order, order)
    return {"matmul": {"a": {"file": "a.npy"}, "b": {"file": "b.npy"},
                       "aggregation": {"pattern": "ByRows", "block": order // TASKS_AN_ORDER},
                       "transfer": {"betweenWorkers": "Disabled"}}}


def measure(cluster, workload, repetitions):
    """Seconds by variant, and the spread of t_exe by round of the aware one, all in turn. All results have
    to be the same, and each product passes Freivalds' check, which is exact for whole numbers."""
    results = set()
    seconds = {variant: [] for variant in VARIANTS}
    spreads = []
    for _ in range(repetitions):
        for variant in VARIANTS:
            summary, rounds = run(cluster, workload, variant)
            results.add(json.dumps(summary["result"], sort_keys=True))
            seconds[variant].append(summary["makespanSeconds"])
            if variant == "aware":
                spreads.append([shaped_links.spread(each) for each in rounds])
    if len(results) != 1:
        raise SystemExit(f"results differ: {results}")
    by_round = [statistics.median(values) for values in zip(*spreads)]
    return {variant: statistics.median(values) for variant, values in seconds.items()}, by_round


def show(name, seconds, by_round):
    """Prints a row of the table and returns it as figures."""
    gain = 1 - seconds["aware"] / seconds["calculation"]
    rounds = " ".join(f"{value:.3f}" for value in by_round[:6])
    print(f"| {name} | {seconds['aware']:.2f} | {seconds['calculation']:.2f} | {100 * gain:.0f} % "
          f"| {seconds['TailStealing']:.2f} | {rounds} |", flush=True)
    return [Figure(f"shaped links, {name}, {variant}", "s", [value], more_is_better=False, digits=2)
            for variant, value in seconds.items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--repetitions", default=3, type=int)
    parser.add_argument("--orders", default=ORDERS, type=int, nargs="+")
    parser.add_argument("--share", default=0.1, type=float, help="of a core for 1000 MHz (default: 0.1)")
    parser.add_argument("--no-estimation", action="store_true", help="matrices only")
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    args = parser.parse_args()
    shaped_links.exit_if_unavailable()
    print("| job | AdaptiveIterative, s | calculation only, s | gain | TailStealing, s "
          "| spread of t_exe by round |")
    print("|---|---|---|---|---|---|", flush=True)
    figures = []
    with tempfile.TemporaryDirectory(prefix="evenkeel-links-") as folder, \
            LinkedCluster(args.build.resolve() / "bin", folder, paper_nodes(args.share)) as cluster:
        for order in args.orders:
            figures += show(f"matmul by rows, order {order}",
                            *measure(cluster, product(cluster, order), args.repetitions))
        if not args.no_estimation:
            figures += show("parameterEstimation",
                            *measure(cluster, {"parameterEstimation": FILTER}, args.repetitions))
    if args.json:
        write_json(args.json, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
