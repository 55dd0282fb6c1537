"""Nodes behind links of their own on one machine: network namespaces, joined to the machine's by pairs
of virtual interfaces whose rate is shaped both ways, and the programs of a cluster in them.

For Linux as root, with iproute2 (ip, tc). Python standard library and openssl only.
"""

import dataclasses
import json
import os
import pathlib
import shutil
import socket
import statistics
import subprocess
import sys
import time

JOB = "links"  # what jobs are called: the names in certificates follow from it
TOKEN = "0123456789abcdef0123456789abcdef"
QUEUE = ("burst", "32k", "latency", "400ms")


@dataclasses.dataclass(frozen=True)
class LinkedNode:
    """`megabits` of its link a second; None: it is the central node. `share` of a core it has."""

    name: str
    megabits: float | None
    share: float


class LinksFailed(Exception):
    """A command failed; the text has the command and its error message."""


def call(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise LinksFailed(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return done.stdout


def unavailable():
    """Why links cannot be shaped on this machine; empty if they can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in ("ip", "tc", "openssl"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    try:
        with Links([LinkedNode("probe", 10, 1)]):
            return ""
    except LinksFailed as failure:
        return f"links cannot be shaped here: {failure}"


def exit_if_unavailable():
    """Ends the program with exit code 77 and the reason if links cannot be shaped on this machine."""
    if why := unavailable():
        print(why, file=sys.stderr)
        sys.exit(77)


class Links:
    """A namespace and a shaped link for each node but the central one; gone at the end."""

    def __init__(self, nodes):
        self.nodes = [node for node in nodes if node.megabits is not None]
        self._made = []

    def __enter__(self):
        try:
            for number, node in enumerate(self.nodes):
                self._make(number, node)
        except LinksFailed:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for space, near in self._made:
            subprocess.run(["ip", "link", "delete", near], capture_output=True, check=False)
            subprocess.run(["ip", "netns", "delete", space], capture_output=True, check=False)
        self._made = []

    def space(self, node):
        return f"ek{os.getpid()}-{self.nodes.index(node)}"

    def address(self, node):
        """Address of the coordinator from the network of the node."""
        return "127.0.0.1" if node.megabits is None else self._network(self.nodes.index(node)) + ".1"

    def node_address(self, node):
        """Address of the node, which has a link, from the central one."""
        return self._network(self.nodes.index(node)) + ".2"

    def sent_bytes(self):
        """Bytes that the central node has sent over all links, with the headers of all layers."""
        return sum(int(pathlib.Path(f"/sys/class/net/{near}/statistics/tx_bytes").read_text())
                   for _, near in self._made)

    @staticmethod
    def _network(number):
        return f"10.{200 + os.getpid() % 50}.{number}"

    def _make(self, number, node):
        space, near, far = self.space(node), f"ekn{os.getpid()}-{number}", f"ekf{os.getpid()}-{number}"
        call("ip", "netns", "add", space)
        self._made.append((space, near))
        call("ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", space)
        call("ip", "address", "add", self._network(number) + ".1/24", "dev", near)
        call("ip", "link", "set", near, "up")
        inside = ("ip", "netns", "exec", space)
        call(*inside, "ip", "address", "add", self._network(number) + ".2/24", "dev", far)
        call(*inside, "ip", "link", "set", far, "up")
        call(*inside, "ip", "link", "set", "lo", "up")
        shape = ("root", "tbf", "rate", f"{node.megabits}mbit", *QUEUE)
        call("tc", "qdisc", "add", "dev", near, *shape)
        call(*inside, "tc", "qdisc", "add", "dev", far, *shape)


class Authority:
    """A CA in `folder`, by openssl."""

    CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")

    def __init__(self, folder):
        self._folder = folder
        self._ca, self._key = folder / "ca.pem", folder / "ca.key"
        call("openssl", "req", "-x509", *self.CURVE, "-keyout", self._key, "-out", self._ca, "-days", 2,
             "-subj", "/CN=links")

    def issue(self, name, alternatives):
        """Command line options that name the files of CA, certificate and key."""
        key, request, certificate, names = (self._folder / f"{name}.{end}"
                                            for end in ("key", "csr", "pem", "cnf"))
        names.write_text(f"subjectAltName={','.join(alternatives)}\n"
                         "extendedKeyUsage=serverAuth,clientAuth\n")
        call("openssl", "req", *self.CURVE, "-keyout", key, "-out", request, "-subj", "/CN=" + name)
        call("openssl", "x509", "-req", "-in", request, "-CA", self._ca, "-CAkey", self._key,
             "-CAcreateserial", "-out", certificate, "-days", 2, "-extfile", names)
        return ["--tls-ca", self._ca, "--tls-cert", certificate, "--tls-key", key]


def free_port():
    with socket.create_server(("0.0.0.0", 0)) as found:
        return found.getsockname()[1]


class LinkedCluster:
    """Runs jobs by evenkeel-coordinator, in the machine's own namespace, and an evenkeel-worker on each
    node. `programs` is their folder, `folder` one that may be filled; tasks find their input files there."""

    def __init__(self, programs, folder, nodes):
        self.programs, self.folder, self.nodes = pathlib.Path(programs), pathlib.Path(folder), nodes
        self.links = Links(nodes)
        self._runs = 0

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        addresses = sorted({self.links.address(node) for node in self.nodes} | {"127.0.0.1"})
        authority = Authority(self.folder)
        self._coordinator_tls = authority.issue("coordinator", [
            "DNS:localhost", f"DNS:{JOB}-coordinator", *(f"IP:{each}" for each in addresses)])
        uri = f"URI:spiffe://evenkeel.dev/ns/default/wj/{JOB}/pod/{{0}}/node/{{0}}"
        self._worker_tls = {node.name: authority.issue(
            "worker-" + node.name, [f"DNS:{JOB}-worker", uri.format(node.name)]) for node in self.nodes}
        (self.folder / "token").write_text(TOKEN + "\n")
        self.links.__enter__()
        return self

    def __exit__(self, *_):
        self.links.__exit__()

    def _start(self, command, log):
        with (self.folder / log).open("w") as said:
            return subprocess.Popen([*map(str, command)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                    stdout=said, stderr=said)

    def _worker(self, node, workload, port, log):
        command = [self.programs / "evenkeel-worker", "--coordinator",
                   f"{self.links.address(node)}:{port}", "--node", node.name, "--workload", workload,
                   "--threads", 1, "--duty-cycle", node.share, "--give-up-after", 60,
                   *self._worker_tls[node.name]]
        if workload == "command":
            own = self.folder / f"{node.name}-{self._runs}"  # of one run: caches begin empty
            command += ["--file-cache", own / "cache", "--task-folder", own / "tasks", "--peer-name",
                        f"{JOB}-worker"]
        if node.megabits is not None:
            command = ["ip", "netns", "exec", self.links.space(node), *command]
        return self._start(command, log)

    def run(self, job, patience=600):
        """Runs the job to its end and returns the folder of its results."""
        self._runs += 1
        output = self.folder / f"run-{self._runs}"
        output.mkdir()
        (self.folder / "job.json").write_text(json.dumps(job))
        (self.folder / "nodes.json").write_text(
            json.dumps([{"name": node.name, "ratio": 1, "weight": 1} for node in self.nodes]))
        port = free_port()
        command = [self.programs / "evenkeel-coordinator", "--job", "job.json", "--nodes", "nodes.json",
                   "--folder", output, *self._coordinator_tls, "--control-token-file", "token",
                   "--namespace", "default", "--inputs", self.folder, "--listen", f"0.0.0.0:{port}"]
        for listener in ("health", "control", "pages"):
            command += [f"--{listener}-listen", "127.0.0.1:0"]
        workload = next(iter(job["spec"]["workload"]))
        started = [self._start(command, f"coordinator-{self._runs}.log")]
        started += [self._worker(node, workload, port, f"{node.name}-{self._runs}.log")
                    for node in self.nodes]
        try:
            self._await_end(started, output, patience)
        finally:
            for each in started:
                each.terminate()
            for each in started:
                each.wait()
        return output

    def _await_end(self, started, output, patience):
        end = time.monotonic() + patience
        left_last = output / "metrics.prom"  # behind summary and report
        while not left_last.exists() or any(each.poll() is None for each in started[1:]):
            if started[0].poll() is not None or time.monotonic() > end:
                said = (self.folder / f"coordinator-{self._runs}.log").read_text()
                raise LinksFailed("the job did not end: " + said[-2000:])
            time.sleep(0.05)


def rounds(output):
    """Of every round but the last, by node: (t_exe in seconds, tasks). timeline.jsonl says when a round
    began and when the results of each range were there."""
    rows = [json.loads(line) for line in (output / "timeline.jsonl").read_text().splitlines()]
    stages = [(row["start"], row["end"]) for row in rows if row.get("kind") == "stage"]
    table = []
    for begin, end in sorted(stages)[:-1]:
        of_round = {}
        for row in rows:
            if "range" in row and begin <= row["start"] < end:
                last, tasks = of_round.get(row["worker"], (0, 0))
                first, behind = row["range"]
                of_round[row["worker"]] = (max(last, row["end"] - begin), tasks + behind - first)
        table.append(of_round)
    return table


def spread(of_round):
    """Standard deviation of t_exe over the nodes, as a share of its mean."""
    times = [seconds for seconds, _ in of_round.values()]
    return statistics.pstdev(times) / statistics.mean(times)
