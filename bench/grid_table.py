#!/usr/bin/env python3
"""The tables of docs/experiments.md from what `evenkeel simulate -o json` printed.

    evenkeel simulate simulator/scenarios/grid-03-*.yaml --strategy all -o json > grid-03.json
    bench/grid_table.py grid-*.json
"""

import json
import pathlib
import sys

OURS = "TailStealing"


def summaries(files):
    """From scenario to its summaries, in the order of the files."""
    found = {}
    for name in files:
        for row in json.loads(pathlib.Path(name).read_text())["summaries"]:
            found.setdefault(row["scenario"], []).append(row)
    return found


def over_bound(row):
    return row["makespanOverBound"]["median"]


def interval(row):
    ratio = row["makespanOverBound"]
    return f"{ratio['median']:.4f} ({ratio['low']:.4f} to {ratio['high']:.4f})"


def against_the_next(grid):
    """One row a scenario: ours, and the best of the others."""
    print("| scenario | seeds | TailStealing | best other | | difference | imbalance, % | messages |")
    print("|---|---|---|---|---|---|---|---|")
    for scenario, rows in grid.items():
        ours = next(row for row in rows if row["strategy"] == OURS)
        others = (row for row in rows if not row["strategy"].startswith(OURS))
        other = min(others, key=over_bound)
        difference = (over_bound(ours) / over_bound(other) - 1) * 100
        imbalances = "{:.2f} / {:.2f}".format(
            *(abs(row["loadImbalancePercent"]["median"]) for row in (ours, other)))
        messages = "{:,.0f} / {:,.0f}".format(
            *(row["messages"]["median"] for row in (ours, other)))
        print(f"| {scenario} | {ours['repetitions']} | {interval(ours)} | {other['strategy']} | "
              f"{interval(other)} | {difference:+.2f} % | {imbalances} | {messages} |")


def all_techniques(grid):
    """One row a technique, one column a scenario; the best of each in bold."""
    names = sorted({row["strategy"] for rows in grid.values() for row in rows},
                   key=lambda name: (not name.startswith(OURS), name.lower()))
    print("| strategy | " + " | ".join(scenario.split("-")[1] for scenario in grid) + " |")
    print("|---|" + "---|" * len(grid))
    for name in names:
        cells = []
        for rows in grid.values():
            best = min(over_bound(row) for row in rows)
            row = next(row for row in rows if row["strategy"] == name)
            text = f"{over_bound(row):.3f}"
            cells.append(f"**{text}**" if over_bound(row) <= best * 1.0005 else text)
        print(f"| {name} | " + " | ".join(cells) + " |")


def main():
    grid = summaries(sys.argv[1:])
    against_the_next(grid)
    print()
    all_techniques(grid)


if __name__ == "__main__":
    main()
