"""CPU time and memory of `evenkeel simulate` by number of nodes, with 1,000 tasks per node. The largest case is
simulator/scenarios/scale-10000-nodes.yaml."""

import json
import os
import subprocess

from evenkeel_runs import PROJECT, RunFailed
from figures import Figure

LARGEST = PROJECT / "simulator" / "scenarios" / "scale-10000-nodes.yaml"
LARGEST_NODES = 10_000
TASKS_A_NODE = 1000


def scenario(bench, nodes):
    """The scenario of the largest case with fewer nodes."""
    if nodes == LARGEST_NODES:
        return LARGEST
    text = LARGEST.read_text()
    text = text.replace(f"count: {LARGEST_NODES},", f"count: {nodes},")
    text = text.replace(f"count: {LARGEST_NODES * TASKS_A_NODE},", f"count: {nodes * TASKS_A_NODE},")
    file = bench.folder / f"scale-{nodes}.yaml"
    file.write_text(text)
    return file


def simulated(bench, nodes):
    """Returns the run, CPU seconds, and the largest resident memory in MiB."""
    process = subprocess.Popen(
        [bench.bin / "evenkeel", "simulate", scenario(bench, nodes), "-o", "json"],
        stdout=subprocess.PIPE, text=True)
    run = json.loads(process.stdout.read())["runs"][0]
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or run["state"] != "Complete":
        raise RunFailed(f"{nodes} simulated nodes: {run['state']}")
    return run, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure(bench, repetitions, quick, say):
    figures = []
    for nodes in (10, 100, 1000) if quick else (10, 100, 1000, LARGEST_NODES):
        seconds, mebibytes, a_message = [], [], []
        for _ in range(repetitions):
            run, used, most = simulated(bench, nodes)
            seconds.append(used)
            mebibytes.append(most)
            a_message.append(used * 1e6 / run["messages"])
        say(f"  {nodes:,} nodes: {run['messages']:,} messages, "
            f"{run['makespanSeconds'] / run['lowerBoundSeconds']:.4f} x bound")
        budgeted = nodes == LARGEST_NODES
        what = f"simulated: {nodes:,} nodes, {nodes * TASKS_A_NODE:,} tasks"
        figures += [
            Figure(what, "s CPU", seconds, 60 if budgeted else None, 30 if budgeted else None,
                   more_is_better=False, digits=2),
            Figure(f"simulated: {nodes:,} nodes, memory", "MiB", mebibytes, 2048 if budgeted else None,
                   more_is_better=False, digits=0),
            Figure(f"simulated: {nodes:,} nodes, each message, both ends", "us", a_message,
                   more_is_better=False, digits=2),
        ]
    return figures
