"""Debian's Prometheus as a process of a test."""

import json
import math
import os
import shutil
import time
import urllib.parse
import urllib.request

from cluster import Program

PROGRAM = os.environ.get("EVENKEEL_PROMETHEUS") or shutil.which("prometheus") or ""


class Prometheus(Program):
    def __init__(self, folder, port, config):
        (folder / "prometheus.yml").write_text(config)
        self.url = f"http://127.0.0.1:{port}/"
        super().__init__([PROGRAM, "--config.file=prometheus.yml", "--storage.tsdb.path=tsdb",
                          f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"], folder)
        self.begun = time.time()

    def api(self, path, **parameters):
        url = f"{self.url}api/v1/{path}?{urllib.parse.urlencode(parameters, doseq=True)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def ready(self):
        try:
            return urllib.request.urlopen(self.url + "-/ready", timeout=1).status == 200
        except OSError:
            return False

    def values(self, expression):
        """All numbers that the query has given since the start."""
        data = self.api("query_range", query=expression, start=self.begun, end=time.time(), step=1)
        return [number for series in data["result"]
                for number in (float(value) for _, value in series["values"])
                if math.isfinite(number)]

    def now(self, expression):
        """From the label node to the number; "" where there is no such label."""
        return {series["metric"].get("node", ""): float(series["value"][1])
                for series in self.api("query", query=expression)["result"]}
