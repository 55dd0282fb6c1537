#!/usr/bin/env python3
"""Measures every figure of docs/benchmarks.md and prints it beside the figure of the version before.

The figures of the version before are in bench/baseline.json; --update replaces them. Exit code 1 if a figure misses
its budget or is worse than every sample of the version before, 2 if a step failed. Needs a quiet machine, a release
build with -DEVENKEEL_BUILD_BENCHMARKS=ON, and about three hours; --list prints the commands and how long each takes."""

import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys
import time
import types

import adaptive_links
import byte_path
import decision_growth
import few_boards
import file_links
import grid
import ranges
import run_cases
import strategies
from evenkeel_runs import PROJECT

BENCH = PROJECT / "bench"
SKIPPED = 77  # exit code of a step that this machine cannot run
MISSED = 1    # exit code of a step that ran and missed a budget


@dataclasses.dataclass
class Step:
    """One script. It writes figures as JSON into the file that its last argument names."""

    name: str
    minutes: int
    script: types.ModuleType
    options: tuple = ()
    quick: tuple = ()

    def command(self, args):
        file = args.results / f"{self.name}.json"
        options = [option.format(results=args.results)
                   for option in self.options + (self.quick if args.quick else ())]
        return [self.script.__file__, *options, "--build", args.build, "--json", file], file


STEPS = (
    Step("cases", 35, run_cases, quick=("--quick",)),
    Step("decisions", 3, decision_growth, options=("--output", "{results}/decision-growth.svg"),
         quick=("--repetitions", "1")),
    Step("strategies", 11, strategies, quick=("--end", "200000")),
    Step("links", 14, adaptive_links, quick=("--repetitions", "1", "--orders", "200")),
    Step("files", 25, file_links, quick=("--tasks", "60")),
    Step("bytes", 5, byte_path, quick=("--repetitions", "1", "--rounds", "2")),
    Step("few-boards", 25, few_boards, quick=("--quick",)),
    Step("ranges", 33, ranges, quick=("--repetitions", "1")),
    Step("grid", 45, grid, quick=("--scenarios", "03", "04", "05", "06")),
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path,
                        help="build folder of the release preset")
    parser.add_argument("--results", default=PROJECT / "bench-results", type=pathlib.Path,
                        help="folder for the figures and the output of each step (default: bench-results)")
    parser.add_argument("--baseline", default=BENCH / "baseline.json", type=pathlib.Path,
                        help="figures of the version before (default: bench/baseline.json)")
    parser.add_argument("--only", choices=[step.name for step in STEPS], action="append", help="these steps only")
    parser.add_argument("--quick", action="store_true", help="smaller cases, one repetition of each")
    parser.add_argument("--update", action="store_true", help="write the figures into the baseline")
    parser.add_argument("--list", action="store_true", help="print the commands, run nothing")
    parser.add_argument("--compare", action="store_true", help="compare what --results has, run nothing")
    return parser.parse_args()


def run(step, args):
    """Runs a step. Returns its figures and whether it failed."""
    command, file = step.command(args)
    print(f"{step.name}: about {step.minutes} minutes", file=sys.stderr, flush=True)
    file.unlink(missing_ok=True)
    begin = time.monotonic()
    with (args.results / f"{step.name}.log").open("w") as log:
        code = subprocess.run([sys.executable, *map(str, command)], stdout=log, check=False).returncode
    took = time.monotonic() - begin
    print(f"{step.name}: {took / 60:.1f} minutes, exit code {code}", file=sys.stderr, flush=True)
    return read(file), code not in (0, MISSED, SKIPPED)


def read(file):
    """The figures of a step; none if it did not run."""
    return json.loads(file.read_text())["figures"] if file.exists() else []


def verdict(now, before):
    """Compares medians. A difference within the samples of the version before is noise."""
    return change(now, before) + (", MISSED" if now["verdict"] == "MISSED" else "")


def change(now, before):
    if before is None:
        return "new"
    low, high = before.get("low", before["value"]), before.get("high", before["value"])
    digits = 10 ** -now["digits"]
    if low - digits <= now["value"] <= high + digits:
        return "same"
    return "better" if (now["value"] > high) == now["moreIsBetter"] else "WORSE"


def row(now, before):
    def shown(value):
        return f"{value:,.{now['digits']}f}"

    def spread(figure):
        return f"{shown(figure['low'])} to {shown(figure['high'])}" if "low" in figure else ""

    percent = f"{100 * (now['value'] / before['value'] - 1):+.1f} %" if before and before["value"] else ""
    return [now["name"], now["unit"], shown(before["value"]) if before else "", spread(before or {}),
            shown(now["value"]), spread(now), percent, verdict(now, before)]


def print_table(rows):
    head = ["figure", "unit", "before", "", "now", "", "change", ""]
    widths = [max(len(line[column]) for line in [head, *rows]) for column in range(len(head))]
    for line in [head, *rows]:
        cells = [cell.ljust(width) if column in (0, 1, 7) else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(line, widths))]
        print("  ".join(cells).rstrip())


def main():
    args = arguments()
    steps = [step for step in STEPS if not args.only or step.name in args.only]
    if args.list:
        for step in steps:
            print(f"{step.minutes:4} min  {' '.join(map(str, step.command(args)[0]))}")
        return 0
    args.results.mkdir(parents=True, exist_ok=True)
    figures, failed = [], []
    for step in steps:
        found, broke = (read(step.command(args)[1]), False) if args.compare else run(step, args)
        figures += found
        failed += [step.name] if broke else []
    document = json.loads(args.baseline.read_text())
    before = document["figures"]
    rows = [row(figure, before.get(figure["name"])) for figure in figures]
    cells = [line for line in rows if line[0].startswith("grid-")]
    unchanged = [line for line in cells if line[-1] == "same"]
    print_table([line for line in rows if line not in unchanged])
    if cells:
        print(f"grid: {len(unchanged)} of {len(cells)} cells unchanged, the others are above")
    if args.update:
        kept = ("value", "low", "high", "unit")
        before.update({figure["name"]: {key: figure[key] for key in kept if key in figure} for figure in figures})
        args.baseline.write_text(json.dumps(document, indent=1) + "\n")
    for name in failed:
        print(f"step failed: {name}, see {args.results / name}.log", file=sys.stderr)
    if failed:
        return 2
    return 1 if any("WORSE" in line[-1] or "MISSED" in line[-1] for line in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
