#!/usr/bin/env python3
"""Tasks with a file each over links of 100, 10 and 2 Mbit/s: docs/benchmarks.md. Beside the default strategy,
AdaptiveIterative, and GNU parallel over ssh on the same nodes.

Tasks sleep instead of computing, so that the machine's own cores do not matter.

Exit code 77 if links cannot be shaped here. Needs root, iproute2 and openssl; for GNU parallel also sshd and rsync."""

import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import shaped_links
from evenkeel_runs import PROJECT, manifest
from figures import Figure, write_json
from shaped_links import JOB, LinkedCluster, LinkedNode

NODES = (LinkedNode("pi4-a", 100, 1), LinkedNode("pi4-b", 100, 1), LinkedNode("pi3", 10, 1),
         LinkedNode("zero", 2, 1))
FILE_BYTES = 4_000_000
SECONDS = (0.2, 2.0)  # of computing, drawn evenly
PAYLOAD = 1448 / 1538  # of what a link carries: the rest are headers of TCP, IP and Ethernet, and gaps
COMMAND = ["/bin/sh", "-ec", 'sleep "${1#*_}"; head -c 64 "$1" > sum', "sh", "{}"]
VARIANTS = {"TailStealing": {"strategy": "TailStealing"},
            "AdaptiveIterative": {"strategy": "AdaptiveIterative", "adaptiveIterative": {"rounds": 8}}}
PARALLEL = "GNU parallel"
MUST = 1.05  # x the bound


def draw_tasks(folder, count):
    """Writes the files and returns their names, NUMBER_SECONDS."""
    draw = random.Random(19)
    names = [f"{number}_{draw.uniform(*SECONDS):.3f}" for number in range(count)]
    for name in names:
        (folder / name).write_bytes(draw.randbytes(FILE_BYTES))
    return names


def seconds_of(name):
    return float(name.split("_")[1])


def shortest(names, nodes):
    """Seconds below which no schedule can end that does not know which tasks take long: a node gets tasks of the mean
    time. The least T for which all tasks, divided at will, fit into T seconds of computing and T seconds of its link
    on each node. This linear program has one variable for each node, all in one constraint."""
    mean = sum(map(seconds_of, names)) / len(names)
    rates = [1 / max(mean, FILE_BYTES / (node.megabits * 1e6 / 8 * PAYLOAD)) for node in nodes]
    return len(names) / sum(rates)


def shortest_with_foresight(names, nodes):
    """Seconds below which no schedule can end, whatever it knows: the least T for which tasks, which may be divided,
    fit into T seconds of computing and T seconds of its link on each node, both at the same time.

    Nodes whose link limits them take the longest tasks, because all files have one size. Exact to within a task for
    each node, because such a node takes whole tasks here."""
    times = sorted(map(seconds_of, names), reverse=True)

    def fits(limit):
        left, taken = 0.0, 0
        for node in sorted(nodes, key=lambda each: each.megabits):
            most = limit * node.megabits * 1e6 / 8 * PAYLOAD / FILE_BYTES  # files over its link
            own = times[taken:taken + int(most)]
            if sum(own) <= limit:
                taken += len(own)
            else:
                left += limit  # its computing limits it: any of the other tasks
        return sum(times[taken:]) <= left or taken == len(times)

    low, high = 0.0, 1e6
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


def run_ours(cluster, names, variant):
    """(seconds, bytes sent by the central node)."""
    job = manifest(JOB, {"command": {"command": COMMAND, "arguments": names, "inputs": ["{}"], "outputs": ["sum"]}},
                   balancing=VARIANTS[variant])
    sent = cluster.links.sent_bytes()
    begun = time.monotonic()
    output = cluster.run(job, patience=3600)
    seconds = time.monotonic() - begun
    stored = {int(path.parent.name): path.read_bytes() for path in output.glob("files/*/sum")}
    right = {index: (cluster.folder / name).read_bytes()[:64] for index, name in enumerate(names)}
    if stored != right:
        raise SystemExit(f"{variant}: {len(stored)} of {len(right)} output files are there and right")
    return seconds, cluster.links.sent_bytes() - sent


class SshNodes:
    """An sshd in the namespace of each node, and a configuration of ssh by which to find them, in an empty folder."""

    def __init__(self, links, folder):
        self._links, self._folder, self._servers = links, folder, []

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self):
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        for key in ("host", "user"):
            shaped_links.call("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self._folder / key)
        entries = []
        for node in self._links.nodes:
            server = self._folder / f"{node.name}.sshd"
            server.write_text(
                f"ListenAddress {self._links.node_address(node)}\nHostKey {self._folder}/host\nUsePAM no\n"
                f"AuthorizedKeysFile {self._folder}/user.pub\nStrictModes no\nPidFile none\n"
                "PermitRootLogin prohibit-password\nMaxStartups 100\n")
            self._servers.append(subprocess.Popen(
                ["ip", "netns", "exec", self._links.space(node), "/usr/sbin/sshd", "-D", "-f", server],
                stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            entries.append(f"Host {node.name}\nHostName {self._links.node_address(node)}\n")
        self.configuration = self._folder / "ssh.config"
        self.configuration.write_text("".join(entries) + (
            f"Host *\nUser root\nIdentityFile {self._folder}/user\nStrictHostKeyChecking no\nLogLevel ERROR\n"
            "UserKnownHostsFile /dev/null\n"))
        for node in self._links.nodes:
            self._await(node)

    def _await(self, node):
        for _ in range(100):
            done = subprocess.run(["ssh", "-F", self.configuration, node.name, "true"], check=False,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if done.returncode == 0:
                return
            time.sleep(0.1)
        raise SystemExit(f"no ssh to {node.name}: {done.stderr}")

    def __exit__(self, *_):
        for server in self._servers:
            server.terminate()
            server.wait()


def run_parallel(cluster, names):
    """Seconds and bytes sent, with a copy of each file to the node and one of its output back."""
    folder = cluster.folder
    for name in names:
        (folder / f"{name}.sum").unlink(missing_ok=True)  # of an earlier run
    with tempfile.TemporaryDirectory(prefix="evenkeel-ssh-") as keys, \
            SshNodes(cluster.links, pathlib.Path(keys)) as ssh:
        sent = cluster.links.sent_bytes()
        begun = time.monotonic()
        done = subprocess.run(
            ["parallel", "--will-cite", "--ssh", f"ssh -F {ssh.configuration}", "-S",
             ",".join(f"1/{node.name}" for node in cluster.nodes), "--workdir", "...", "--transferfile", "{}",
             "--return", "{}.sum", "--cleanup", "f={}; sleep ${f#*_}; head -c 64 {} > {}.sum", ":::", *names],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            env={**os.environ, "PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0"})
        seconds = time.monotonic() - begun
    wrong = [name for name in names
             if not (folder / f"{name}.sum").exists()
             or (folder / f"{name}.sum").read_bytes() != (folder / name).read_bytes()[:64]]
    if done.returncode != 0 or wrong:
        raise SystemExit(f"{PARALLEL}: exit code {done.returncode}, {len(wrong)} outputs are missing or wrong: "
                         + done.stderr[-2000:])
    return seconds, cluster.links.sent_bytes() - sent


def missing_for_parallel():
    return [name for name in ("parallel", "/usr/sbin/sshd", "ssh", "rsync") if shutil.which(name) is None]


def measure(cluster, names, repetitions, systems):
    """Runs the systems, strategies or GNU parallel, in turn. Prints the table and returns its figures."""
    def say(line):
        print(line, flush=True)
    bound = shortest(names, cluster.nodes)
    unique = len(names) * FILE_BYTES
    foresight = shortest_with_foresight(names, cluster.nodes)
    say(f"{len(names)} tasks with {FILE_BYTES / 1e6:g} MB each; the shortest time possible is {bound:.1f} s, and "
        f"{foresight:.1f} s for a scheduler that knows beforehand how long each task takes")
    say("| | s | x bound | bytes sent / unique bytes |")
    say("|---|---|---|---|")
    missing = missing_for_parallel()
    if PARALLEL in systems and missing:
        say(f"{PARALLEL} is left out: {', '.join(missing)} is missing")
        systems = [name for name in systems if name != PARALLEL]
    samples = {name: [] for name in systems}
    for _ in range(repetitions):
        for name in systems:
            run = run_parallel(cluster, names) if name == PARALLEL else run_ours(cluster, names, name)
            samples[name].append(run)
    figures = []
    for name, values in samples.items():
        seconds = [value[0] for value in values]
        copies = [value[1] / unique for value in values]
        say(f"| {name} | {statistics.median(seconds):.1f} | {statistics.median(seconds) / bound:.3f} "
            f"| {statistics.median(copies):.3f} |")
        must = MUST if name == "TailStealing" else None
        figures.append(Figure(f"files over shaped links, {name}", "x bound", [each / bound for each in seconds],
                              must=must, more_is_better=False))
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=PROJECT / "build" / "release", type=pathlib.Path)
    parser.add_argument("--tasks", default=500, type=int)
    parser.add_argument("--repetitions", default=1, type=int)
    parser.add_argument("--only", choices=[*VARIANTS, PARALLEL], help="one of them alone")
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    args = parser.parse_args()
    shaped_links.exit_if_unavailable()
    with tempfile.TemporaryDirectory(prefix="evenkeel-links-") as folder, \
            LinkedCluster(args.build.resolve() / "bin", folder, NODES) as cluster:
        names = draw_tasks(cluster.folder, args.tasks)
        figures = measure(cluster, names, args.repetitions, [args.only] if args.only else [*VARIANTS, PARALLEL])
    if args.json:
        write_json(args.json, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
