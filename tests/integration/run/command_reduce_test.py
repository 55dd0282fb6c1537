"""The command that runs after the last task: when it runs, what it gets, its failures, and restarts."""

import json
import pathlib
import signal

import evenkeel
from cluster import COORDINATOR, ClusterTest, Program
from evenkeel import RunTest, eventually, job

LAUNCHER = pathlib.Path(COORDINATOR).parent / "evenkeel-launcher"
# Each run leaves a line in a file outside of the folder of the job.
RUNS = 'echo "$EVENKEEL_ATTEMPT" >> "$RUNS"; '
HANGS_ONCE = RUNS + '[ "$(wc -l < "$RUNS")" -gt 1 ] || exec sleep 1000'


def with_reduce(name, words, tasks=20, script="echo $JOB_COMPLETION_INDEX", runs=None, **sections):
    command = {"image": "example.com/tool:1", "command": ["/bin/sh", "-c", script], "tasks": tasks,
               "reduce": words}
    if runs:
        sections["worker"] = {"template": {"env": [{"name": "RUNS", "value": str(runs)}]}}
    return job(name, {"command": command}, **sections)


class ReduceTest(RunTest):
    def setUp(self):
        super().setUp()
        self.runs = self.root / "runs"
        self.runs.touch()

    def count_runs(self):
        return len(self.runs.read_text().splitlines())

    def job(self, reduce, **more):
        return with_reduce("plots", ["/bin/sh", "-c", RUNS + reduce], runs=self.runs, **more)

    def results(self):
        return [json.loads(line) for line in (self.output / "results.jsonl").read_text().splitlines()]

    def reduce_of_summary(self):
        return self.summary()["reduce"]


class LocalReduceTest(ReduceTest):
    def test_it_gets_all_results_and_leaves_files(self):
        words = ["/bin/sh", "-c",
                 'wc -l < "$1" > count.txt; [ "$1" = "$EVENKEEL_RESULTS" ] && pwd && '
                 'echo "$EVENKEEL_JOB $EVENKEEL_TASK_COUNT $EVENKEEL_ATTEMPT $RUNS '
                 '${JOB_COMPLETION_INDEX-none}"', "sh", "{results}"]
        self.run_to_end(self.command(with_reduce("plots", words, tasks=300, runs="mine")))
        reduce_folder = self.output / "reduce"
        self.assertEqual((reduce_folder / "count.txt").read_text().strip(), "300")
        summary = self.summary()
        self.assertEqual(summary["state"], "Complete")
        reduce = summary["reduce"]
        self.assertEqual(reduce["stdout"], f"{reduce_folder}\nplots 300 0 mine none\n")
        self.assertEqual((reduce["status"], reduce["exitCode"], reduce["attempts"]),
                         ("succeeded", 0, 1))
        self.assertEqual((summary["result"]["succeeded"], summary["result"]["reduce"]["exitCode"]),
                         (300, 0))

    def test_a_relative_output_folder(self):
        manifest = self.write("job.yaml", self.job('wc -l < "$EVENKEEL_RESULTS" > count'))
        self.run_to_end(["run", manifest, "--output", "out"])
        self.assertEqual((self.output / "reduce" / "count").read_text().strip(), "20")

    def test_a_job_that_is_complete_does_not_run_it_again(self):
        self.run_to_end(self.command(self.job("true")))
        self.run_to_end(self.command(self.job("true")))
        self.assertEqual(self.count_runs(), 1)
        self.assertEqual(self.summary()["result"]["reduce"]["attempts"], 1)

    def test_appended_tasks_are_reduced_as_well(self):
        self.run_to_end(self.command(self.job("true")))
        self.run_to_end(self.command(self.job('wc -l < "$EVENKEEL_RESULTS"', tasks=33)))
        self.assertEqual(self.count_runs(), 2)
        self.assertEqual(self.reduce_of_summary()["stdout"], "33\n")

    def test_it_is_tried_again(self):
        self.run_to_end(self.command(self.job('[ "$EVENKEEL_ATTEMPT" -eq 1 ]')))
        self.assertEqual(self.runs.read_text(), "0\n1\n")
        self.assertEqual(self.reduce_of_summary()["attempts"], 2)

    def test_its_failure_fails_the_job_and_keeps_the_results(self):
        script = "printf 'no \\001 display\\nsecond\\n' >&2; exit 3"
        failed = self.run_to_end(
            self.command(self.job(script, taskPolicy={"backoffLimitPerTask": 1})), 1)
        reason = "command.reduce failed 2 times: exit code 3: no ? display | second"
        self.assertEqual(failed.err.splitlines()[-1], "evenkeel: plots: " + reason)
        summary = self.summary()
        self.assertEqual((summary["state"], summary["reason"]), ("Failed", reason))
        self.assertEqual(summary["tasks"], {"total": 20, "completed": 20, "failed": 0})
        self.assertEqual((summary["reduce"]["status"], summary["reduce"]["exitCode"]), ("failed", 3))
        self.assertEqual(len(self.results()), 20)
        # The same command tries again; a repaired one is accepted.
        self.run_to_end(self.command(self.job(script, taskPolicy={"backoffLimitPerTask": 0})), 1)
        self.assertEqual(self.count_runs(), 3)
        self.run_to_end(self.command(self.job("true")))
        self.assertEqual(self.count_runs(), 4)
        self.assertEqual(self.summary()["state"], "Complete")

    def test_it_does_not_run_for_a_job_that_fails(self):
        self.run_to_end(self.command(self.job("true", script="exit $((JOB_COMPLETION_INDEX == 7))",
                                              taskPolicy={"backoffLimitPerTask": 0})), 1)
        self.assertEqual(self.count_runs(), 0)
        self.assertNotIn("reduce", self.summary())

    def test_it_runs_for_a_job_that_tolerates_failed_tasks(self):
        self.run_to_end(self.command(self.job(
            'grep -c failed "$EVENKEEL_RESULTS"', script="exit $((JOB_COMPLETION_INDEX == 7))",
            taskPolicy={"backoffLimitPerTask": 0, "maxFailedTasks": 1})))
        self.assertEqual(self.reduce_of_summary()["stdout"], "1\n")

    def test_the_time_of_a_task_holds_for_it(self):
        self.run_to_end(self.command(self.job("exec sleep 1000", taskPolicy={
            "timeoutSeconds": 1, "backoffLimitPerTask": 0})), 1)
        self.assertIn("did not end within 1 s", self.summary()["reason"])

    def test_the_deadline_of_the_job_holds_for_it(self):
        self.run_to_end(self.command(self.job("exec sleep 1000", activeDeadlineSeconds=5)), 1)
        self.assertIn("activeDeadlineSeconds is 5", self.summary()["reason"])

    def test_a_signal_interrupts_it_and_the_same_command_goes_on(self):
        manifest = with_reduce("plots", ["/bin/sh", "-c", HANGS_ONCE], runs=self.runs,
                               taskPolicy={"backoffLimitPerTask": 0})
        process = self.start(self.command(manifest))
        eventually(lambda: self.count_runs() == 1, "it runs")
        self.assertEqual(len(self.results()), 20, "the results were there first")
        process.signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130, process.err)
        self.assertEqual(self.summary()["state"], "Interrupted")
        self.run_to_end(self.command(manifest))
        self.assertEqual(self.runs.read_text(), "0\n0\n", "an interrupted run is not charged")

    def test_evenkeel_is_killed_while_it_runs(self):
        manifest = with_reduce("plots", ["/bin/sh", "-c", HANGS_ONCE], runs=self.runs,
                               taskPolicy={"backoffLimitPerTask": 0})
        process = self.start(self.command(manifest))
        eventually(lambda: self.count_runs() == 1, "it runs")
        process.signal(signal.SIGKILL)
        process.wait()
        self.run_to_end(self.command(manifest))
        self.assertEqual(self.count_runs(), 2)
        self.check_covered_once(20)

    def test_words_that_cannot_be_started(self):
        manifest = with_reduce("plots", ["/no/such/program"], taskPolicy={"backoffLimitPerTask": 0})
        self.run_to_end(self.command(manifest), 1)
        self.assertIn("cannot be started: No such file", self.summary()["reason"])
        self.assertEqual(self.reduce_of_summary()["exitCode"], 127)


class CoordinatorReduceTest(ClusterTest, ReduceTest):
    """As in a cluster: the launcher of the reduce command is not the coordinator's child."""

    def begin(self, script, launcher=True, **more):
        self.plan(with_reduce("plots", ["/bin/sh", "-c", script], **more), ("a", 1))
        self.socket = self.root / "launcher.sock"
        if launcher:
            self.start_launcher()
        self.worker_process = None
        return self.start_coordinator()

    def start_launcher(self):
        self.launcher = Program([LAUNCHER, "serve", self.socket], self.folder,
                                env={"PATH": "/usr/bin:/bin", "RUNS": str(self.runs)})
        self.addCleanup(self.launcher.end)

    def start_coordinator(self):
        self.output.mkdir(exist_ok=True)
        coordinator = self.coordinator("--launcher-socket", self.socket)
        if self.worker_process is None:
            self.worker_process = self.worker("a")
        return coordinator

    def await_reduce(self, coordinator):
        return coordinator.await_progress(lambda now: now.get("reduceAttempt"), "it reduces")

    def test_results_are_served(self):
        coordinator = self.begin('echo plot > plot.svg; ln -s ../journal.db link; touch "a b"')
        done = coordinator.await_state("Complete")
        self.assertEqual(done["result"]["reduce"]["exitCode"], 0)
        self.assertNotIn("reduceAttempt", done)
        self.assertEqual(done["resultFiles"], ["reduce/plot.svg", "results.jsonl"])
        self.assertEqual(json.loads(coordinator.get("/results/")[1]), done["resultFiles"])
        self.assertEqual(coordinator.get("/results/reduce/plot.svg"), (200, b"plot\n"))
        for path in ("/results/reduce/link", "/results/reduce/../journal.db", "/results/reduce/"):
            self.assertIn(coordinator.get(path)[0], (400, 404), path)
        self.assertEqual(self.worker_process.wait(), 0, self.worker_process.said)

    def test_progress_while_it_runs(self):
        coordinator = self.begin(HANGS_ONCE)
        now = self.await_reduce(coordinator)
        self.assertEqual((now["state"], now["progress"], now["reduceAttempt"]), ("Running", 1, 1))
        self.assertEqual(coordinator.get("/report.html")[0], 200)

    def test_a_failure_is_reported(self):
        coordinator = self.begin("echo no display >&2; exit 3",
                                 taskPolicy={"backoffLimitPerTask": 0})
        failed = coordinator.await_state("Failed")
        self.assertEqual(failed["cause"], "ReduceFailed")
        self.assertEqual(failed["reason"],
                         "command.reduce failed once: exit code 3: no display")
        self.assertEqual(coordinator.get("/results/results.jsonl")[0], 200)
        self.assertEqual(json.loads(coordinator.get("/summary.json")[1])["reduce"]["exitCode"], 3)

    def test_a_job_that_failed_stays_so(self):
        coordinator = self.begin(RUNS + "exit 1", taskPolicy={"backoffLimitPerTask": 0})
        coordinator.await_state("Failed")
        self.assertEqual(coordinator.await_exit(), 0, coordinator.said)
        self.start_coordinator().await_state("Failed")
        self.assertEqual(self.count_runs(), 1)

    def test_the_coordinator_is_killed_while_it_runs(self):
        coordinator = self.begin(HANGS_ONCE, taskPolicy={"backoffLimitPerTask": 0})
        eventually(lambda: self.count_runs() == 1, "it runs")
        coordinator.process.kill()
        coordinator.wait()
        self.start_coordinator().await_state("Complete")
        self.assertEqual(self.count_runs(), 2)
        self.check_covered_once(20)

    def test_a_success_that_is_recorded_is_not_repeated(self):
        coordinator = self.begin(RUNS + "true")
        coordinator.await_state("Complete")
        coordinator.process.kill()
        coordinator.wait()
        self.start_coordinator().await_state("Complete")
        self.assertEqual(self.count_runs(), 1)

    def test_suspended_while_it_runs(self):
        coordinator = self.begin(HANGS_ONCE, taskPolicy={"backoffLimitPerTask": 0})
        eventually(lambda: self.count_runs() == 1, "it runs")
        coordinator.ask("PUT", "/desired-state/Suspended")
        coordinator.await_state("Interrupted")
        self.assertEqual(coordinator.ask("GET", "/snapshot")[0], 200)
        coordinator.ask("PUT", "/desired-state/Running")
        self.assertEqual(coordinator.wait(), 0, coordinator.said)
        self.start_coordinator().await_state("Complete")
        self.assertEqual(self.runs.read_text(), "0\n0\n")

    def test_it_waits_for_its_container(self):
        """The image is still being pulled when the tasks are done."""
        coordinator = self.begin(RUNS + "true", launcher=False)
        self.await_reduce(coordinator)
        self.assertEqual(self.count_runs(), 0)
        self.start_launcher()
        coordinator.await_state("Complete")
        self.assertEqual(self.count_runs(), 1)

    def test_its_container_is_lost(self):
        """As if it ran out of memory: the run failed, and is tried in the next container."""
        coordinator = self.begin(HANGS_ONCE)
        eventually(lambda: self.count_runs() == 1, "it runs")
        self.launcher.process.kill()
        self.launcher.wait()
        self.start_launcher()
        done = coordinator.await_state("Complete")
        self.assertEqual(done["result"]["reduce"]["attempts"], 2)


if __name__ == "__main__":
    evenkeel.main()
