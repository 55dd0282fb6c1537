"""The report of a real run in a real browser."""

import os
import pathlib
import sys

import evenkeel
from evenkeel import RunTest, job, node, nodes, synthetic

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "report"))
from browser import Browser  # noqa: E402  (beside the tests of the page itself)

CHROMIUM = os.environ["EVENKEEL_CHROMIUM"]


class ReportTest(RunTest):
    def look(self, page):
        """(names of the lanes, text of the page) as a reader sees them."""
        page.open((self.output / "report.html").as_uri())
        self.assertEqual(page.problems, [])
        self.assertEqual(page.requests, [(self.output / "report.html").as_uri()])
        return page.evaluate("report.lanes.workers"), page.evaluate("document.body.innerText")

    def test_one_lane_for_each_worker(self):
        listed = nodes(*(node(f"node-{i}", 1 + i) for i in range(4)))
        with Browser(CHROMIUM) as browser:
            for strategy in ("TailStealing", "ModifiedMasterSlave"):
                with self.subTest(strategy):
                    self.output = self.folder / strategy
                    manifest = job("lanes", synthetic(120, {"uniform": [0.02, 0.1]}))
                    self.run_to_end(self.command(manifest, listed, "--strategy", strategy))
                    with browser.page(1280, 900) as page:
                        lanes, text = self.look(page)
                    self.assertEqual(sorted(lanes), [f"node-{i}" for i in range(4)])
                    self.assertIn("lanes", text)
                    self.assertIn(strategy, text)


if __name__ == "__main__":
    evenkeel.main()
