"""Handling of failed tasks: retries, rules for exit codes, success policies."""

import contextlib
import sqlite3

import evenkeel
from evenkeel import RunTest, job, node, nodes, synthetic


class PoliciesTest(RunTest):
    NODES = nodes(node("one", 1), node("two", 1), node("three", 1))

    def run_job(self, workload, code=0, **policy):
        manifest = job("tried", workload, taskPolicy=policy)
        return self.run_to_end(self.command(manifest, self.NODES), code)

    def failures(self):
        """(task, node, attempt, final, exit code) of each, in order."""
        return self.query("SELECT task, nodes.name, attempt, final, exit_code FROM failures"
                          " JOIN nodes ON nodes.id = node ORDER BY failures.id")

    def query(self, sql):
        with contextlib.closing(sqlite3.connect(self.output / "journal.db")) as journal:
            return journal.execute(sql).fetchall()

    def test_each_attempt_is_on_another_node(self):
        self.run_job(synthetic(9, {"constant": 0.01}, failing=[4], failingAttempts=2, exitCode=7))
        self.assertEqual(self.summary()["tasks"], {"total": 9, "completed": 9, "failed": 0})
        found = self.failures()
        self.assertEqual([(task, attempt, final, code) for task, _, attempt, final, code in found],
                         [(4, 1, 0, 7), (4, 2, 0, 7)])
        self.assertEqual(len({name for _, name, *_ in found}), 2)

    def test_ignored_failures_are_not_charged(self):
        self.run_job(synthetic(5, {"constant": 0.01}, failing=[2], failingAttempts=3, exitCode=75),
                     backoffLimitPerTask=0, onExitCodes=[{"action": "Ignore", "values": [75]}])
        self.assertEqual(self.summary()["tasks"]["completed"], 5)

    def test_a_task_may_fail_at_once(self):
        self.run_job(synthetic(5, {"constant": 0.01}, failing=[2], exitCode=3), maxFailedTasks=1,
                     onExitCodes=[{"action": "FailTask", "operator": "NotIn", "values": [75]}])
        self.assertEqual(self.summary()["tasks"], {"total": 5, "completed": 4, "failed": 1})
        self.assertEqual([attempt for _, _, attempt, _, _ in self.failures()], [1])

    def test_one_task_may_fail_the_job(self):
        policy = dict(maxFailedTasks=5, onExitCodes=[{"action": "FailJob", "values": [42]}])
        workload = synthetic(100, {"constant": 0.05}, failing=[7], exitCode=42, costsKnown=False)
        for _ in range(2):  # and so it stays, when the same is run again
            process = self.run_job(workload, 1, **policy)
            name = self.failures()[0][1]
            reason = f"task 7 ended with exit code 42 on {name}: FailJob by spec.taskPolicy.onExitCodes"
            self.assertIn(reason, process.err)
            self.assertEqual(self.summary()["reason"], reason)
        self.assertLess(self.summary()["tasks"]["completed"], 100)

    def test_enough_successes_complete_the_job(self):
        self.run_job(synthetic(1000, {"constant": 0.05}), successPolicy={"succeededCount": 5})
        summary = self.summary()
        self.assertEqual((summary["state"], summary["reason"]), ("Complete", "SuccessPolicyMet"))
        self.assertGreaterEqual(summary["tasks"]["completed"], 5)
        self.assertLess(summary["tasks"]["completed"], 1000)
        self.assertEqual(summary["tasks"]["failed"], 0)
        self.assertEqual(summary["result"]["tasks"], summary["tasks"]["completed"])
        self.assertEqual(summary["efficiency"], 0)

    def test_a_task_that_takes_too_long_fails(self):
        self.run_job(synthetic(2, {"list": [0.01, 600]}, costsKnown=False), 1,
                     timeoutSeconds=0.3, backoffLimitPerTask=0)
        self.assertEqual(self.query("SELECT task, reason FROM failures"),
                         [(1, "took longer than 0.3 s")])

    def test_policies_that_the_job_cannot_meet_are_refused(self):
        for policy, field in (({"succeededCount": 6}, "succeededCount: must be at most 5, is 6"),
                              ({"succeededIndexes": "0-5"}, "succeededIndexes: must be below 5"),
                              ({"succeededIndexes": "5-0"}, "succeededIndexes: must be indexes")):
            process = self.run_job(synthetic(5, {"constant": 0.01}), 2, successPolicy=policy)
            self.assertIn("job.yaml: spec.taskPolicy.successPolicy." + field, process.err)
            self.assertFalse(self.output.exists())


if __name__ == "__main__":
    evenkeel.main()
