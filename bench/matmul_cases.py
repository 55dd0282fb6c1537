"""Products of matrices on two workers against OpenBLAS and the transport alone, and on five emulated
nodes against one. Rates are measured in the same turn as the products."""

import json
import mmap
import os
import pathlib
import shutil
import time

from evenkeel_runs import manifest, node_list
from figures import Figure

BUDGETS = {2048: (1.6, 1.3), 4096: (1.25, 1.1), 8192: (1.15, 1.05)}  # edge -> must and aim
EDGES = tuple(BUDGETS)
START_SUBTRACTED = {2048}  # edges from whose makespan that of an empty job is subtracted: the start of processes
WORKERS = 2
SINGLE = 4  # bytes of an element


def drawn(rows, columns, seed):
    return {"random": {"rows": rows, "columns": columns, "seed": seed}}


def make_matrix(bench, name, edge, seed, type_name="Float32"):
    """A file of edge x edge numbers: the product of a column and a row."""
    job = manifest(name, {"matmul": {"a": drawn(edge, 1, seed), "b": drawn(1, edge, seed + 1),
                                     "type": type_name, "verify": "None"}})
    process, output = bench.start(job, node_list(1))
    bench.finish(process)
    path = bench.folder / f"{name}-{edge}.npy"
    (output / "c.npy").rename(path)
    shutil.rmtree(output)
    return {"file": str(path)}


def settle(edge):
    """What the run before has written goes to the disk now. And a hypervisor that has taken free
    memory from this machine gives it back now, not page by page in the midst of a product: three
    times what processes and files take."""
    os.sync()
    with mmap.mmap(-1, 12 * edge**2 * SINGLE) as memory:
        for page in range(0, len(memory), mmap.PAGESIZE):
            memory[page] = 1


def rates(bench):
    """What the machine can do: operations a second of all cores and of one, of a worker's tasks, and
    bytes a second of the transport."""
    names = "BM_Kernel<float>/2048|BM_Tile/single/4096|BM_Transport/window:8/refreshAt:4"
    said = bench.tool("matmul_bench", f"--benchmark_filter={names}", "--benchmark_format=json",
                      "--benchmark_min_time=1")
    found = {row["name"]: row for row in json.loads(said)["benchmarks"]}

    def of(start, field):
        return next(row[field] for name, row in found.items() if name.startswith(start))

    return {"all": of("BM_Kernel<float>/2048/real_time/threads:2", "flops"),
            "core": of("BM_Kernel<float>/2048/real_time/threads:1", "flops"),
            "tile": of("BM_Tile/single/4096", "flops"),
            "transport": of("BM_Transport", "bytes_per_second")}


def run_watched(bench, job, nodes):
    """The summary, and the processor time that the coordinator's process used, in seconds."""
    process, output = bench.start(job, nodes)
    stat = pathlib.Path(f"/proc/{process.pid}/stat")
    ticks = 0
    while process.poll() is None:
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
            ticks = int(fields[11]) + int(fields[12])
        except (OSError, IndexError):
            pass
        time.sleep(0.05)
    summary = bench.finish(process)
    shutil.rmtree(output, ignore_errors=True)
    return summary, ticks / 100


def two_workers(bench, repetitions, edges, say):
    """Makespan against what kernels and bytes take at least, by edge."""
    ratios = {edge: [] for edge in edges}
    kernels, starts = [], []
    nothing = manifest("nothing", {"matmul": {"a": drawn(1, 1, 1), "b": drawn(1, 1, 2), "verify": "None"}})
    factors = {edge: [make_matrix(bench, name, edge, seed) for name, seed in (("a", 1), ("b", 3))]
               for edge in edges}
    for repetition in range(repetitions):
        rate = rates(bench)
        kernels.append(rate["tile"] / rate["core"])
        say(f"  {rate['all'] / 1e9:.0f} GFLOP/s on {WORKERS} cores, {rate['tile'] / 1e9:.0f} in tasks on one, "
            f"{rate['transport'] / 1e6:.0f} MB/s")
        starts.append(bench.run(nothing, node_list(WORKERS))["makespanSeconds"])
        for edge in edges:
            a, b = factors[edge]
            job = manifest(f"product-{edge}", {"matmul": {"a": a, "b": b, "memoryPerWorker": "1Gi"}})
            settle(edge)
            summary = bench.run(job, node_list(WORKERS))
            least = 2 * edge**3 / rate["all"] + 3 * edge**2 * SINGLE / rate["transport"]
            start = starts[-1] if edge in START_SUBTRACTED else 0
            ratios[edge].append((summary["makespanSeconds"] - start) / least)
            say(f"  {edge}, {repetition + 1} of {repetitions}: {summary['makespanSeconds']:.3f} s, at least "
                f"{least:.3f} s; an empty job takes {starts[-1]:.3f} s")
    figures = [Figure(f"product of {edge} x {edge} on two workers / (OpenBLAS + bytes)", "x", ratios[edge],
                      *BUDGETS[edge], more_is_better=False,
                      note="makespan: start of the command to the last durable result"
                           + (", without that of an empty job" if edge in START_SUBTRACTED else ""))
               for edge in edges]
    figures.append(Figure("tasks in memory against OpenBLAS", "x", kernels, 0.95, 0.97))
    return figures


def five_nodes(bench, repetitions, type_name, edge, say):
    """Five emulated nodes of a quarter of a core against one, on a whole product. Of whole numbers of 64
    bits, computing and traffic are about in the thesis's ratio; in single precision our kernels are 30
    times faster than the traffic for that."""
    a, b = (make_matrix(bench, name, edge, seed, type_name) for name, seed in (("c", 5), ("d", 7)))
    job = manifest("nodes", {"matmul": {"a": a, "b": b}}, weighting={"mode": "Equal"})
    gains, shares = [], []
    for repetition in range(repetitions):
        one, _ = run_watched(bench, job, node_list(1, 0.25))
        five, busy = run_watched(bench, job, node_list(5, 0.25))
        gains.append(one["makespanSeconds"] / five["makespanSeconds"])
        shares.append(100 * busy / five["makespanSeconds"])
        say(f"  {type_name}, {repetition + 1} of {repetitions}: one {one['makespanSeconds']:.2f} s, five "
            f"{five['makespanSeconds']:.2f} s, coordinator {busy:.2f} s of a core")
    budget = (4.56, 4.9) if type_name == "Int64" else ()
    return [Figure(f"five nodes of 0.25 core against one, {type_name}, {edge}", "x", gains, *budget,
                   note="the thesis: 4.56 with the best pattern"),
            Figure(f"coordinator's CPU with five nodes, {type_name}, {edge}", "%", shares, 88,
                   more_is_better=False, digits=1,
                   note="of a core, finishing included; the thesis: 88 with the best pattern")]


def measure(bench, repetitions, quick, say):
    edges = EDGES[:2] if quick else EDGES
    return (two_workers(bench, repetitions, edges, say)
            + five_nodes(bench, repetitions, "Int64", 2048 if quick else 6144, say)
            + five_nodes(bench, repetitions, "Float32", 4096 if quick else 8192, say))
