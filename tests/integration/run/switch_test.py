"""A sweep of switchSimulation: the same table whatever runs it, and its charts in the report."""

import csv
import json
import os
import pathlib
import signal
import sys

import yaml

import evenkeel
from evenkeel import RunTest, job, node, nodes

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "report"))
from browser import Browser  # noqa: E402  (beside the tests of the page itself)

EXAMPLES = pathlib.Path(__file__).parents[3] / "examples"
CHROMIUM = os.environ["EVENKEEL_CHROMIUM"]
LOADS, BUFFERS, SEEDS = [0.8, 0.9, 1], [1, 4, 16], [1, 2]
TASKS = 8 * len(LOADS) * len(BUFFERS) * len(SEEDS)
THREE = nodes(node("alpha", 0.4), node("beta", 0.3), node("gamma", 0.1))


def sweep(slots=20_000, **more):
    return {"switchSimulation": {"slots": slots, "loads": LOADS, "bufferSizes": BUFFERS,
                                 "seeds": SEEDS, **more}}


class SwitchTest(RunTest):
    def table(self):
        return (self.output / "results.csv").read_bytes()

    def run_sweep(self, name, node_list=None):
        self.output = self.folder / name
        self.run_to_end(self.command(job("sweep", sweep()), node_list), patience=300)
        return self.table()

    def test_table_is_the_same_with_one_worker_and_three_and_after_a_kill(self):
        alone = self.run_sweep("alone")
        rows = list(csv.DictReader(alone.decode().splitlines()))
        self.assertEqual([row["index"] for row in rows], [str(i) for i in range(TASKS)])
        for row in rows:
            self.assertEqual(int(row["arrived"]),
                             sum(int(row[name]) for name in ("departed", "lost", "queued")))
        self.assertEqual(self.run_sweep("three", THREE), alone)

        self.output = self.folder / "killed"
        process = self.start(self.command(job("sweep", sweep(), balancing={"leaseSeconds": 1}), THREE))
        workers = self.wait_for_workers(process, 3)
        self.wait_for_tasks(process, TASKS // 8)
        os.kill(workers["alpha"], signal.SIGKILL)
        self.assertEqual(process.wait(300), 0, process.err)
        self.assertIn("worker alpha was killed", process.err)
        self.check_covered_once(TASKS)
        self.assertEqual(self.table(), alone)

        result = self.summary()["result"]
        self.assertEqual(result["tasks"], TASKS)
        self.assertEqual(result["cells"], sum(int(row["arrived"]) for row in rows))
        self.assertLess(result["meanLossThere"]["LQF"], result["meanLossThere"]["RR"])
        self.check_report()

    def test_the_papers_sweep_on_the_trio_with_a_worker_killed(self):
        """All 3,072 tasks, of fewer slots."""
        spec = yaml.safe_load((EXAMPLES / "switch-sweep.yaml").read_text())["spec"]
        spec["workload"]["switchSimulation"]["slots"] = 2000
        self.output = self.folder / "alone"
        self.run_to_end(self.command(job("sweep", **spec)), patience=300)
        alone = self.table()
        self.assertEqual(alone.count(b"\n"), 1 + 3072)

        self.output = self.folder / "trio"
        manifest = job("sweep", **spec, balancing={"leaseSeconds": 1})
        trio = yaml.safe_load((EXAMPLES / "nodes" / "pi-trio.yaml").read_text())
        process = self.start(self.command(manifest, trio))
        workers = self.wait_for_workers(process, 3)
        self.wait_for_tasks(process, 1000)
        os.kill(workers["pi4-b"], signal.SIGKILL)
        self.assertEqual(process.wait(300), 0, process.err)
        self.assertIn("worker pi4-b was killed", process.err)
        self.check_covered_once(3072)
        self.assertEqual(self.table(), alone)

    def check_report(self):
        charts = json.loads((self.output / "charts.json").read_text())
        page_path = self.output / "report.html"
        with Browser(CHROMIUM) as browser, browser.page(1280, 900) as page:
            page.open(page_path.as_uri())
            self.assertEqual(page.problems, [])
            titles = page.evaluate("[...document.querySelectorAll('.result-chart h2')]"
                                   ".map((title) => title.textContent)")
            self.assertEqual(titles, [chart["title"] for chart in charts])
            self.assertEqual(len(titles), 5)

    def test_interrupted_in_a_long_task_it_ends_soon(self):
        workload = sweep(slots=100_000_000, ports=32)
        process = self.start(self.command(job("long", workload), nodes(node("only", 0.5))))
        self.wait_for_workers(process, 1)
        process.signal(signal.SIGINT)
        # 5 s for the task, and 5 s to find out how fast a core is with tasks that are far longer.
        self.assertEqual(process.wait(30), 130, process.err)
        self.assertEqual(self.summary()["rateSource"], "measured")

    def test_sweep_that_does_not_fit_is_refused(self):
        process = self.run_to_end(self.command(job("large", sweep(bufferSizes=[20000]))), 2)
        self.assertEqual(len(process.err.splitlines()), 1, process.err)
        self.assertIn("spec.workload.switchSimulation.bufferSizes: must be at most 16384 with 16 ports",
                      process.err)
        self.assertFalse(self.output.exists())


if __name__ == "__main__":
    evenkeel.main()
