"""What Melesio (2024) measured, on ours: CPU of communication at the thesis's ratio of computing to
traffic, queue length and threshold, and size of blocks."""

import pathlib
import shutil
import time

from evenkeel_runs import manifest, node_list
from figures import Figure
from matmul_cases import make_matrix
from process_cases import only_child

# The thesis: 41.18 MB/s to a Pi and 20.93 MB/s from it, four cores at work.
THESIS_RATIO = (41.18e6 + 20.93e6) / 4
# A product of whole numbers of this edge, whose kernel is slow enough, moves about as many bytes for each
# second of a core.
COMMUNICATION_EDGE = 4096
WINDOWS = ((1, 0), (2, 0), (4, 2), (8, 0), (8, 4), (16, 4), (40, 4))
BLOCKS = (128, 256, 512, 1024)
BLOCKS_EDGE = 4096


def thread_seconds(pid):
    """CPU seconds of each thread of a process."""
    found = {}
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            found[thread.name] = int((thread / "schedstat").read_text().split()[0]) / 1e9
        except OSError:  # it has ended
            pass
    return found


def watched(bench, job):
    """The summary of a run with one worker of one thread, and what that worker's threads used."""
    process, output = bench.start(job, node_list(1, 1.0))
    used, worker = {}, None
    while process.poll() is None:
        try:
            worker = worker or only_child(process.pid)
            used.update(thread_seconds(worker))
        except Exception:  # not there yet, or no longer
            pass
        time.sleep(0.02)
    summary = bench.finish(process)
    shutil.rmtree(output, ignore_errors=True)
    return summary, used


def communication(bench, repetitions, edge, say):
    """The share of a worker's CPU that is not its compute thread's."""
    a, b = (make_matrix(bench, name, edge, seed, "Int64") for name, seed in (("e", 9), ("f", 11)))
    job = manifest("ratio", {"matmul": {"a": a, "b": b, "memoryPerWorker": "1Gi"}})
    shares, ratios = [], []
    for repetition in range(repetitions):
        summary, used = watched(bench, job)
        computing, all_of_it = max(used.values()), sum(used.values())
        moved = summary["bytesSent"] + summary["bytesReceived"]
        ratios.append(moved / computing / 1e6)
        # The CPU time of communication is proportional to the bytes.
        shares.append(100 * (all_of_it - computing) / all_of_it * THESIS_RATIO / (moved / computing))
        say(f"  {repetition + 1} of {repetitions}: {ratios[-1]:.1f} MB for a second of computing, "
            f"{100 * (all_of_it - computing) / all_of_it:.2f} % of CPU for communication")
    return [Figure("worker's CPU for communication at the thesis's ratio", "%", shares, 3.3, 1,
                   more_is_better=False, digits=2,
                   note=f"{THESIS_RATIO / 1e6:.1f} MB for a second of computing, from one of "
                        f"{ratios[-1]:.1f}; the thesis: 3.28 to 3.48")]


def in_blocks(bench, matrices, block, window, refresh_at):
    """Seconds that a product in blocks takes of which nothing is kept, on one worker."""
    job = manifest("blocks", {"matmul": {
        "a": matrices[0], "b": matrices[1], "verify": "None",
        "aggregation": {"pattern": "None", "block": block},
        "transfer": {"window": window, "refreshAt": refresh_at, "betweenWorkers": "Disabled"}}})
    return bench.run(job, node_list(1, 1.0))["makespanSeconds"]


def queues_and_blocks(bench, repetitions, edge, say):
    """Seconds by window and threshold, and by the edge of a block; variants in turn."""
    matrices = [make_matrix(bench, name, edge, seed) for name, seed in (("g", 13), ("h", 15))]
    variants = {f"window {window}, refreshAt {refresh_at}, blocks of 512": (512, window, refresh_at)
                for window, refresh_at in WINDOWS}
    variants.update({f"blocks of {block}, window 8, refreshAt 4": (block, 8, 4) for block in BLOCKS})
    seconds = {name: [] for name in variants}
    for repetition in range(repetitions):
        for name, variant in variants.items():
            seconds[name].append(in_blocks(bench, matrices, *variant))
            say(f"  {repetition + 1} of {repetitions}, {name}: {seconds[name][-1]:.2f} s")
    return [Figure(f"product of {edge} in blocks, nothing kept: {name}", "s", times, more_is_better=False,
                   digits=2) for name, times in seconds.items()]


def measure(bench, repetitions, quick, say):
    return (communication(bench, repetitions, COMMUNICATION_EDGE // (2 if quick else 1), say)
            + queues_and_blocks(bench, repetitions, BLOCKS_EDGE // (2 if quick else 1), say))
