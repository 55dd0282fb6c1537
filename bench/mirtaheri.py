#!/usr/bin/env python3
"""The sweeps of Mirtaheri's thesis in virtual time: a row for each speed of links, speed of nodes, ratio of
both, and size of the network; columns are median makespans in seconds.

Usage: bench/mirtaheri.py [SEEDS]   how many seeds where things are drawn, from 1 on (default 200)"""

import json
import pathlib
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
EVENKEEL = ROOT / "build/release/bin/evenkeel"
COLUMNS = ("not balanced", "uncompensated", "first selection", "second selection", "third selection")


def scenario(name):
    return yaml.safe_load((ROOT / "simulator/scenarios" / f"mirtaheri-{name}.yaml").read_text())


def medians(evenkeel, document, seeds):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump(document, file)
        file.flush()
        run = subprocess.run([evenkeel, "simulate", file.name, "--seeds", f"1..{seeds}", "-o", "json"],
                             check=True, capture_output=True, text=True)
    return {row["strategy"]: row["makespanSeconds"]["median"] for row in json.loads(run.stdout)["summaries"]}


def table(evenkeel, title, swept, documents, seeds):
    print(f"\n{title}\n\n| {swept} | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}")
    for value, document in documents:
        row = medians(evenkeel, document, seeds)
        print(f"| {value:g} | {' | '.join(f'{row[name]:.2f}' for name in COLUMNS)} |", flush=True)


def link_speeds():
    for rate in (50, 100, 200, 400, 800, 1600):
        document = scenario("b-one-neighbour")
        document["transfers"]["tasksPerSecond"] = rate
        yield rate, document


def node_speeds():
    for speed in (100, 200, 300, 400, 500):
        document = scenario("b-one-neighbour")
        document["nodes"][0]["speed"] = speed
        yield speed, document


def ratios(delay):
    for ratio in (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 10):
        document = scenario("e-random-arrivals")
        document["transfers"]["delay"] = delay
        mean = 500 * ratio
        sigma = (0.1 * mean) ** 0.5 / mean
        document["transfers"]["tasksPerSecond"] = {"logNormal": {"mean": mean, "sigma": sigma}}
        yield ratio, document


def sizes(delay):
    for nodes in (10, 20, 40, 80):
        document = scenario("f-growing-network")
        document["transfers"]["delay"] = delay
        document["nodes"][0]["count"] = nodes
        document["tasks"]["count"] = 400 * nodes
        document["tasks"]["arrivals"][0]["times"] = nodes // 2
        yield nodes, document


def print_tables(evenkeel, seeds):
    table(evenkeel, "Figure 5.11, on (b)", "links, tasks/s", link_speeds(), 1)
    table(evenkeel, "Figure 5.12, on (b)", "nodes, tasks/s", node_speeds(), 1)
    for delay in ("Exponential", "Fixed"):
        table(evenkeel, f"Figure 5.13, (e), times of transfers {delay}", "links / nodes", ratios(delay), seeds)
        table(evenkeel, f"Figure 5.14, (f), times of transfers {delay}", "nodes", sizes(delay), seeds)


if __name__ == "__main__":
    print_tables(EVENKEEL, int(sys.argv[1]) if len(sys.argv) > 1 else 200)
