#!/usr/bin/env python3
"""Simulates all techniques on the ten scenarios of the grid and prints the tables of docs/experiments.md.

Virtual time: the figures do not depend on this machine. One core; about 45 minutes with the default number of seeds.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import mirtaheri
from evenkeel_runs import PROJECT
from figures import Figure, write_json

SCENARIOS = PROJECT / "simulator" / "scenarios"
OURS = "TailStealing"
LONG = ("02", "08", "10")  # these scenarios take the longest


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path,
                        help="build folder of the release preset")
    parser.add_argument("--seeds", default=5, type=int, help="seeds per scenario, from 1 (default: 5)")
    parser.add_argument("--seeds-of-long", default=2, type=int,
                        help=f"seeds of the scenarios {', '.join(LONG)} (default: 2)")
    parser.add_argument("--scenarios", nargs="+", help="numbers of the scenarios (default: all)")
    parser.add_argument("--sweeps", action="store_true", help="also the sweeps of the scenarios mirtaheri-*")
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    return parser.parse_args()


def simulate(evenkeel, file, seeds):
    """The summary of each strategy."""
    done = subprocess.run([evenkeel, "simulate", file, "--strategy", "all", "--seeds", f"1..{seeds}", "-o", "json"],
                          stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)["summaries"]


def simulate_all(args):
    """Summaries by name of the scenario."""
    grid = {}
    for file in sorted(SCENARIOS.glob("grid-*.yaml")):
        number = number_of(file.stem)
        if args.scenarios and number not in args.scenarios:
            continue
        seeds = min(args.seeds, args.seeds_of_long) if number in LONG else args.seeds
        grid[file.stem] = simulate(args.build / "bin" / "evenkeel", file, seeds)
        print(f"{file.stem}: {seeds} seeds", file=sys.stderr, flush=True)
    return grid


def number_of(scenario):
    return scenario.split("-")[1]


def over_bound(row):
    return row["makespanOverBound"]["median"]


def interval(row):
    ratio = row["makespanOverBound"]
    return f"{ratio['median']:.4f} ({ratio['low']:.4f} to {ratio['high']:.4f})"


def against_the_next(grid):
    """One row per scenario: TailStealing, and the best of the others."""
    print("| scenario | seeds | TailStealing | best other | | difference | imbalance, % | messages |")
    print("|---|---|---|---|---|---|---|---|")
    for scenario, rows in grid.items():
        ours = next(row for row in rows if row["strategy"] == OURS)
        other = min((row for row in rows if not row["strategy"].startswith(OURS)), key=over_bound)
        difference = (over_bound(ours) / over_bound(other) - 1) * 100
        imbalances = "{:.2f} / {:.2f}".format(
            *(row["loadImbalancePercent"]["median"] for row in (ours, other)))
        messages = "{:,.0f} / {:,.0f}".format(
            *(row["messages"]["median"] for row in (ours, other)))
        print(f"| {scenario} | {ours['repetitions']} | {interval(ours)} | {other['strategy']} | "
              f"{interval(other)} | {difference:+.2f} % | {imbalances} | {messages} |")


def all_techniques(grid):
    """One row per technique, one column per scenario; the best of each scenario in bold."""
    names = sorted({row["strategy"] for rows in grid.values() for row in rows},
                   key=lambda name: (not name.startswith(OURS), name.lower()))
    print("| strategy | " + " | ".join(number_of(scenario) for scenario in grid) + " |")
    print("|---|" + "---|" * len(grid))
    for name in names:
        cells = []
        for rows in grid.values():
            best = min(over_bound(row) for row in rows)
            row = next(row for row in rows if row["strategy"] == name)
            text = f"{over_bound(row):.3f}"
            cells.append(f"**{text}**" if over_bound(row) <= best * 1.0005 else text)
        print(f"| {name} | " + " | ".join(cells) + " |")


def figures(grid):
    """Makespan / lower bound of each cell, with as many digits as the table has."""
    return [Figure(f"grid-{number_of(scenario)}, {row['repetitions']} seeds, {row['strategy']}", "x bound",
                   [round(over_bound(row), 3)], more_is_better=False, digits=3)
            for scenario, rows in grid.items() for row in rows]


def main():
    args = arguments()
    grid = simulate_all(args)
    against_the_next(grid)
    print()
    all_techniques(grid)
    if args.sweeps:
        mirtaheri.print_tables(args.build / "bin" / "evenkeel", args.seeds)
    if args.json:
        write_json(args.json, figures(grid))


if __name__ == "__main__":
    main()
