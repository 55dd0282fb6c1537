"""taskPolicy.verify: a node that gives wrong results is found, named and left out."""

import json
import signal
import unittest

import evenkeel
from evenkeel import RunTest, job, node, nodes

NODES = ("alpha", "beta", "gamma", "liar")
# The node computes wrongly from its fifth task on, so that some of its results are right.
LYING = ('n=$(cat count 2>/dev/null || echo 0); '
         'if [ "$EVENKEEL_NODE" = liar ]; then echo $((n + 1)) >count; fi; '
         'if [ "$EVENKEEL_NODE" = liar ] && [ "$n" -ge 4 ]; then echo 0; '
         'else echo $(({} * 2 + 1)); fi; sleep 0.01')
TASKS = 300


class VerificationTest(RunTest):
    def lying_job(self, verify, names=NODES, script=LYING, tasks=TASKS):
        manifest = job("checked", {"command": {"command": ["/bin/sh", "-c", script],
                                               "workingDirectory": str(self.folder),
                                               "arguments": [str(n) for n in range(tasks)]}},
                       taskPolicy={"verify": verify})
        return self.command(manifest, nodes(*(node(name, 0.25) for name in names)))

    def rows(self):
        return [json.loads(line) for line in (self.output / "results.jsonl").read_text().splitlines()]

    def check_exact(self, excluded):
        rows = self.rows()
        self.assertEqual([row["stdout"] for row in rows], [f"{2 * n + 1}\n" for n in range(TASKS)])
        self.assertNotIn(excluded, {row["node"] for row in rows})
        self.check_covered_once(TASKS)

    def test_a_lying_node_is_left_out_and_all_results_are_right(self):
        process = self.run_to_end(self.lying_job("30%"))
        self.check_exact("liar")
        verification = self.summary()["verification"]
        self.assertEqual(verification["open"], 0)
        self.assertGreater(verification["confirmed"], 45)  # of 90 expected
        self.assertEqual([one["node"] for one in verification["excludedNodes"]], ["liar"])
        self.assertIn("is wrong: the nodes", verification["excludedNodes"][0]["reason"])
        events = [line for line in self.timeline() if line["kind"] == "excluded"]
        self.assertEqual([event["worker"] for event in events], ["liar"])
        self.assertIn("node liar is left out: its result of task", process.err)
        self.assertRegex(process.out, "verified: .* drawn tasks; node liar is left out: its result of task")

    def test_a_killed_run_goes_on_without_the_node(self):
        command = self.lying_job("100%", script=LYING.replace("0.01", "0.05"))
        process = self.start(command)
        evenkeel.eventually(lambda: any(
            "is left out" in line for line in process.err.splitlines()), "the liar was not found")
        process.signal(signal.SIGKILL)
        process.wait()
        (self.folder / "count").unlink()  # it would be honest again for its first tasks
        self.run_to_end(command)
        self.check_exact("liar")
        self.assertEqual([one["node"] for one in self.summary()["verification"]["excludedNodes"]],
                         ["liar"])

    def test_two_nodes_that_differ_fail_the_job_by_name(self):
        process = self.run_to_end(self.lying_job("100%", ("alpha", "liar")), code=1)
        summary = self.summary()
        self.assertEqual(summary["state"], "Failed")
        for word in ("different results on the nodes", "alpha", "liar", "no third node"):
            self.assertIn(word, summary["reason"])
        self.assertIn(summary["reason"], process.err)

    def test_honest_nodes_agree(self):
        script = 'echo $(({} * 2 + 1)); echo "on $EVENKEEL_NODE" >&2'
        process = self.run_to_end(self.lying_job("100%", script=script, tasks=40))
        self.assertIn("verified: 40 of 40 drawn tasks\n", process.out)
        self.assertEqual(self.summary()["verification"],
                         {"confirmed": 40, "open": 0, "excludedNodes": []})


class RefusalTest(RunTest):
    def check_refused(self, manifest, text):
        process = self.start(self.command(manifest, nodes(node("one", 0.5), node("two", 0.5))))
        self.assertEqual(process.wait(20), 2, process.out + process.err)
        self.assertEqual(len(process.err.splitlines()), 1, process.err)
        self.assertIn(text, process.err)
        self.assertFalse(self.output.exists())

    def test_products_of_floats_differ_between_processors(self):
        matrix = {"rows": 8, "columns": 8, "seed": 1}
        self.check_refused(
            job("product", {"matmul": {"a": {"random": matrix}, "b": {"random": matrix},
                                       "type": "Float64"}}, taskPolicy={"verify": "1%"}),
            "spec.taskPolicy.verify: must be absent, because products of Float64 are rounded")

    def test_too_many_drawn_tasks(self):
        self.check_refused(
            job("many", {"synthetic": {"tasks": 10 ** 8, "cost": {"constant": 0}, "mode": "None"}},
                taskPolicy={"verify": "1%"}),
            "must draw at most 100000 tasks, draws 1000000 of 100000000")


if __name__ == "__main__":
    unittest.main()
