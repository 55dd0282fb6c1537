#!/usr/bin/env python3
"""A program that takes 0.5 s to start and 5 ms per item, 20,000 items, on three nodes of 0.40, 0.40 and 0.09 of a core:
docs/benchmarks.md.

Ours in ranges, with and without progress, and item by item (few items, extrapolated), as ratios to the bound that counts one
start per node. Exit code 1 if a budget is missed. About 5 minutes per repetition."""

import argparse
import pathlib
import sys

from evenkeel_runs import PROJECT, Bench, manifest
from figures import Figure, table, write_json

SPEEDS = (0.40, 0.40, 0.09)
ITEMS, START_SECONDS, ITEM_SECONDS = 20_000, 0.5, 0.005
ITEMS_ONE_BY_ONE = 60

# The time is CPU time, so that it takes as long as the share of a core that the node has.
PROGRAM = """
import os, select, sys, time
first, last, start, item = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
end = start
while time.process_time() < end: pass
follows = sys.argv[5] == "True" and "EVENKEEL_PROGRESS" in os.environ
if follows: progress, control = int(os.environ["EVENKEEL_PROGRESS"]), int(os.environ["EVENKEEL_CONTROL"])
while first <= last:
    end += item
    while time.process_time() < end: pass
    if follows:
        os.write(progress, b"done %d\\n" % first)
        if select.select([control], [], [], 0)[0]:
            for line in os.read(control, 4096).splitlines(): last = int(line.split()[1])
    first += 1
"""


def nodes():
    items = [{"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": f"pi-{number}", "annotations": {"evenkeel.dev/emulated-speed": str(speed)}}}
        for number, speed in enumerate(SPEEDS, 1)]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def bound(items, starts):
    return (items * ITEM_SECONDS + starts * START_SECONDS) / sum(SPEEDS)


def command(program, follows, **tasks):
    first, last = ("{first}", "{last}") if "range" in tasks else ("{}", "{}")
    return {"command": {"command": ["/usr/bin/python3", "-S", "-E", str(program), first, last, str(START_SECONDS),
                                    str(ITEM_SECONDS), str(follows)], **tasks}}


def measure(bench, repetitions, say):
    program = bench.folder / "program.py"
    program.write_text(PROGRAM)
    with_progress, without, one_by_one = [], [], []
    weights = {"mode": "Equal"}
    for repetition in range(repetitions):
        for follows, ratios in ((True, with_progress), (False, without)):
            job = manifest("ranges", command(program, follows, range={"tasks": ITEMS}), weighting=weights)
            seconds = bench.run(job, nodes())["makespanSeconds"]
            ratios.append(seconds / bound(ITEMS, len(SPEEDS)))
            say(f"  {repetition + 1} of {repetitions}: {seconds:.1f} s, {ratios[-1]:.3f} x bound"
                f"{', with progress' if follows else ''}")
        arguments = [str(number) for number in range(ITEMS_ONE_BY_ONE)]
        job = manifest("ranges", command(program, False, arguments=arguments), weighting=weights)
        seconds = bench.run(job, nodes())["makespanSeconds"] * ITEMS / ITEMS_ONE_BY_ONE
        one_by_one.append(seconds / bound(ITEMS, len(SPEEDS)))
        say(f"  item by item, extrapolated: {seconds:,.0f} s")
    return [Figure("20,000 items in ranges that can be cut, x bound", "", with_progress, 1.06, 1.03, False),
            Figure("the same without progress, x bound", "", without, 1.06, 1.03, False),
            Figure("item by item, extrapolated, x bound", "", one_by_one, digits=0)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--repetitions", default=3, type=int)
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    args = parser.parse_args()
    with Bench(args.build) as bench:
        figures = measure(bench, args.repetitions, lambda line: print(line, file=sys.stderr, flush=True))
    print(table(figures))
    if args.json:
        write_json(args.json, figures)
    return 1 if any(figure.verdict == "MISSED" for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
