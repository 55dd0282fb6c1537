#!/usr/bin/env python3
"""Few long tasks of unknown length on a few unequal boards, as processes beside the simulator: docs/experiments.md.

Two figures: nine boards without labels beside simulated self-scheduling with reissue on the same tasks, and five drawn
clusters beside simulated TailStealing. Exit code 1 if a budget is missed. About 25 minutes."""

import argparse
import dataclasses
import json
import pathlib
import random
import statistics
import subprocess
import sys

from evenkeel_runs import PROJECT, Bench, RunFailed, manifest
from figures import Figure, table, write_json

BOARDS = (8, 8, 5, 3, 2, 1, 1, 1, 0.8)
BOARD_SEEDS = range(101, 110)
DRAWN_SEEDS = range(201, 206)
BOUND_SECONDS = 12  # of a drawn cluster
SIMULATED_SEEDS = "1..20"


@dataclasses.dataclass
class Cluster:
    """Boards that nothing is known of, and sleeping tasks of unknown length."""

    name: str
    speeds: tuple
    tasks: int
    cost: dict
    seed: int

    def workload(self, known=False):
        return {"synthetic": {"tasks": self.tasks, "cost": self.cost, "seed": self.seed, "mode": "Sleep",
                              "costsKnown": known}}

    def nodes(self):
        return {"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "v1", "kind": "Node", "metadata": {
                "name": f"board-{number}", "annotations": {"evenkeel.dev/emulated-speed": str(speed)}}}
            for number, speed in enumerate(self.speeds, 1)]}

    def scenario(self, strategy, **balancing):
        """The same tasks on the same boards. The name of a node decides the order of equal weights."""
        return {"name": self.name, "tasks": {"workload": self.workload(known=True), "costsTold": False},
                "nodes": [{"name": f"board-{number}", "speed": speed}
                          for number, speed in enumerate(self.speeds, 1)],
                "weights": "Equal", "balancing": balancing, "strategies": [strategy]}


def nine_boards(seed):
    return Cluster(f"nine-boards-{seed}", BOARDS, 27, {"exponential": 6}, seed)


def drawn(seed):
    """3 to 12 boards, 3 to 20 tasks a board."""
    chance = random.Random(seed)
    largest = chance.choice((1.5, 3, 5, 10, 20))
    speeds = tuple(round(chance.uniform(1, largest), 2) for _ in range(chance.randint(3, 12)))
    tasks = len(speeds) * chance.choice((3, 8, 20))
    mean = round(BOUND_SECONDS * sum(speeds) / tasks, 3)
    cost = chance.choice(({"constant": mean}, {"uniform": [round(0.1 * mean, 3), round(1.9 * mean, 3)]},
                          {"exponential": mean}, {"increasing": [round(0.1 * mean, 3), round(1.9 * mean, 3)]}))
    return Cluster(f"drawn-{seed}", speeds, tasks, cost, seed)


def simulated(bench, cluster, strategy, **balancing):
    """Median makespan in seconds."""
    scenario = bench.file(cluster.scenario(strategy, **balancing))
    done = subprocess.run([bench.bin / "evenkeel", "simulate", scenario, "--seeds", SIMULATED_SEEDS, "-o", "json"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunFailed(f"{cluster.name}: {done.stderr.strip()}")
    return statistics.median(run["makespanSeconds"] for run in json.loads(done.stdout)["runs"])


def real(bench, cluster):
    return bench.run(manifest(cluster.name, cluster.workload()), cluster.nodes())["makespanSeconds"]


def measure_boards(bench, repetitions, say):
    """One sample per seed: the median run / the simulated rival."""
    ratios = []
    for seed in BOARD_SEEDS:
        cluster = nine_boards(seed)
        rival = simulated(bench, cluster, "SS", reissue="Enabled")
        runs = [real(bench, cluster) for _ in range(repetitions)]
        ratios.append(statistics.median(runs) / rival)
        say(f"  nine boards, seed {seed}: {statistics.median(runs):.2f} s ({min(runs):.2f} to {max(runs):.2f}), "
            f"SS with reissue {rival:.2f} s, TailStealing simulated {simulated(bench, cluster, 'TailStealing'):.2f} s")
    return [Figure("nine boards: makespan / simulated SS with reissue, median of seeds", "x", ratios, 1.03,
                   more_is_better=False),
            Figure("nine boards: largest of the seeds", "x", [max(ratios)], 1.15, more_is_better=False)]


def measure_drawn(bench, repetitions, say):
    """One sample per cluster: the distance between the median run and the simulator."""
    distances = []
    for seed in DRAWN_SEEDS:
        cluster = drawn(seed)
        expected = simulated(bench, cluster, "TailStealing")
        runs = [real(bench, cluster) for _ in range(repetitions)]
        distances.append(abs(statistics.median(runs) / expected - 1))
        say(f"  {cluster.name}, {len(cluster.speeds)} boards, {cluster.tasks} tasks, {cluster.cost}: "
            f"{statistics.median(runs):.2f} s ({min(runs):.2f} to {max(runs):.2f}), simulated {expected:.2f} s")
    return [Figure("drawn clusters: largest distance of processes from the simulator", "", [max(distances)], 0.02,
                   more_is_better=False)]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path,
                        help="build folder of the release preset")
    parser.add_argument("--repetitions", default=10, type=int, help="of each drawn cluster (default: 10)")
    parser.add_argument("--quick", action="store_true", help="one repetition of each")
    parser.add_argument("--json", default="bench-few-boards.json", type=pathlib.Path,
                        help="file for the figures (default: bench-few-boards.json)")
    return parser.parse_args()


def say(line):
    print(line, file=sys.stderr, flush=True)


def main():
    args = arguments()
    repetitions = 1 if args.quick else args.repetitions
    with Bench(args.build) as bench:
        found = measure_boards(bench, 1 if args.quick else 3, say) + measure_drawn(bench, repetitions, say)
    print(table(found))
    write_json(args.json, found)
    return 1 if any(figure.verdict == "MISSED" for figure in found) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RunFailed as failed:
        say(str(failed))
        sys.exit(2)
