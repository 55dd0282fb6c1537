"""The loop through a real Prometheus: what nodes did for a job, the next one of its profile starts with."""

import os
import shutil
import sys
import unittest

import prometheus

SKIPPED = 77
if not os.path.exists(prometheus.PROGRAM):
    print("skipped: no Prometheus; Debian's package prometheus has it", file=sys.stderr)
    sys.exit(SKIPPED)

import history_case  # noqa: E402
from evenkeel import eventually, synthetic  # noqa: E402
from history_case import SPEEDS  # noqa: E402

CONFIG = """global: {{scrape_interval: {interval}s}}
scrape_configs:
- job_name: evenkeel-operator
  static_configs: [{{targets: ['127.0.0.1:{operator}'], labels: {{pod: operator-a{labels}}}}}]
"""
# Speeds for a second profile, with a different order of the nodes.
OTHER_SPEEDS = {"pi4-a": 1, "pi4-b": 4, "pi3": 4}


class HistoryTest(history_case.HistoryCase):
    def setUp(self):
        super().setUp()
        self.start_operator()

    def start_prometheus(self, interval=1, labels=""):
        config = CONFIG.format(interval=interval, operator=self.operator_port, labels=labels)
        self.prometheus = prometheus.Prometheus(self.folder, self.prometheus_port, config)
        self.addCleanup(self.prometheus.end)
        eventually(self.prometheus.ready, "Prometheus is ready")

    def await_history(self, profile):
        """Until Prometheus has seen the totals of all nodes rise."""
        query = f'count(increase(evenkeel_history_busy_seconds_total{{profile="{profile}"}}[1h]) > 0)'
        eventually(lambda: self.prometheus.now(query) == {"": len(SPEEDS)}, f"{profile} is in the history")

    def misplaced(self, status):
        """Tasks that were planned for a node and done by another. Tasks that are stolen after a pause of this
        machine and stolen back do not count."""
        return sum(max(0, row["share"] - row["completed"]) for row in status["workers"])

    def test_the_second_job_starts_with_what_the_first_one_showed(self):
        self.start_prometheus()
        tasks = synthetic(900, {"uniform": [0.05, 0.15]})
        rows, first = self.run_job("first", tasks)
        self.check_fuzzy(rows)
        self.assertEqual(self.condition("first"), ("False", "NoHistory"))
        self.assertEqual(set(self.sources("first").values()), {"Fuzzy"})
        self.await_history("synthetic")

        rows, second = self.run_job("second", tasks)
        self.check_planned(rows, SPEEDS)
        self.assertEqual(self.condition("second"), ("True", "Measured"))
        self.assertEqual(set(self.sources("second").values()), {"Measured"})
        for node, row in rows.items():
            # In units of the workload: nanoseconds at speed 1, on the four threads that pods would have.
            self.assertAlmostEqual(row["parts"]["measured"], 4e9 * SPEEDS[node],
                                   delta=4e8 * SPEEDS[node])
            self.assertGreater(row["parts"]["confidence"], 0.8)
        self.assertLess(self.misplaced(second), 0.2 * self.misplaced(first))

        plain, _ = self.submit("plain", tasks, weighting={"mode": "Fuzzy"})
        self.check_fuzzy(plain)
        self.assertIsNone(self.condition("plain"))
        self.assertEqual(set(self.sources("plain").values()), {"Fuzzy"})

    def test_profiles_have_histories_of_their_own(self):
        self.start_prometheus()
        tasks = synthetic(400, {"constant": 0.1})
        self.run_job("a1", tasks, profile="a")
        self.run_job("b1", tasks, profile="b", speeds=OTHER_SPEEDS)
        self.await_history("a")
        self.await_history("b")
        self.check_planned(self.submit("a2", tasks, profile="a")[0], SPEEDS)
        self.check_planned(self.submit("b2", tasks, profile="b")[0], OTHER_SPEEDS)
        self.check_fuzzy(self.submit("c1", tasks, profile="c")[0])

    def test_a_job_between_two_scrapes_is_in_the_history(self):
        self.start_prometheus(interval=4)
        _, status = self.run_job("brief", synthetic(200, {"constant": 0.15}), profile="brief")
        self.assertEqual(status["tasks"]["completed"], 200)
        self.await_history("brief")
        self.check_planned(self.submit("next", synthetic(10, {"constant": 0.1}), profile="brief")[0], SPEEDS)

    def test_operators_come_and_go_and_their_counts_stay(self):
        # Some scrape with the node of the pod as a label: ours is then called exported_node.
        self.start_prometheus(labels=", node: where-the-operator-is")
        tasks = synthetic(400, {"constant": 0.1})
        self.run_job("before", tasks)
        self.await_history("synthetic")
        self.assertEqual(self.operator.await_exit(), 0)
        self.start_operator()  # its totals begin at nothing
        rows, _ = self.submit("after", tasks)
        self.check_planned(rows, SPEEDS)

    def test_prometheus_is_stopped_and_comes_back_empty(self):
        self.start_prometheus()
        tasks = synthetic(400, {"constant": 0.1})
        self.run_job("first", tasks)
        self.await_history("synthetic")
        self.prometheus.end()
        rows, status = self.run_job("without", tasks)
        self.check_fuzzy(rows)
        self.assertEqual(status["tasks"]["completed"], 400)
        self.assertEqual(self.condition("without"), ("False", "PrometheusUnreachable"))
        shutil.rmtree(self.folder / "tsdb")
        self.start_prometheus()
        # It is left alone for a while after a failure, but not by one who never met it.
        self.assertEqual(self.operator.await_exit(), 0)
        self.start_operator()
        rows, _ = self.submit("empty", tasks)
        self.check_fuzzy(rows)
        self.assertEqual(self.condition("empty"), ("False", "NoHistory"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
