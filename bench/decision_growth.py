#!/usr/bin/env python3
"""CPU time of the coordinator's decisions as nodes grow from 10 to 10,000: figures and a plot.

Each point is the median of the repetitions, its line from the smallest to the largest.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess

from figures import Figure, write_json
from svg_plot import Axis, Plot, Series

PROJECT = pathlib.Path(__file__).resolve().parent.parent
WORKERS = (10, 30, 100, 300, 1000, 3000, 10000)


def measure(program, repetitions):
    """{workers: [measured]}"""
    found = {}
    for _ in range(repetitions):
        done = subprocess.run([program, *map(str, WORKERS)], capture_output=True, text=True, check=True)
        for row in json.loads(done.stdout):
            found.setdefault(row["workers"], []).append(row)
    return found


def series(name, field, found):
    points = []
    for workers, rows in found.items():
        values = [row[field] for row in rows if row["moves"] > 0 or field != "microsecondsPerMove"]
        if values:
            points.append((workers, statistics.median(values), min(values), max(values)))
    return Series(name, points)


def figures(found):
    """CPU time of a report for each number of workers."""
    return [Figure(f"CPU time of a report, {workers:,} nodes", "us", [row["microsecondsPerReport"] for row in rows],
                   more_is_better=False, digits=2) for workers, rows in found.items()]


def step_below(value):
    """The largest of ..., 0.5, 1, 2, 5, 10, ... that is not above the value."""
    power = 10.0 ** math.floor(math.log10(value))
    return max(step * power for step in (1, 2, 5) if step * power <= value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--output", default=PROJECT / "docs" / "images" / "decision-growth.svg", type=pathlib.Path)
    parser.add_argument("--repetitions", default=5, type=int)
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    args = parser.parse_args()
    found = measure(args.build / "bench" / "coordinator_bench", args.repetitions)
    lines = [series("a report, with what is granted for it", "microsecondsPerReport", found),
             series("a call that moves work, a move", "microsecondsPerMove", found)]
    print("| nodes | us a report | us a move |\n|---|---|---|")
    for workers in WORKERS:
        cells = [next((f"{p[1]:.2f} ({p[2]:.2f} to {p[3]:.2f})" for p in line.points if p[0] == workers), "")
                 for line in lines]
        print(f"| {workers:,} | {cells[0]} | {cells[1]} |")
    values = [value for line in lines for point in line.points for value in point[1:]]
    plot = Plot("CPU time of a decision as nodes grow", Axis("nodes", 10, 10000, logarithmic=True),
                Axis("microseconds", step_below(min(values)), 1 / step_below(1 / max(values)), logarithmic=True))
    args.output.write_text(plot.svg(lines))
    if args.json:
        write_json(args.json, figures(found))


if __name__ == "__main__":
    main()
