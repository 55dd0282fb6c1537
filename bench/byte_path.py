#!/usr/bin/env python3
"""Bytes of input files over mutual TLS on the loopback: gRPC as in production, and a plain TLS stream.

Both ways send the same chunks of 4 MiB from the page cache to clients of the same process type, with the same
certificates, TLS version and cipher. The ways are measured in turn. Exit code 2 if a case could not run.
Python standard library and openssl only."""

import argparse
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

from evenkeel_runs import PROJECT
from figures import Figure, table, write_json
from process_cases import make_certificates

CHUNK = 4 << 20
WAYS = ("grpc", "tls")
NAMES = {"grpc": "gRPC", "tls": "plain TLS stream"}
# OpenSSL then believes that the processor has no instructions for AES-GCM, as that of a Raspberry Pi 4.
WITHOUT_AES = {"OPENSSL_ia32cap": "~0x200000200000000"}
NO_AES = "cache of a worker, no AES instructions"
ORDERS = {"order of OpenSSL": {"SYSTEM_CIPHERS": "1"}, "faster cipher first": {}}
FILLING_A_CACHE = {"grpc": "files", "tls": "tls-files"}


class Server:
    """Answers both ways."""

    def __init__(self, tool, file, certificates, checks, environment):
        self._process = subprocess.Popen([tool, "serve", file, *certificates, checks], text=True, env=environment,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        ports = self._process.stdout.readline().split()
        if len(ports) != 2:
            sys.exit(2)
        self.ports = {"grpc": ports[0], "tls": ports[1], "files": ports[0], "tls-files": ports[1]}

    def cpu_seconds(self):
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()


class Bench:
    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.tool = args.build / "bench" / "byte_path"
        self.file = folder / "input"
        with self.file.open("wb") as file:
            for _ in range(args.chunks):
                file.write(os.urandom(CHUNK))
        self.certificates = make_certificates(folder)
        self.environment = dict(os.environ)

    def serve(self, checks):
        return Server(self.tool, self.file, self.certificates, checks, self.environment)

    def measure(self, server, way, checks, sink, clients=1):
        """MB/s of all clients together, and CPU seconds of clients and server per GB."""
        command = [self.tool, "fetch", way, server.ports[way], self.file, *self.certificates, checks]
        sinks = [sink if sink == "none" else self.folder / f"sink-{n}" for n in range(clients)]
        processes = [subprocess.Popen([*map(str, command), str(sink), str(self.args.rounds)], text=True,
                                      env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                     for sink in sinks]
        for process in processes:
            if process.stdout.readline() != "ready\n":
                sys.exit(2)
        before, begin = server.cpu_seconds(), time.monotonic()
        for process in processes:
            process.stdin.write("\n")
            process.stdin.flush()
        answers = [process.stdout.readline().split() for process in processes]
        seconds = time.monotonic() - begin
        cpu = server.cpu_seconds() - before + sum(float(answer[1]) for answer in answers)
        if any(process.wait() != 0 for process in processes):
            sys.exit(2)
        for name in sinks:
            if name != "none":
                name.unlink() if name.is_file() else shutil.rmtree(name, ignore_errors=True)
        size = CHUNK * self.args.chunks * self.args.rounds * clients
        return size / seconds / 1e6, cpu / (size / 1e9)

    def ciphers(self, server):
        """The version and cipher that each port negotiates with a client that offers all of OpenSSL's."""
        return {way: subprocess.run([self.tool, "cipher", server.ports[way], *self.certificates], text=True,
                                    capture_output=True, check=True).stdout.strip() for way in WAYS}


def pair_figures(case, found):
    """Figures of both ways, and their ratios within a turn."""
    figures = []
    for way in WAYS:
        figures.append(Figure(f"{case}: {NAMES[way]}", "MB/s", [rate for rate, _ in found[way]], digits=0))
        figures.append(Figure(f"{case}: {NAMES[way]}, CPU", "s/GB", [cpu for _, cpu in found[way]],
                              more_is_better=False, digits=2))
    turns = list(zip(found["grpc"], found["tls"]))
    figures.append(Figure(f"{case}: plain / gRPC, rate", "ratio", [tls[0] / grpc[0] for grpc, tls in turns]))
    figures.append(Figure(f"{case}: plain / gRPC, CPU", "ratio", [tls[1] / grpc[1] for grpc, tls in turns],
                          more_is_better=False))
    return figures


def without_aes(bench, repetitions):
    """The cache of a worker, where processors have no instructions for AES: by the order of ciphers."""
    found = {order: [] for order in ORDERS}
    before = bench.environment
    for turn in range(repetitions):
        for order, setting in ORDERS.items() if turn % 2 == 0 else reversed(ORDERS.items()):
            bench.environment = {**before, **WITHOUT_AES, **setting}
            with bench.serve("sha256") as server:
                found[order].append(bench.measure(server, "files", "sha256", "folder"))
    bench.environment = before
    figures = []
    for order, rows in found.items():
        figures.append(Figure(f"{NO_AES}: {order}", "MB/s", [rate for rate, _ in rows], digits=0))
        figures.append(Figure(f"{NO_AES}: {order}, CPU", "s/GB", [cpu for _, cpu in rows], more_is_better=False,
                              digits=2))
    old, new = found.values()
    figures.append(Figure(f"{NO_AES}: gain in rate", "ratio", [b[0] / a[0] for a, b in zip(old, new)]))
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--repetitions", default=7, type=int)
    parser.add_argument("--chunks", default=64, type=int, help="chunks of 4 MiB in the file")
    parser.add_argument("--rounds", default=4, type=int, help="how often each client fetches the file")
    parser.add_argument("--only", default="", help="only the cases that have this text in their name")
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    args = parser.parse_args()
    load = os.getloadavg()[0]
    if load > 0.5 * os.cpu_count():
        print(f"note: the machine is busy (load {load:.1f}): figures will be too low", file=sys.stderr)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="evenkeel-bench-"))
    try:
        figures, ciphers = measure_all(Bench(args, folder), args.repetitions)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(table(figures))
    print("\n".join(f"{NAMES[way]}: {cipher}" for way, cipher in ciphers.items()))
    if args.json:
        write_json(args.json, figures, loadBefore=load, cores=os.cpu_count(), ciphers=ciphers)
    return 0


def measure_all(bench, repetitions):
    all_cases = {  # (checks, sink, clients); a folder is that of a worker's cache
        "transport alone": ("none", "none", 1),
        "transport alone, 3 clients": ("none", "none", 3),
        "with file": ("none", "file", 1),
        "with digests and file": ("sha256", "file", 1),
        "with digests and file, 3 clients": ("sha256", "file", 3),
        "cache of a worker": ("sha256", "folder", 1),
    }
    cases = {case: how for case, how in all_cases.items() if bench.args.only in case}
    found = {case: {way: [] for way in WAYS} for case in cases}
    crypto = []
    with bench.serve("none") as unchecked, bench.serve("sha256") as checked:
        ciphers = bench.ciphers(checked)
        servers = {"none": unchecked, "sha256": checked}
        for turn in range(repetitions):
            crypto.append(json.loads(subprocess.run([bench.tool, "crypto"], capture_output=True, text=True,
                                                    check=True).stdout))
            for case, (checks, sink, clients) in cases.items():
                # Which comes first changes from turn to turn.
                for way in WAYS if turn % 2 == 0 else reversed(WAYS):
                    how = FILLING_A_CACHE[way] if sink == "folder" else way
                    found[case][way].append(bench.measure(servers[checks], how, checks, sink, clients))
                print(f"turn {turn + 1} of {repetitions}, {case}: " + ", ".join(
                    f"{NAMES[way]} {found[case][way][-1][0]:.0f} MB/s" for way in WAYS), file=sys.stderr)
    figures = [figure for case in cases for figure in pair_figures(case, found[case])]
    if platform.machine() == "x86_64" and bench.args.only in NO_AES:
        figures += without_aes(bench, repetitions)
    for what, name in (("encrypt", "AES-256-GCM, encrypting"), ("decrypt", "AES-256-GCM, decrypting"),
                       ("sha256", "SHA-256"), ("copy", "copying 4 MiB")):
        figures.append(Figure(f"one core: {name}", "MB/s", [rates[what] for rates in crypto], digits=0))
        figures.append(Figure(f"one core: {name}, CPU", "s/GB", [1e3 / rates[what] for rates in crypto],
                              more_is_better=False, digits=2))
    return figures, ciphers


if __name__ == "__main__":
    sys.exit(main())
