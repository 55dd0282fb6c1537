#!/usr/bin/env python3
"""Joules against time with objective Energy, for the scenarios energy-*.yaml: figures and plots.

The front is computed here, by filling nodes in order of joules a unit of work, apart from the
scheduler; the dots are what the scheduler did in virtual time.
"""

import argparse
import json
import pathlib
import statistics
import subprocess

import yaml
from svg_plot import Axis, Plot, Series

PROJECT = pathlib.Path(__file__).resolve().parent.parent
SCENARIOS = PROJECT / "simulator" / "scenarios"
IDLE_SHARE = 0.4  # docs/energy.md


def boards(scenario):
    """(speed, joules above idle a unit of work) of each node, the most frugal first."""
    nodes = []
    for node in scenario["nodes"]:
        watts = node["watts"] - node.get("idleWatts", IDLE_SHARE * node["watts"])
        nodes += [(node["speed"], watts / node["speed"])] * node.get("count", 1)
    return sorted(nodes, key=lambda node: node[1])


def least_joules(nodes, work, seconds):
    joules = 0
    for speed, each in nodes:
        part = min(work, speed * seconds)
        joules += part * each
        work -= part
    return joules if work <= 1e-9 * speed * seconds else None


def front(nodes, work, slowest):
    """(seconds, joules) from the shortest time to one where the best nodes do it all."""
    shortest = work / sum(speed for speed, _ in nodes)
    times = [shortest * (1 + (slowest / shortest - 1) * i / 200) for i in range(201)]
    return [(time, least_joules(nodes, work, time)) for time in times if least_joules(nodes, work, time)]


def simulate(evenkeel, file, seeds):
    done = subprocess.run([evenkeel, "simulate", file, "--seeds", seeds, "-o", "json"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["summaries"]


def label(name):
    return name if name == "Time" else name.replace("Energy ", "factor ")


def case(evenkeel, file, seeds, title, output):
    scenario = yaml.safe_load(file.read_text())
    low, high = scenario["tasks"]["seconds"]["uniform"]
    work = scenario["tasks"]["count"] * (low + high) / 2
    rows = simulate(evenkeel, file, seeds)
    ran = [(row["makespanSeconds"]["median"], row["joules"]["median"]) for row in rows]
    nodes = boards(scenario)
    slowest = 1.06 * max(seconds for seconds, _ in ran)
    curve = front(nodes, work, slowest)
    print(f"{scenario['name']}: variant, seconds, joules, least joules in that time")
    for row, (seconds, joules) in zip(rows, ran):
        least = least_joules(nodes, work, max(seconds, curve[0][0]))
        print(f"  {row['strategy']:12} {seconds:8.1f} {joules:8.0f} {least:8.0f}")
    dots = {}
    for i, row in enumerate(rows):  # one label where several fall together
        near = [j for j in dots if abs(ran[j][0] - ran[i][0]) < 0.01 * slowest and abs(ran[j][1] - ran[i][1]) < 60]
        if not near:
            dots[i] = label(row["strategy"])
        else:
            dots[near[0]] = dots[near[0]].split(", ")[0] + ", " + label(row["strategy"]).removeprefix("factor ")
    top = 1.08 * max(joules for _, joules in ran)
    plot = Plot(title, Axis("seconds", 0.95 * curve[0][0], slowest * 1.04), Axis("joules above idle", 0, top))
    svg = plot.svg([Series("least possible", curve, dots=False),
                    Series("simulated", ran, joined=False, labels=dots)])
    output.write_text(svg)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--output", default=PROJECT / "docs" / "images", type=pathlib.Path)
    parser.add_argument("--seeds", default="1..20")
    args = parser.parse_args()
    evenkeel = args.build / "bin" / "evenkeel"
    case(evenkeel, SCENARIOS / "energy-1-trio.yaml", args.seeds, "Two Pi 4B and a Pi 3B: joules against time",
         args.output / "energy-trio.svg")
    case(evenkeel, SCENARIOS / "energy-2-ten.yaml", args.seeds, "Ten boards of five kinds: joules against time",
         args.output / "energy-ten.svg")


if __name__ == "__main__":
    main()
