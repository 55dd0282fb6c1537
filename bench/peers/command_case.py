#!/usr/bin/env python3
"""Commands that do nothing on GNU parallel and HyperQueue, beside ours; all on this machine's cores.

HyperQueue's time starts when its server and its worker are there; GNU parallel's and ours include
their start. HyperQueue is asked about its job once a second, which is
part of its time; it keeps no output here, ours keeps and journals it.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import command_case  # noqa: E402
from evenkeel_runs import PROJECT, Bench  # noqa: E402


def parallel_rate(tasks):
    """GNU parallel, a slot a core."""
    numbers = "".join(f"{n}\n" for n in range(tasks))
    begin = time.monotonic()
    subprocess.run(["parallel", "--will-cite", f"-j{os.cpu_count()}", "-N1",
                    f"{command_case.PROGRAM} #"], input=numbers, text=True, check=True)
    return tasks / (time.monotonic() - begin)


def hyperqueue_rate(tasks):
    """A server and a worker with all cores on this machine."""
    folder = tempfile.mkdtemp(prefix="evenkeel-peers-")
    try:
        with LocalCluster(server_dir=folder,
                          worker_config=WorkerConfig(cores=os.cpu_count())) as cluster:
            client = cluster.client()
            job = Job()
            for _ in range(tasks):
                job.program([command_case.PROGRAM])
            begin = time.monotonic()
            client.wait_for_jobs([client.submit(job)])
            return tasks / (time.monotonic() - begin)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--repetitions", default=3, type=int)
    parser.add_argument("--tasks", default=10000, type=int)
    parser.add_argument("--json", default="bench-peers-commands.json", type=pathlib.Path)
    return parser.parse_args()


def main():
    args = arguments()
    samples = {"posix_spawn alone": [], "Evenkeel": [], "GNU parallel": [], "HyperQueue": []}
    with Bench(args.build) as bench:
        for _ in range(args.repetitions):
            samples["posix_spawn alone"].append(command_case.best_rate(bench, args.tasks))
            samples["Evenkeel"].append(command_case.our_rate(bench, args.tasks))
            samples["GNU parallel"].append(parallel_rate(args.tasks))
            samples["HyperQueue"].append(hyperqueue_rate(args.tasks))
            print("  " + ", ".join(f"{name} {rates[-1]:,.0f}/s" for name, rates in samples.items()),
                  file=sys.stderr, flush=True)
    for name, rates in samples.items():
        print(f"{name:<20} {statistics.median(rates):>8,.0f} tasks/s "
              f"({min(rates):,.0f} to {max(rates):,.0f})")
    args.json.write_text(json.dumps({"tasksPerSecond": samples}, indent=1) + "\n")


if __name__ == "__main__":
    main()
