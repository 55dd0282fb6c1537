"""A folder with a sample run, and its report in a headless Chromium.

EVENKEEL_CHROMIUM and EVENKEEL_MAKE_SAMPLE_REPORT name the two programs; ctest sets them.
"""

import json
import os
import pathlib
import subprocess
import tempfile

from browser_case import BrowserCase

MAKE = os.environ["EVENKEEL_MAKE_SAMPLE_REPORT"]

LAYOUT_SHIFT = """
new Promise((done) => {
  let sum = 0;
  const observer = new PerformanceObserver((list) => list.getEntries().forEach((e) => sum += e.value));
  observer.observe({type: 'layout-shift', buffered: true});
  setTimeout(() => done(sum), 50);
})"""


class ReportCase(BrowserCase):
    def make(self, workers=3, strategy="TailStealing", tasks=2000, seconds="0.3", job="primes"):
        folder = tempfile.mkdtemp(dir=self.root.name)
        subprocess.run([MAKE, folder, str(workers), strategy, str(tasks), seconds, job],
                       check=True, stdout=subprocess.DEVNULL)
        return pathlib.Path(folder)

    def open(self, folder, width=1280, dark=False, touch=False):
        page = self.browser.page(width, 900, dark, touch)
        page.open((folder / "report.html").as_uri())
        self.addCleanup(page.__exit__)
        return page

    def edit_summary(self, folder, **changes):
        path = folder / "summary.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
        self.make_again(folder)

    @staticmethod
    def make_again(folder):
        """Writes the report of the current files in the folder."""
        subprocess.run([MAKE, str(folder)], check=True, stdout=subprocess.DEVNULL)

    def check_clean(self, page, folder):
        self.assertEqual(page.problems, [])
        self.assertEqual(page.requests, [(folder / "report.html").as_uri()])
