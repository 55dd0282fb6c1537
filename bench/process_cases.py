"""Costs of the processes: tasks per second, CPU outside of tasks, memory with many workers."""

import json
import pathlib
import statistics
import subprocess
import time

from evenkeel_runs import RunFailed, manifest, node_list
from figures import Figure

EQUAL = {"mode": "Equal"}


def small_tasks(bench, repetitions, tasks, say):
    """Tasks that only return 16 bytes, on 8 workers."""
    job = manifest("small-tasks", {"synthetic": {"tasks": tasks, "mode": "None"}}, weighting=EQUAL)
    rates = []
    for repetition in range(repetitions):
        process, output = bench.start(job, node_list(8))
        summary = bench.finish(process)
        check_readable(output, summary, tasks)
        rates.append(tasks / summary["makespanSeconds"])
        say(f"  small tasks, {repetition + 1} of {repetitions}: {rates[-1]:,.0f}/s")
    return [Figure("tasks of 16 bytes, 8 workers, journaled", "tasks/s", rates, 5e6,
                   note=f"{tasks:,} tasks; start of the processes included", digits=0)]


def check_readable(output, summary, tasks):
    """Checks that the reducer has read every result from the journal, and written it."""
    if summary["result"]["tasks"] != tasks:
        raise RunFailed(f"{summary['result']['tasks']} results of {tasks} tasks")
    with (output / "results.npy").open("rb") as file:
        header = file.read(128)
        if f"({tasks},2" not in header.decode("latin-1").replace(" ", ""):
            raise RunFailed("results.npy has another shape")
        for index in (0, tasks // 2, tasks - 1):
            file.seek(128 + 16 * index)
            if int.from_bytes(file.read(8), "little") != index:
                raise RunFailed(f"results.npy: row {index} is another task's")


def worker_cpu(bench, repetitions, seconds, say):
    """CPU of a worker whose tasks sleep for 10 ms, as a fraction of the time."""
    workload = {"synthetic": {"tasks": int(seconds * 100), "cost": {"constant": 0.01}, "mode": "Sleep",
                              "costsKnown": False}}
    samples = []
    for repetition in range(repetitions):
        process, _ = bench.start(manifest("short-tasks", workload, weighting=EQUAL), node_list(1, 1.0))
        time.sleep(1.0)
        worker = only_child(process.pid)
        first, begin = cpu_seconds(worker), time.monotonic()
        time.sleep(seconds - 2.0)
        last, end = cpu_seconds(worker), time.monotonic()
        bench.finish(process)
        samples.append(100 * (last - first) / (end - begin))
        say(f"  worker's CPU, {repetition + 1} of {repetitions}: {samples[-1]:.2f} %")
    return [Figure("worker: CPU outside of tasks, 10 ms tasks", "%", samples, 0.9, 0.5,
                   more_is_better=False, digits=2, note="the sleeping tasks' own system calls included")]


def only_child(parent):
    children = pathlib.Path(f"/proc/{parent}/task/{parent}/children")
    if children.exists():
        found = [int(child) for child in children.read_text().split()]
    else:
        found = [int(folder.name) for folder in pathlib.Path("/proc").glob("[0-9]*")
                 if parent_of(folder) == parent]
    if len(found) != 1:
        raise RunFailed(f"one worker was expected, there are {len(found)}")
    return found[0]


def parent_of(folder):
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it has ended
        return None


def cpu_seconds(pid):
    """CPU time of all threads of a process, from the scheduler's nanoseconds."""
    nanoseconds = 0
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        nanoseconds += int((thread / "schedstat").read_text().split()[0])
    return nanoseconds / 1e9


def memory_over_tls(bench, workers, seconds, say):
    """Resident memory of a coordinator process with busy workers on mutual TLS, and of an empty one."""
    certificates = make_certificates(bench.folder)
    folder = bench.folder / "many-streams"
    folder.mkdir()
    tool = str(bench.tools / "many_streams")
    server = subprocess.Popen([tool, "serve", folder, *certificates, str(workers)], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    port = server.stdout.readline().split()[1]
    empty = resident_mebibytes(server.pid)
    with subprocess.Popen([tool, "work", f"127.0.0.1:{port}", *certificates, str(workers)]) as clients:
        try:
            joined = await_workers(server, workers, deadline=time.monotonic() + 120)
            samples = []
            for _ in range(seconds):
                server.stdout.readline()
                samples.append(resident_mebibytes(server.pid))
        finally:
            server.stdin.close()
            server.stdout.read()
            server.wait()
            clients.kill()
    say(f"  {joined} workers on mutual TLS: {max(samples):.0f} MiB, without any {empty:.0f} MiB")
    return [Figure(f"coordinator process, {joined:,} workers on mutual TLS", "MiB", samples, 150, 120,
                   more_is_better=False, digits=1,
                   note=f"resident, second by second; {empty:.0f} MiB before the first came")]


def await_workers(server, workers, deadline):
    joined = 0
    for line in server.stdout:
        joined = int(line.split()[1])
        if joined >= workers:
            return joined
        if time.monotonic() > deadline:
            raise RunFailed(f"{joined} of {workers} workers have come")
    raise RunFailed("the coordinator ended early")


def resident_mebibytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RunFailed("the process is gone")


def make_certificates(folder):
    """A CA and one identity for both ends, by openssl. Returns the files of CA, certificate, key."""
    def openssl(*arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)

    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    ca, ca_key, key = folder / "ca.pem", folder / "ca.key", folder / "key.pem"
    request, certificate, names = folder / "request.pem", folder / "cert.pem", folder / "names.cnf"
    names.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl("req", "-x509", *curve, "-keyout", ca_key, "-out", ca, "-days", 2, "-subj", "/CN=bench CA")
    openssl("req", *curve, "-keyout", key, "-out", request, "-subj", "/CN=bench")
    openssl("x509", "-req", "-in", request, "-CA", ca, "-CAkey", ca_key, "-CAcreateserial", "-out",
            certificate, "-days", 2, "-extfile", names)
    return ca, certificate, key


def coordinator_state(bench, repetitions, say):
    """Memory of the state machine and time of its decisions, without transport."""
    runs = [json.loads(bench.tool("coordinator_bench")) for _ in range(repetitions)]
    moves = [run["microsecondsPerMove"] for run in runs]
    say(f"  decisions: {statistics.median(moves):.2f} us a move")
    return [
        Figure("coordinator state, 1,000 workers, 10,000,000 tasks", "MiB",
               [run["stateMebibytes"] for run in runs], 4, 2, more_is_better=False, digits=2),
        Figure("decision time per move, 10,000 workers", "us", moves, 5, 4, more_is_better=False,
               digits=2, note=f"{runs[0]['moves']:,} moves; counting the report that led to it included"),
        Figure("the same per report", "us", [run["microsecondsPerReport"] for run in runs],
               more_is_better=False, digits=2, note=f"{runs[0]['reports']:,} reports"),
    ]
