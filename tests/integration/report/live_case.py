"""The live page of a sample run, served by the handlers of a coordinator, in a headless Chromium.

EVENKEEL_SERVE_SAMPLE_RUN names the server, EVENKEEL_CHROMIUM the browser; ctest sets them.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import time
import urllib.request

from browser_case import WithBrowser

SERVE = os.environ["EVENKEEL_SERVE_SAMPLE_RUN"]
PATIENCE = 60  # seconds that anything may take which should happen soon


def eventually(condition, what):
    end = time.monotonic() + PATIENCE
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"in {PATIENCE} s it did not come to this: {what}")
        time.sleep(0.05)


class SampleRun:
    """A run whose time the test moves. Use as a context manager."""

    def __init__(self, workers, tasks=2000, report_seconds=0.3, job="primes", facts=""):
        self._root = tempfile.TemporaryDirectory(prefix="evenkeel-live-")
        self.folder = pathlib.Path(self._root.name)
        self.process = subprocess.Popen(
            [SERVE, self._root.name, str(workers), str(tasks), str(report_seconds), job, facts],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=20)
        self.process.stdout.close()
        self._root.cleanup()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n", "the server has gone"

    def ask(self, since="", headers=None):
        """(answer, bytes) of the data that the page asks for."""
        request = urllib.request.Request(f"{self.url}live.json?since={since}", headers=headers or {})
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=PATIENCE) as reply:
            text = reply.read()
        return json.loads(text), len(text)

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class LiveCase(WithBrowser):
    def run_of(self, workers, **options):
        run = SampleRun(workers, **options)
        self.addCleanup(run.__exit__)
        return run

    def open(self, run, width=1280, height=900, dark=False, touch=False):
        page = self.browser.page(width, height, dark, touch)
        self.addCleanup(page.__exit__)
        page.open(run.url)
        return page

    def wait(self, page, expression, what):
        return eventually(lambda: page.evaluate(expression), what)

    def wait_until_shown(self, page, second):
        """The page has what happened up to `second`, and what was before it was opened."""
        self.wait(page, f"Boolean(report.data?.now?.elapsedSeconds >= {second} && report.data.timeline.caughtUp)",
                  f"second {second} is shown")

    def check_clean(self, page, run):
        # Warnings about reading pixels back are caused by the test itself.
        self.assertEqual([text for text in page.problems if "willReadFrequently" not in text], [])
        self.assertEqual({url for url in page.requests if not url.startswith((run.url, "data:"))}, set())
