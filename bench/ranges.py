#!/usr/bin/env python3
"""A program that takes 0.5 s to start and 5 ms per item, 20,000 items, on three nodes of 0.40, 0.40 and 0.09 of a core:
docs/benchmarks.md.

Ours in ranges, with and without progress, and item by item (few items, extrapolated); beside them GNU parallel, with blocks as
long as a command line and with ten blocks per node. Ratios to the bound that counts one start per node. Exit code 1 if
a budget is missed. About 11 minutes per repetition."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time

from cpu_shares import CpuShares, SharesFailed
from evenkeel_runs import PROJECT, Bench, RunFailed, manifest
from figures import Figure, table, write_json

SPEEDS = {"pi-1": 0.40, "pi-2": 0.40, "pi-3": 0.09}
ITEMS, START_SECONDS, ITEM_SECONDS = 20_000, 0.5, 0.005
ITEMS_ONE_BY_ONE = 200
BLOCKS_PER_NODE = 10

# The time is CPU time, so that it takes as long as the share of a core that the node has.
PROGRAM = """
import os, select, sys, time
first, last, start, item = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4])
end = start
while time.process_time() < end: pass
follows = sys.argv[5] == "True" and "EVENKEEL_PROGRESS" in os.environ
if follows: progress, control = int(os.environ["EVENKEEL_PROGRESS"]), int(os.environ["EVENKEEL_CONTROL"])
while first <= last:
    end += item
    while time.process_time() < end: pass
    if follows:
        os.write(progress, b"done %d\\n" % first)
        if select.select([control], [], [], 0)[0]:
            for line in os.read(control, 4096).splitlines(): last = int(line.split()[1])
    first += 1
"""
# The same work for items that are arguments, as GNU parallel passes them. Prints how many they were.
LIST_PROGRAM = """
import sys, time
start, item, items = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
end = start
while time.process_time() < end: pass
for _ in items:
    end += item
    while time.process_time() < end: pass
print(len(items))
"""
# Stands for ssh, called as "HOST -- COMMAND": the command runs in the control group of the node of that name.
REMOTE_SHELL = """#!/bin/sh
case $1 in
{cases}
esac || exit
shift 2
exec /bin/sh -c "$*"
"""
# GNU parallel takes its hosts in the order of a hash table. With these variables of Perl it is always the same order, in which
# the slow node is the last.
FIXED_ORDER = {"PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0"}


def nodes():
    items = [{"apiVersion": "v1", "kind": "Node", "metadata": {
        "name": name, "annotations": {"evenkeel.dev/emulated-speed": str(speed)}}} for name, speed in SPEEDS.items()]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def bound(items, starts):
    return (items * ITEM_SECONDS + starts * START_SECONDS) / sum(SPEEDS.values())


def command(program, follows, **tasks):
    first, last = ("{first}", "{last}") if "range" in tasks else ("{}", "{}")
    return {"command": {"command": ["/usr/bin/python3", "-S", "-E", str(program), first, last, str(START_SECONDS),
                                    str(ITEM_SECONDS), str(follows)], **tasks}}


class Parallel:
    """GNU parallel on the same nodes: hosts with one slot each, without the cost of ssh."""

    def __init__(self, bench):
        self._program = bench.folder / "list_program.py"
        self._program.write_text(LIST_PROGRAM)
        self._shell = bench.folder / "remote-shell"

    def seconds(self, *options):
        """Makespan with these options that make blocks of items."""
        with CpuShares(SPEEDS) as shares:
            cases = "\n".join(f'{name}) echo $$ >"{shares.entry(name)}" ;;' for name in SPEEDS)
            self._shell.write_text(REMOTE_SHELL.format(cases=cases))
            self._shell.chmod(0o755)
            hosts = ",".join(f"1/{name}" for name in SPEEDS)
            begin = time.monotonic()
            done = subprocess.run(
                ["parallel", "--will-cite", "--ssh", self._shell, "--sshlogin", hosts, *options, "/usr/bin/python3", "-S",
                 "-E", self._program, str(START_SECONDS), str(ITEM_SECONDS)],
                input="".join(f"{item}\n" for item in range(ITEMS)), capture_output=True, text=True, check=False,
                env={**os.environ, **FIXED_ORDER})
            took = time.monotonic() - begin
        blocks = [int(line) for line in done.stdout.split()]
        if done.returncode != 0 or sum(blocks) != ITEMS:
            raise RunFailed(f"GNU parallel: exit code {done.returncode}, blocks of {blocks}: {done.stderr.strip()[-2000:]}")
        return took, blocks


def measure_parallel(bench, say):
    """x bound by the name of the case; nothing where GNU parallel or control groups are missing."""
    if shutil.which("parallel") is None:
        say("  GNU parallel is not installed: left out")
        return {}
    block = -(-ITEMS // (BLOCKS_PER_NODE * len(SPEEDS)))
    ratios = {}
    try:
        for options in (("-X",), ("-n", str(block))):
            seconds, blocks = Parallel(bench).seconds(*options)
            name = "GNU parallel " + " ".join(options)
            ratios[name] = seconds / bound(ITEMS, len(SPEEDS))
            say(f"  {name}: {seconds:.1f} s, {ratios[name]:.3f} x bound, {len(blocks)} blocks of {min(blocks)} to {max(blocks)}")
    except SharesFailed as failed:
        say(f"  GNU parallel: left out, {failed}")
    return ratios


def measure(bench, repetitions, say):
    program = bench.folder / "program.py"
    program.write_text(PROGRAM)
    with_progress, without, one_by_one, parallel = [], [], [], {}
    weights = {"mode": "Equal"}
    for repetition in range(repetitions):
        for follows, ratios in ((True, with_progress), (False, without)):
            job = manifest("ranges", command(program, follows, range={"tasks": ITEMS}), weighting=weights)
            seconds = bench.run(job, nodes())["makespanSeconds"]
            ratios.append(seconds / bound(ITEMS, len(SPEEDS)))
            say(f"  {repetition + 1} of {repetitions}: {seconds:.1f} s, {ratios[-1]:.3f} x bound"
                f"{', with progress' if follows else ''}")
        arguments = [str(number) for number in range(ITEMS_ONE_BY_ONE)]
        job = manifest("ranges", command(program, False, arguments=arguments), weighting=weights)
        seconds = bench.run(job, nodes())["makespanSeconds"] * ITEMS / ITEMS_ONE_BY_ONE
        one_by_one.append(seconds / bound(ITEMS, len(SPEEDS)))
        say(f"  item by item, extrapolated: {seconds:,.0f} s")
        for name, ratio in measure_parallel(bench, say).items():
            parallel.setdefault(name, []).append(ratio)
    return [Figure("20,000 items in ranges that can be cut, x bound", "", with_progress, 1.06, 1.03, False),
            Figure("the same without progress, x bound", "", without, 1.06, 1.03, False),
            Figure("item by item, extrapolated, x bound", "", one_by_one, more_is_better=False, digits=0),
            *(Figure(f"{name}, x bound", "", ratios, more_is_better=False) for name, ratios in parallel.items())]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--repetitions", default=3, type=int)
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    args = parser.parse_args()
    with Bench(args.build) as bench:
        figures = measure(bench, args.repetitions, lambda line: print(line, file=sys.stderr, flush=True))
    print(table(figures))
    if args.json:
        write_json(args.json, figures)
    return 1 if any(figure.verdict == "MISSED" for figure in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
