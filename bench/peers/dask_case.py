#!/usr/bin/env python3
"""The 16-worker case of bench/sixteen_workers.py on Dask with work stealing, beside ours.

16 worker processes with one thread each; a task sleeps for its cost / the speed of its worker. The
time is that from the first task handed in to the last result, with all workers there and imported;
ours includes the start of all processes.
"""

import argparse
import json
import pathlib
import statistics
import sys
import time

import dask
from distributed import Client, LocalCluster, get_worker

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import best_schedule  # noqa: E402
import sixteen_workers  # noqa: E402
from evenkeel_runs import PROJECT, Bench  # noqa: E402


def run_task(seconds, speed_of):
    """Sleeps as long as this worker takes; returns 16 bytes as our tasks do."""
    time.sleep(seconds / speed_of[get_worker().name])
    return bytes(16)


def worker_name():
    return get_worker().name


def dask_makespan(costs):
    """Seconds from the first task handed in to the last result, on a cluster of its own."""
    with LocalCluster(n_workers=16, threads_per_worker=1, processes=True, memory_limit=None,
                      dashboard_address=None) as cluster, Client(cluster) as client:
        client.wait_for_workers(16)
        names = sorted(client.run(worker_name).values())
        speed_of = dict(zip(names, sixteen_workers.SPEEDS))
        begin = time.monotonic()
        client.gather(client.map(run_task, costs, speed_of=speed_of, pure=False))
        return time.monotonic() - begin


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--repetitions", default=3, type=int)
    parser.add_argument("--json", default="bench-peers.json", type=pathlib.Path)
    return parser.parse_args()


def measure(bench, repetitions):
    """Ours and theirs in turn; efficiencies by name."""
    costs = sixteen_workers.task_costs(bench)
    bound = best_schedule.lower_bound(costs, sixteen_workers.SPEEDS)
    job, nodes = sixteen_workers.VARIANTS["unknown"]
    ours, theirs = [], []
    for repetition in range(repetitions):
        ours.append(bench.run(job, nodes)["efficiency"])
        theirs.append(bound / dask_makespan(costs))
        print(f"  {repetition + 1} of {repetitions}: ours {ours[-1]:.4f}, Dask {theirs[-1]:.4f}",
              file=sys.stderr, flush=True)
    return {"Evenkeel, costs unknown": ours, f"Dask {dask.__version__}, work stealing": theirs}


def main():
    args = arguments()
    dask.config.set({"distributed.scheduler.work-stealing": True})
    with Bench(args.build) as bench:
        samples = measure(bench, args.repetitions)
    for name, efficiencies in samples.items():
        print(f"{name:<32} efficiency {statistics.median(efficiencies):.4f} "
              f"({min(efficiencies):.4f} to {max(efficiencies):.4f})")
    args.json.write_text(json.dumps({"efficiency": samples}, indent=1) + "\n")


if __name__ == "__main__":
    main()
