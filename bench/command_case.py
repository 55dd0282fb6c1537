"""Commands that do nothing: tasks per second, beside the rate of posix_spawn alone."""

import json
import os
import statistics

from evenkeel_runs import RunFailed, manifest
from figures import Figure

PROGRAM = "/bin/true"


def our_rate(bench, tasks):
    """Tasks a second of a whole `evenkeel run` on this machine as one node."""
    job = manifest("commands", {"command": {"command": [PROGRAM], "tasks": tasks}})
    process, output = bench.start(job, None)
    summary = bench.finish(process)
    if summary["result"] != {"succeeded": tasks, "failed": 0, "exitCodes": {"0": tasks}}:
        raise RunFailed(f"not every command succeeded: {summary['result']}")
    with (output / "results.jsonl").open() as rows:
        if [json.loads(row)["index"] for row in rows] != list(range(tasks)):
            raise RunFailed("results.jsonl does not have each task once, by index")
    return tasks / summary["makespanSeconds"]


def best_rate(bench, tasks):
    """posix_spawn alone, with a process for each core."""
    return float(bench.tool("spawn_rate", os.cpu_count(), tasks, PROGRAM))


def measure(bench, repetitions, tasks, say):
    ours, best = [], []
    for repetition in range(repetitions):
        best.append(best_rate(bench, tasks))
        ours.append(our_rate(bench, tasks))
        say(f"  commands, {repetition + 1} of {repetitions}: {ours[-1]:,.0f}/s, "
            f"posix_spawn alone {best[-1]:,.0f}/s")
    ratios = [one / other for one, other in zip(ours, best)]
    say(f"  of posix_spawn alone: {statistics.median(ratios):.2f}")
    return [Figure(f"commands ({PROGRAM})", "tasks/s", ours, digits=0,
                   note=f"{tasks:,} tasks on {os.cpu_count()} cores; start of the processes included"),
            Figure("posix_spawn and waitpid alone", "commands/s", best, digits=0),
            Figure("commands against posix_spawn alone, within a turn", "", ratios, 0.95, 0.98)]
