"""Debian's Prometheus on this machine, beside the cluster: it scrapes the operator's pod at the pod's own
address, and pods reach it at the machine's end of the link."""

import contextlib
import http.server
import json
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import chart
import kube
import machine

PROGRAM = shutil.which("prometheus")
CONFIG = """global: {{scrape_interval: {interval}s, scrape_timeout: 1s}}
scrape_configs:
- job_name: evenkeel-operator
  file_sd_configs: [{{files: [targets.json], refresh_interval: 1s}}]
"""


def own_address(pod_address):
    """Ours, as that pod sees us."""
    route = subprocess.run(["ip", "-4", "route", "get", pod_address], capture_output=True, text=True,
                           check=True).stdout
    return re.search(r"\bsrc (\S+)", route).group(1)


def free_port(address):
    with contextlib.closing(socket.create_server((address, 0))) as one:
        return one.getsockname()[1]


class Prometheus:
    """Its data stay when it is stopped, unless they are to be lost."""

    def __init__(self, address, port):
        folder = machine.ROOT / "build" / "cluster-files"
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="prometheus-", dir=folder))
        self._address = f"{address}:{port}"
        self._process = None
        self.url = f"http://{self._address}"

    def find_operator(self):
        """Where the operator is by now. A pod that ends is none any more."""
        pods = [pod for pod in chart.operator_pods() if "deletionTimestamp" not in pod["metadata"]]
        targets = [{"targets": [f"{pod['status']['podIP']}:8080"],
                    "labels": {"namespace": pod["metadata"]["namespace"],
                               "pod": pod["metadata"]["name"]}} for pod in pods]
        part = self._folder / "targets.part"
        part.write_text(json.dumps(targets))
        part.rename(self._folder / "targets.json")

    def start(self, interval=2, empty=False):
        if empty:
            shutil.rmtree(self._folder / "tsdb", ignore_errors=True)
        (self._folder / "prometheus.yml").write_text(CONFIG.format(interval=interval))
        self.find_operator()
        with open(self._folder / "log", "a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [PROGRAM, "--config.file=prometheus.yml", "--storage.tsdb.path=tsdb",
                 f"--web.listen-address={self._address}", "--log.level=warn"],
                cwd=self._folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.until(lambda: self._ask("/-/ready") is not None, "Prometheus is ready")

    def stop(self):
        if self._process:
            self._process.terminate()
            self._process.wait(30)
        self._process = None

    def end(self):
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _ask(self, path):
        try:
            with urllib.request.urlopen(self.url + path, timeout=10) as answer:
                return answer.read()
        except OSError:
            return None

    def by_node(self, expression):
        body = self._ask("/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
        result = json.loads(body)["data"]["result"] if body else []
        return {series["metric"].get("node", ""): float(series["value"][1]) for series in result}

    def wait_history(self, profile, nodes, seconds=kube.PATIENCE):
        """Until it has seen the totals of all these nodes rise."""
        query = (f'sum by (node) (increase(evenkeel_history_busy_seconds_total{{profile="{profile}"}}[1h]))'
                 " > 0")
        self.until(lambda: set(self.by_node(query)) >= set(nodes), f"{profile} is in the history", seconds)

    @staticmethod
    def until(good, what, seconds=kube.PATIENCE):
        end = time.monotonic() + seconds
        while not good():
            if time.monotonic() > end:
                raise AssertionError(f"in {seconds} s it did not come to this: {what}")
            time.sleep(0.5)


class Page(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<html>Please log in</html>")

    do_GET = do_POST

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def something_else(address, port):
    """Not a Prometheus, at its address."""
    server = http.server.ThreadingHTTPServer((address, port), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
