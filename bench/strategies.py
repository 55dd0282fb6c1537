#!/usr/bin/env python3
"""Every strategy on the paper's cluster: primes by trial division on 0.40, 0.40 and 0.0937 of a core.

One run after the other, TailStealing first. Exit code 1 if TailStealing takes more than 0.92 of the
time of Interleaved with weights (5,5,1). To 1,000,000 it takes about 11 minutes of a quiet machine.
"""

import argparse
import json
import pathlib
import sys

from evenkeel_runs import EXAMPLES, PROJECT, Bench, RunFailed, manifest

NODES = EXAMPLES / "nodes" / "pi-trio.yaml"
PAPER = {"policy": "paper"}
EQUAL = {"mode": "Equal"}
MOST_OF_INTERLEAVED = 0.92


def published(strategy, dedicated):
    """As published worker 0 is master and does not compute then; `dedicated` spares it."""
    return {"strategy": strategy, "dedicatedCoordinator": dedicated}


# Name, weighting, balancing, whether tasks are blocks of candidates.
ROWS = (
    ("TailStealing", {}, {"strategy": "TailStealing"}, False),
    ("Interleaved (1,1,1)", EQUAL, {"strategy": "Interleaved"}, False),
    ("Interleaved (5,5,1)", PAPER, {"strategy": "Interleaved"}, False),
    ("DomainDecomposition", {}, {"strategy": "DomainDecomposition"}, False),
    ("MasterSlave", {}, published("MasterSlave", False), True),
    ("MasterSlave, no idle master", {}, published("MasterSlave", True), True),
    ("ModifiedMasterSlave", {}, published("ModifiedMasterSlave", False), True),
    ("ModifiedMasterSlave, no idle master", {}, published("ModifiedMasterSlave", True), True),
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path,
                        help="build folder of the release preset")
    parser.add_argument("--end", default=1_000_000, type=int, help="primes up to it (default: 1000000)")
    parser.add_argument("--block", default=None, type=int,
                        help="candidates a task where a task is a block (default: end / 2000)")
    parser.add_argument("--json", default="bench-strategies.json", type=pathlib.Path,
                        help="file for the figures (default: bench-strategies.json)")
    return parser.parse_args()


def primes(end, block):
    parameters = {"end": end, "method": "TrialDivision"}
    if block:
        parameters["candidatesPerTask"] = block
    return {"primes": parameters}


def print_row(row):
    print("{:<38}{:>9}{:>9}{:>12}{:>10}{:>9}{:>10}".format(*row), flush=True)


def run_all(bench, end, block):
    """Prints a line a strategy as soon as it is known; returns the summaries by name."""
    print_row(("strategy", "time, s", "x first", "efficiency", "messages", "moves", "a task"))
    summaries = {}
    counts = set()
    for name, weighting, balancing, in_blocks in ROWS:
        job = manifest("strategies", primes(end, block if in_blocks else None), balancing, weighting)
        summary = summaries[name] = bench.run(job, NODES)
        counts.add(summary["result"]["count"])
        first = next(iter(summaries.values()))["makespanSeconds"]
        moves = summary["moves"]
        print_row((name, f"{summary['makespanSeconds']:.2f}", f"{summary['makespanSeconds'] / first:.3f}",
                   f"{summary['efficiency']:.4f}", summary["messages"],
                   moves["reserved"] + moves["leased"], f"{block if in_blocks else 1} odd"))
    if len(counts) != 1:
        raise RunFailed(f"the strategies found different numbers of primes: {sorted(counts)}")
    print(f"primes up to {end}: {counts.pop()} by all of them")
    return summaries


def explain(summary, block):
    print(f"bound {summary['lowerBoundSeconds']:.2f} s ({summary['rateSource']}), "
          f"speeds held by {summary['speedControl']}")
    print(f"MasterSlave and ModifiedMasterSlave hand out blocks of {block} odd candidates a task: a task "
          "that is one candidate\nwould cost a message each. All others have tasks of one candidate.")


def main():
    args = arguments()
    block = args.block or max(1, args.end // 2000)
    try:
        with Bench(args.build) as bench:
            summaries = run_all(bench, args.end, block)
    except RunFailed as failure:
        print(f"strategies.py: {failure}", file=sys.stderr)
        return 2
    explain(summaries["TailStealing"], block)
    args.json.write_text(json.dumps({"end": args.end, "block": block, "runs": summaries}, indent=1))
    ratio = (summaries["TailStealing"]["makespanSeconds"]
             / summaries["Interleaved (5,5,1)"]["makespanSeconds"])
    verdict = "holds" if ratio <= MOST_OF_INTERLEAVED else "MISSED"
    print(f"TailStealing / Interleaved (5,5,1): {ratio:.3f}, at most {MOST_OF_INTERLEAVED}: {verdict}")
    return 0 if ratio <= MOST_OF_INTERLEAVED else 1


if __name__ == "__main__":
    sys.exit(main())
