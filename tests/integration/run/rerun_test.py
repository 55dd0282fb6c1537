"""Reruns: tasks of an earlier run run again in its folder, and its other results stay."""

import json
import signal

import evenkeel
from bad_input_test import BadInputTest
from cluster import ClusterTest, free_ports
from evenkeel import eventually, job, node, nodes

# Tasks 3, 7 and 8 fail until the file "repaired" appears. The number of runs of each task is that of
# the lines in its file.
FRAGILE = """
echo run >> runs-{}
case {} in
  3|7|8) test -e repaired || { echo broken >&2; exit 4; };;
esac
echo "result of {}"
"""
PATIENT = {"maxFailedTasks": 9, "backoffLimitPerTask": 0}


class RerunTest(BadInputTest):
    def manifest(self, script=FRAGILE, tasks=12, policy=PATIENT, **command):
        words = ["/bin/sh", "-c", f"cd '{self.folder}'; {script}"]
        return job("fragile", {"command": {"command": words,
                                           "arguments": [str(n) for n in range(tasks)], **command}},
                   taskPolicy=policy)

    def rows(self):
        return [json.loads(line) for line in (self.output / "results.jsonl").read_text().splitlines()]

    def results(self):
        """The rows without the fields that differ between two runs of the same tasks."""
        return [{key: value for key, value in row.items() if key not in ("seconds", "node")}
                for row in self.rows()]

    def runs(self):
        """How often each task has run."""
        return [len((self.folder / f"runs-{n}").read_text().splitlines()) for n in range(12)]

    def rerun(self, *arguments, code=0):
        return self.run_to_end(["run", *arguments], code)

    def repair(self):
        self.write("repaired", "")

    def run_without_failures(self, manifest):
        """The results of another run, in which no task fails."""
        self.repair()
        earlier, self.output = self.output, self.folder / "whole"
        self.run_to_end(self.command(manifest))
        results, self.output = self.results(), earlier
        return results


class Reruns(RerunTest):
    def test_failed_tasks_run_again_and_the_results_are_merged(self):
        manifest = self.manifest()
        self.run_to_end(self.command(manifest))
        self.assertEqual(self.summary()["result"],
                         {"succeeded": 9, "failed": 3, "exitCodes": {"0": 9, "4": 3}})
        self.repair()
        process = self.rerun("--rerun-failed", self.output)
        self.assertIn("fragile: 3 of 12 tasks run, the results of the others stay\n", process.out)
        self.assertEqual(self.runs(), [2 if n in (3, 7, 8) else 1 for n in range(12)])
        self.assertEqual(self.summary()["result"],
                         {"succeeded": 12, "failed": 0, "exitCodes": {"0": 12}})
        self.assertEqual(self.summary()["failedIndexes"], "")
        self.assertEqual(self.results(), self.run_without_failures(manifest))

        again = self.rerun("--rerun-failed", self.output)
        self.assertIn("fragile: no task has failed; ", again.out)
        self.assertEqual(self.runs()[3], 3, "one more in the run without failures")

    def test_a_job_that_failed_runs_what_it_had_not_run(self):
        manifest = self.manifest(policy={"backoffLimitPerTask": 0})
        self.run_to_end(self.command(manifest), 1)
        self.repair()
        self.rerun("--rerun-failed", self.output)
        self.assertEqual(self.results(), self.run_without_failures(manifest))

    def test_tasks_get_all_their_retries_again(self):
        manifest = self.manifest(policy={"maxFailedTasks": 9, "backoffLimitPerTask": 1})
        self.run_to_end(self.command(manifest))
        self.assertEqual(self.runs()[3], 2)
        self.rerun("--rerun-failed", self.output)
        self.assertEqual(self.runs()[3], 4)
        self.assertEqual({row["index"]: row["attempts"] for row in self.rows()
                          if row["status"] == "failed"}, {3: 2, 7: 2, 8: 2})

    def test_chosen_tasks_run_again(self):
        self.run_to_end(self.command(self.manifest()))
        self.repair()
        self.rerun("--rerun", self.output, "--indexes", "10-11,0,7")
        self.assertEqual(self.runs(), [2 if n in (0, 7, 10, 11) else 1 for n in range(12)])
        self.assertEqual([row["index"] for row in self.rows() if row["status"] == "failed"], [3, 8])
        self.assertEqual([row["index"] for row in self.rows()], list(range(12)))

    def test_arguments_that_are_not_given_are_those_of_the_first_run(self):
        three = nodes(node("a"), node("b"), node("c"))
        self.run_to_end(self.command(self.manifest(), three, "--strategy", "MasterSlave"))
        self.rerun("--rerun-failed", self.output)
        self.assertEqual(self.summary()["strategy"], "MasterSlave")
        self.assertEqual([row["name"] for row in self.summary()["nodes"]], ["a", "b", "c"])
        self.rerun("--rerun-failed", self.output, "--strategy", "TailStealing")
        self.assertEqual(self.summary()["strategy"], "TailStealing")

    def test_a_rerun_that_was_killed_goes_on(self):
        manifest = self.manifest(script=FRAGILE + 'test ! -e slow || test {} -lt 8 || sleep 60')
        self.run_to_end(self.command(manifest, nodes(node("a"))))
        before = (self.output / "results.jsonl").read_bytes()
        self.repair()
        self.write("slow", "")
        process = self.start(["run", "--rerun-failed", self.output])
        eventually(lambda: self.runs()[8] == 2, "the last of the tasks runs")
        process.signal(signal.SIGKILL)
        process.wait()
        self.assertEqual((self.output / "results.jsonl").read_bytes(), before)
        (self.folder / "slow").unlink()
        self.rerun("--rerun-failed", self.output)
        self.assertEqual([n for n, runs in enumerate(self.runs()) if runs > 1], [3, 7, 8])
        self.assertEqual(self.results(), self.run_without_failures(manifest))

    def test_items_of_ranges_run_again_and_the_lines_are_divided(self):
        script = 'echo "{first} {last}" >> runs; echo "{first} {last}"'
        manifest = job("frames", {"command": {
            "command": ["/bin/sh", "-c", f"cd '{self.folder}'; {script}"],
            "range": {"tasks": 100, "minTasks": 100}}})
        self.run_to_end(self.command(manifest, nodes(node("a"))))
        self.rerun("--rerun", self.output, "--indexes", "40-49,99")
        self.assertEqual((self.folder / "runs").read_text().splitlines()[0], "0 99")
        lines = [(row["first"], row["last"], row.get("stdout")) for row in self.rows()]
        self.assertEqual(lines, [(0, 39, "0 99\n"), (40, 49, "40 49\n"), (50, 98, None),
                                 (99, 99, "99 99\n")])
        self.assertEqual(self.summary()["result"]["succeeded"], 100)

    def test_other_workloads_are_merged_exactly(self):
        self.run_to_end(self.command(job("sums", evenkeel.primes(200000, list=True))))
        before = (self.output / "primes.npy").read_bytes()
        result = self.summary()["result"]
        self.rerun("--rerun", self.output, "--indexes", "0,2-3")
        self.assertEqual((self.output / "primes.npy").read_bytes(), before)
        self.assertEqual(self.summary()["result"], result)

    def test_the_deadline_begins_anew(self):
        manifest = self.manifest(script=FRAGILE + "test -e repaired || sleep 60")
        manifest["spec"]["activeDeadlineSeconds"] = 2
        self.run_to_end(self.command(manifest), 1)
        self.repair()
        self.rerun("--rerun-failed", self.output)


class BadReruns(RerunTest):
    def test_one_line_says_what_is_wrong(self):
        self.run_to_end(self.command(self.manifest()))
        folder = str(self.output)
        for arguments, *parts in (
                (["--rerun", folder, "--indexes", "3,7-9,8"], "--indexes", "names 8 twice"),
                (["--rerun", folder, "--indexes", "9-7"], "--indexes", "such as 3,7-9", "9-7"),
                (["--rerun", folder, "--indexes", "seven"], "--indexes", "such as 3,7-9", "seven"),
                (["--rerun", folder, "--indexes", "12"], "--indexes", "must be below 12, is 12"),
                (["--rerun", folder], "--rerun requires --indexes"),
                (["--indexes", "3"], "--indexes requires --rerun"),
                (["--rerun-failed", folder, "--output", folder], "--output excludes --rerun-failed"),
                (["--rerun-failed", folder, "--rerun", folder, "--indexes", "3"], "excludes"),
                (["--rerun-failed", str(self.folder / "none")], "does not exist", "none"),
                (["--rerun-failed", str(self.folder)], "run.json", "does not name the manifest"),
                (["job.yaml", "--rerun-failed", str(self.folder)], "has no journal.db")):
            with self.subTest(arguments=arguments):
                self.check_refused(["run", *arguments], *parts)

    def test_another_job_is_refused(self):
        self.run_to_end(self.command(self.manifest()))
        self.write("job.yaml", self.manifest(tasks=13, script="exit 0"))
        self.assertEqual(self.start(["run", "--rerun-failed", self.output]).wait(), 2)

    def test_jobs_that_end_early_and_reruns_of_a_cluster_are_refused(self):
        early = self.manifest(policy={**PATIENT, "successPolicy": {"succeededCount": 4}})
        self.run_to_end(self.command(early))
        self.check_refused(["run", "--rerun-failed", self.output], "spec.taskPolicy.successPolicy")
        manifest = self.manifest()
        manifest["spec"]["rerun"] = {"job": "first", "failed": True}
        self.check_job(manifest, "spec.rerun", "--rerun-failed DIR")

    def test_an_unfinished_rerun_of_other_tasks_is_not_given_up(self):
        self.run_to_end(self.command(self.manifest(script=FRAGILE + "test ! -e slow || sleep 60")))
        self.write("slow", "")
        process = self.start(["run", "--rerun", self.output, "--indexes", "5"])
        eventually(lambda: self.runs()[5] == 2, "the task runs again")
        process.signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 130, process.err)
        refused = self.start(["run", "--rerun-failed", self.output])
        self.assertEqual(refused.wait(), 2, refused.out)
        self.assertIn('a rerun of the tasks "5" has not ended', refused.err)
        (self.folder / "slow").unlink()
        self.rerun("--rerun", self.output, "--indexes", "5")
        self.assertEqual(self.runs()[5], 3)
        self.assertEqual(self.runs()[6], 1)


class InACluster(RerunTest, ClusterTest):
    """spec.rerun: the coordinator of a new job takes over what an earlier one has left on a claim."""

    def start_job(self, manifest, name, *more):
        """(coordinator, worker) of the job in its own folder; the coordinators of earlier jobs stay."""
        manifest["metadata"]["name"] = name
        self.plan(manifest, ("a", 1))
        self.output = self.folder / name
        self.ports = free_ports(len(self.ports))
        return self.coordinator(*more, folder=self.output), self.worker("a")

    def await_end(self, coordinator, worker):
        self.assertEqual(coordinator.await_state("Complete")["tasks"]["total"], 12)
        self.check_all_done([worker])

    def start_rerun(self, manifest, **selection):
        manifest["spec"]["rerun"] = {"job": "first", **selection}
        return self.start_job(manifest, "first-rerun-1", "--earlier", self.folder / "first")

    def test_failed_tasks_run_again_though_the_coordinator_is_killed(self):
        manifest = self.manifest(script=FRAGILE +
                                 "test {} -lt 8 || while test -e slow; do sleep 0.1; done")
        self.await_end(*self.start_job(manifest, "first"))
        earlier = (self.output / "results.jsonl").read_bytes()
        self.repair()
        self.write("slow", "")
        coordinator, worker = self.start_rerun(manifest, failed=True)
        coordinator.await_tasks(9)
        eventually(lambda: self.runs()[8] == 2, "the last of the tasks runs")
        coordinator.await_exit(signal.SIGKILL)
        (self.folder / "slow").unlink()
        again = self.coordinator("--earlier", self.folder / "first", folder=self.output)
        self.await_end(again, worker)
        self.assertEqual([n for n, runs in enumerate(self.runs()) if runs > 1], [3, 7, 8])
        self.assertEqual([row["stdout"] for row in self.rows()],
                         [f"result of {n}\n" for n in range(12)])
        self.assertEqual({row["status"] for row in self.rows()}, {"succeeded"})
        self.assertEqual((self.folder / "first" / "results.jsonl").read_bytes(), earlier)

    def test_chosen_tasks_run_again(self):
        self.repair()
        self.await_end(*self.start_job(self.manifest(), "first"))
        self.await_end(*self.start_rerun(self.manifest(), indexes="2,5-6"))
        self.assertEqual([n for n, runs in enumerate(self.runs()) if runs > 1], [2, 5, 6])

    def test_what_cannot_be_taken_over_is_refused(self):
        self.repair()
        coordinator, _ = self.start_rerun(self.manifest(), failed=True)
        self.assertEqual(coordinator.wait(), 2, coordinator.said)
        self.assertIn("first/journal.db: does not exist: the job first has left no results there",
                      coordinator.said)
        self.await_end(*self.start_job(self.manifest(), "first"))
        coordinator, _ = self.start_rerun(self.manifest(tasks=11), failed=True)
        self.assertEqual(coordinator.wait(), 2, coordinator.said)
        self.assertIn("they differ in number of tasks", coordinator.said)
        coordinator, _ = self.start_rerun(self.manifest(), indexes="12")
        self.assertEqual(coordinator.wait(), 2, coordinator.said)
        self.assertIn("spec.rerun.indexes: must be below 12, is 12", coordinator.said)


if __name__ == "__main__":
    evenkeel.main()
