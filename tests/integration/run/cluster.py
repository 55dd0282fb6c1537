"""A coordinator and its workers as they run in a cluster, but as processes of this machine.

EVENKEEL_COORDINATOR names the program; evenkeel-worker stands beside it. ctest sets it.
"""

import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import ssl
import subprocess
import tempfile

from evenkeel import PATIENCE, WORKER_NAME, RunTest, eventually

COORDINATOR = os.environ["EVENKEEL_COORDINATOR"]
WORKER = pathlib.Path(COORDINATOR).parent / WORKER_NAME
TOKEN = "0123456789abcdef0123456789abcdef"
LISTENERS = range(12000, 32000)  # below the ports of outgoing connections


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def free_ports(count):
    """Returns ports that are free, also when a program listens again after a restart: no outgoing
    connection takes them."""
    sockets = []
    for port in random.sample(LISTENERS, len(LISTENERS)):
        if len(sockets) == count:
            break
        try:
            sockets.append(socket.create_server(("127.0.0.1", port)))
        except OSError:
            continue  # in use
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Identity:
    """Files of one side: whom it trusts and who it is."""

    def __init__(self, ca, cert, key):
        self.ca, self.cert, self.key = ca, cert, key

    def options(self):
        return ["--tls-ca", self.ca, "--tls-cert", self.cert, "--tls-key", self.key]


class Authority:
    """A certificate authority of one test."""

    KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.ca = folder / "ca.crt"
        openssl("req", "-x509", *self.KEY, "-keyout", folder / "ca.key", "-out", self.ca,
                "-days", 2, "-subj", "/CN=test authority")

    def issue(self, name, usage, *more_names, file=None):
        """`more_names` are DNS names, or URIs with their scheme; `file` names the files."""
        file = file or name
        key, request, cert = (self.folder / (file + end) for end in (".key", ".csr", ".crt"))
        extensions = self.folder / (file + ".ext")
        names = ",".join(("URI:" if "://" in each else "DNS:") + each
                         for each in (name, *more_names))
        extensions.write_text(f"subjectAltName={names}\nextendedKeyUsage={usage}\n")
        openssl("req", *self.KEY, "-keyout", key, "-out", request, "-subj", "/CN=" + name)
        openssl("x509", "-req", "-in", request, "-CA", self.ca, "-CAkey", self.folder / "ca.key",
                "-CAcreateserial", "-days", 2, "-extfile", extensions, "-out", cert)
        return Identity(self.ca, cert, key)

    def issue_worker(self, job, pod, node, usage="clientAuth,serverAuth", namespace="default"):
        """The certificate of one worker pod."""
        uri = f"spiffe://evenkeel.dev/ns/{namespace}/wj/{job}/pod/{pod}/node/{node}"
        return self.issue(job + "-worker", usage, uri, file=f"{job}-{pod}-{node}")


class Program:
    """A running program; its output goes to a file, so that no pipe can fill."""

    def __init__(self, command, folder, **popen):
        self._said = tempfile.TemporaryFile("w+", dir=folder)
        popen.setdefault("stdin", subprocess.DEVNULL)
        self.process = subprocess.Popen([str(word) for word in command], cwd=folder, text=True,
                                        stdout=self._said, stderr=self._said, **popen)
        self.pid = self.process.pid

    @property
    def said(self):
        # Not through the file object: its position is that of the program, too.
        return os.pread(self._said.fileno(), 1 << 20, 0).decode(errors="replace")

    def running(self):
        return self.process.poll() is None

    def wait(self, patience=PATIENCE):
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            raise AssertionError("it hangs; it said: " + self.said) from None

    def await_exit(self, number=signal.SIGTERM, patience=PATIENCE):
        self.process.send_signal(number)
        return self.wait(patience)

    def end(self):
        if self.running():
            self.process.kill()
        self.process.wait()
        if self.process.stdin:
            self.process.stdin.close()
        self._said.close()


COORDINATOR_PORTS = 5


class Coordinator(Program):
    """`ports` are those of workers, health, control, pages and probes."""

    def __init__(self, command, folder, ports, ca, **popen):
        super().__init__(command, folder, **popen)
        self.port, self.health, self.control, self.pages, self.probes = ports
        self._context = ssl.create_default_context(cafile=ca)

    def _ask(self, connection, method, path, headers):
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def ask(self, method, path, token=TOKEN):
        """(status, body) of a request to the control port."""
        connection = http.client.HTTPSConnection("localhost", self.control, timeout=PATIENCE,
                                                 context=self._context)
        with_token = {"Authorization": "Bearer " + token} if token else {}
        try:
            return self._ask(connection, method, path, with_token)
        finally:
            connection.close()

    def get(self, path, port=None, method="GET"):
        """(status, body) of a page, or of `port`."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.pages, timeout=PATIENCE)
        try:
            return self._ask(connection, method, path, {})
        finally:
            connection.close()

    def progress(self):
        """Returns None while no process listens."""
        try:
            status, body = self.ask("GET", "/progress")
        except OSError:
            if not self.running():
                raise AssertionError("it has ended; it said: " + self.said) from None
            return None
        assert status == 200, body
        return json.loads(body)

    def await_progress(self, condition, what):
        """The first progress for which `condition` is true."""
        def look():
            now = self.progress()
            return now if now and condition(now) else None
        try:
            return eventually(look, what)
        except AssertionError as late:
            raise AssertionError(f"{late}; {self.progress()}; it said: {self.said}") from None

    def await_state(self, state):
        return self.await_progress(lambda now: now["state"] == state, "state " + state)

    def await_tasks(self, at_least):
        return self.await_progress(lambda now: now["tasks"]["completed"] >= at_least,
                                   f"{at_least} tasks are done")


class ClusterTest(RunTest):
    """A test with an authority, in which coordinators and workers are started."""

    namespace = "default"

    def setUp(self):
        super().setUp()
        self.authority = Authority(self.root / "authority")
        self.ports = free_ports(COORDINATOR_PORTS)
        (self.folder / "token").write_text(TOKEN + "\n")

    def plan(self, manifest, *nodes):
        """Writes the plan: nodes are (name, ratio), or rows of a plan."""
        self.job_name = manifest["metadata"]["name"]
        self.workload = next(iter(manifest["spec"]["workload"]))
        self.write("job.json", manifest)
        self.write("nodes.json", [one if isinstance(one, dict) else
                                  {"name": one[0], "ratio": one[1], "weight": 1} for one in nodes])
        name = self.job_name
        self.server = self.authority.issue(name + "-coordinator", "serverAuth", "localhost",
                                           f"{name}-coordinator.default.svc")
        self.clients = {}

    def coordinator(self, *more, identity=None, folder=None, ports=None, **popen):
        ports = ports or self.ports
        options = ["--job", "job.json", "--nodes", "nodes.json", "--folder", folder or self.output,
                   "--namespace", self.namespace,
                   *(identity or self.server).options(), "--control-token-file", "token"]
        for name, port in zip(("listen", "health-listen", "control-listen", "pages-listen", "probe-listen"), ports):
            options += ["--" + name, f"127.0.0.1:{port}"]
        started = Coordinator([COORDINATOR, *options, *more], self.folder, ports, self.authority.ca,
                              **popen)
        self.addCleanup(started.end)
        return started

    def client(self, node):
        """The identity of the worker pod of this node."""
        if node not in self.clients:
            self.clients[node] = self.authority.issue_worker(
                self.job_name, "worker-" + node, node, namespace=self.namespace)
        return self.clients[node]

    def worker(self, node, *more, identity=None, port=None, **popen):
        started = Program([WORKER, "--coordinator", f"localhost:{port or self.ports[0]}",
                           "--node", node, "--workload", self.workload,
                           *(identity or self.client(node)).options(), *more], self.folder, **popen)
        self.addCleanup(started.end)
        return started

    def file_worker(self, node, *more):
        """A worker that gets input files from the coordinator, with a folder for each node."""
        return self.worker(node, "--file-cache", self.folder / node / "cache", "--task-folder",
                           self.folder / node / "tasks", "--peer-name", self.job_name + "-worker", *more)

    def workers(self, *nodes):
        return [self.worker(node) for node in nodes]

    def check_all_done(self, workers):
        for each in workers:
            self.assertEqual(each.wait(), 0, each.said)

    def logged(self, program, pattern):
        self.assertRegex(program.said, re.compile(pattern))
