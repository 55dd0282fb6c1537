"""768 sleeping tasks on 16 workers of speeds 4.3 (4), 2.0 (8) and 1.0 (4), several ways, interleaved."""

import json
import statistics

import best_schedule
from evenkeel_runs import EXAMPLES, manifest
from figures import Figure

NODES = EXAMPLES / "nodes" / "sixteen.yaml"
UPSIDE_DOWN = EXAMPLES / "nodes" / "sixteen-upside-down.yaml"
SPEEDS = [4.3] * 4 + [2.0] * 8 + [1.0] * 4
# As in examples/synthetic-sixteen.yaml.
TASKS = {"tasks": 768, "cost": {"uniform": [0.1942, 0.939]}, "seed": 1, "mode": "Sleep",
         "costsKnown": False}


def plain_pull():
    """One task at a time to each idle worker; the coordinator does not occupy a worker."""
    return manifest("plain-pull", {"synthetic": TASKS},
                    {"strategy": "MasterSlave", "masterSlave": {"dedicatedCoordinator": True}})


VARIANTS = {
    "unknown": (EXAMPLES / "synthetic-sixteen.yaml", NODES),
    "pull": (plain_pull(), NODES),
    "known": (EXAMPLES / "synthetic-sixteen-known.yaml", NODES),
    "upside-down": (EXAMPLES / "synthetic-sixteen.yaml", UPSIDE_DOWN),
}


def task_costs(bench):
    """Seconds at speed 1 of each task, as the workload draws them."""
    return [float(line) for line in bench.tool("task_costs", "synthetic", json.dumps(TASKS)).split()]


def measure(bench, repetitions, say):
    """Runs the variants in turn, so that other load on the machine affects all of them."""
    summaries = {name: [] for name in VARIANTS}
    for repetition in range(repetitions):
        for name, (job, nodes) in VARIANTS.items():
            summary = bench.run(job, nodes)
            summaries[name].append(summary)
            say(f"  {name}, {repetition + 1} of {repetitions}: {summary['makespanSeconds']:.2f} s, of "
                f"which {summary['startupSeconds']:.2f} s start, efficiency {summary['efficiency']:.4f}")
    return figures(task_costs(bench), summaries)


def figures(costs, summaries):
    bound = best_schedule.lower_bound(costs, SPEEDS)
    best = best_schedule.greedy_makespan(costs, SPEEDS)
    pull = best_schedule.pull_makespan(costs, SPEEDS)
    efficiencies = {name: [run["efficiency"] for run in runs] for name, runs in summaries.items()}
    ahead = [ours / theirs for ours, theirs in zip(efficiencies["unknown"], efficiencies["pull"])]
    starts = [run["startupSeconds"] for runs in summaries.values() for run in runs]
    start = statistics.median(starts)
    twice = statistics.median(run["wastedSeconds"] for run in summaries["unknown"])
    return [
        Figure("16 workers, costs unknown: efficiency", "", efficiencies["unknown"], 0.975, 0.985,
               note=f"bound {bound:.3f} s; {twice:.2f} s of work done twice; {start:.2f} s until the first "
                    "task started", digits=4),
        Figure("16 workers, plain pull: efficiency", "", efficiencies["pull"], digits=4,
               note=f"without any overhead it would be {bound / pull:.4f}"),
        Figure("costs unknown against plain pull", "x", ahead, 1.0, digits=4),
        Figure("16 workers, costs known: best schedule / makespan", "",
               [best / run["makespanSeconds"] for run in summaries["known"]], 0.99, 0.995, digits=4,
               note=f"best schedule {best:.3f} s (largest first, earliest finish)"),
        Figure("16 workers, weights upside down: efficiency", "", efficiencies["upside-down"], 0.975,
               0.98, digits=4),
    ]
