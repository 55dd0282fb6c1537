"""parameterEstimation: the same figures whatever runs it, rounds in the time line, charts in the report."""

import csv
import json
import os
import pathlib
import signal
import sys

import evenkeel
from evenkeel import RunTest, job, node, nodes

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "report"))
from browser import Browser  # noqa: E402  (beside the tests of the page itself)

CHROMIUM = os.environ["EVENKEEL_CHROMIUM"]
THREE = nodes(node("alpha", 0.4), node("beta", 0.3), node("gamma", 0.1))
ADDERS, MULTIPLIERS = 6, 8
TASKS = ADDERS * MULTIPLIERS


def elliptic(**more):
    return {"parameterEstimation": {
        "graph": "EllipticWaveFilter",
        "units": [{"name": "adder", "kinds": ["add"], "max": ADDERS, "area": 256, "energyPicojoules": 20},
                  {"name": "multiplier", "kinds": ["multiply"], "max": MULTIPLIERS, "cycles": 2,
                   "area": 2560, "energyPicojoules": 300, "idleMicrowatts": 60}], **more}}


class EstimationTest(RunTest):
    def run_job(self, name, strategy, node_list=None):
        self.output = self.folder / name
        balancing = {"strategy": strategy}
        if strategy == "AdaptiveIterative":
            balancing["adaptiveIterative"] = {"rounds": 4}
        manifest = job("elliptic", elliptic(), balancing=balancing)
        self.run_to_end(self.command(manifest, node_list), patience=300)
        self.check_covered_once(TASKS)
        return {file: (self.output / file).read_bytes()
                for file in ("results.csv", "pareto.csv", "pareto.json")}

    def test_files_are_the_same_alone_and_on_three_nodes(self):
        alone = self.run_job("alone", "TailStealing")
        rows = list(csv.DictReader(alone["results.csv"].decode().splitlines()))
        self.assertEqual([row["index"] for row in rows], [str(i) for i in range(TASKS)])
        cycles = {(int(row["units.adder"]), int(row["units.multiplier"])): int(row["cycles"])
                  for row in rows}
        published = {(1, 1): 28, (2, 1): 21, (2, 2): 18, (3, 3): 17}
        self.assertEqual({units: cycles[units] for units in published}, published)
        front = json.loads(alone["pareto.json"])
        self.assertEqual(len(front), sum(row["pareto"] == "1" for row in rows))
        self.check_report()

        self.assertEqual(self.run_job("tail", "TailStealing", THREE), alone)
        self.assertEqual(self.run_job("rounds", "AdaptiveIterative", THREE), alone)
        rounds = [line for line in self.timeline() if line["kind"] == "stage"]
        self.assertGreaterEqual(len(rounds), 2)
        self.assertEqual([line["detail"] for line in rounds],
                         [str(number + 1) for number in range(len(rounds))])

    def check_report(self):
        charts = json.loads((self.output / "charts.json").read_text())
        with Browser(CHROMIUM) as browser, browser.page(1280, 900) as page:
            page.open((self.output / "report.html").as_uri())
            self.assertEqual(page.problems, [])
            titles = page.evaluate("[...document.querySelectorAll('.result-chart h2')]"
                                   ".map((title) => title.textContent)")
            self.assertEqual(titles, [chart["title"] for chart in charts])
            lines = page.evaluate("report.resultCharts.shown[0].drawn.data.datasets"
                                  ".map((dataset) => dataset.showLine)")
            self.assertEqual(lines, [False, True, False])

    def test_a_worker_killed_between_rounds_costs_no_result(self):
        self.output = self.folder / "killed"
        tasks = {"synthetic": {"tasks": 600, "cost": {"constant": 0.02}}}
        balancing = {"strategy": "AdaptiveIterative", "leaseSeconds": 1}
        process = self.start(self.command(job("killed", tasks, balancing=balancing),
                                          nodes(node("alpha", 2), node("beta", 1), node("gamma", 1))))
        workers = self.wait_for_workers(process, 3)
        self.wait_for_tasks(process, 100)
        os.kill(workers["beta"], signal.SIGKILL)
        self.assertEqual(process.wait(60), 0, process.err)
        self.check_covered_once(600)

    def test_a_circle_is_refused_before_anything_starts(self):
        operations = [{"name": "a", "kind": "add", "after": ["b"]}, {"name": "b", "kind": "add", "after": ["a"]}]
        workload = {"parameterEstimation": {"operations": operations, "units": [
            {"name": "adder", "kinds": ["add"], "max": 1}]}}
        process = self.run_to_end(self.command(job("circle", workload)), 2)
        self.assertEqual(len(process.err.splitlines()), 1, process.err)
        self.assertIn("spec.workload.parameterEstimation.operations: must not wait for each other in a "
                      "circle: a -> b -> a", process.err)
        self.assertFalse(self.output.exists())


if __name__ == "__main__":
    evenkeel.main()
