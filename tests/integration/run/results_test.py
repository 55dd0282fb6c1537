"""The numbers that a run finds, and what it writes down about itself."""

import json

import evenkeel
from evenkeel import RunTest, job, node, nodes, primes, synthetic


def sieve(end):
    flags = bytearray([1]) * (end + 1)
    flags[:2] = b"\0\0"
    for i in range(2, int(end ** 0.5) + 1):
        if flags[i]:
            flags[i * i::i] = bytes(len(range(i * i, end + 1, i)))
    return tuple(i for i, flag in enumerate(flags) if flag)


NUMBER = (int, float)
SUMMARY = {"job": str, "state": str, "strategy": str, "tasks": dict, "makespanSeconds": NUMBER,
           "startupSeconds": NUMBER, "lowerBoundSeconds": NUMBER, "rateSource": str,
           "efficiency": NUMBER, "loadImbalancePercent": NUMBER, "wastedSeconds": NUMBER,
           "messages": int, "moves": dict, "bytesSent": int, "bytesReceived": int, "nodes": list,
           "result": dict}
NODE = {"name": str, "weight": int, "ratio": NUMBER, "share": NUMBER, "completed": int,
        "stolenIn": int, "stolenOut": int, "busySeconds": NUMBER, "rate": NUMBER}


class PrimesTest(RunTest):
    def test_trial_division_to_300000(self):
        self.run_to_end(self.command(job("primes", primes(300000, "TrialDivision"))))
        self.assertEqual(self.summary()["result"], {"count": 25997, "largest": 299993})

    def test_sieve_to_ten_million(self):
        self.run_to_end(self.command(job("primes", primes(10_000_000))))
        self.assertEqual(self.summary()["result"], {"count": 664579, "largest": 9999991})

    def test_list(self):
        for method in ("TrialDivision", "Sieve"):
            for end in (1, 2, 3, 30011):
                with self.subTest(method=method, end=end):
                    self.output = self.folder / f"{method}-{end}"
                    self.run_to_end(self.command(job("primes", primes(end, method, list=True))))
                    shape, found = evenkeel.read_npy(self.output / "primes.npy")
                    self.assertEqual(found, sieve(end))
                    self.assertEqual(shape, (len(found),))
                    self.assertEqual(self.summary()["result"]["count"], len(found))

    def test_folder_is_named_after_the_job(self):
        self.run_to_end(["run", self.write("job.yaml", job("my-primes", primes(1000)))])
        self.assertTrue((self.folder / "evenkeel-my-primes" / "report.html").exists())


class SummaryTest(RunTest):
    SPEEDS = {"quick": 4, "middle": 2, "slow": 1}

    def run_job(self, *more, **sections):
        manifest = job("even", synthetic(90, {"uniform": [0.02, 0.1]}, seed=3), **sections)
        listed = nodes(*(node(name, speed) for name, speed in self.SPEEDS.items()))
        return self.run_to_end(self.command(manifest, listed, *more))

    def check_types(self, summary):
        for fields, values in [(SUMMARY, summary), *((NODE, row) for row in summary["nodes"])]:
            for field, kind in fields.items():
                self.assertIsInstance(values[field], kind, field)
        for group, fields in {"tasks": ("total", "completed", "failed"),
                              "moves": ("reserved", "leased", "copies")}.items():
            for field in fields:
                self.assertIsInstance(summary[group][field], int, field)

    def check_numbers(self, summary):
        rows = summary["nodes"]
        total = lambda field: sum(row[field] for row in rows)
        self.assertEqual([row["name"] for row in rows], list(self.SPEEDS))
        self.assertEqual(summary["tasks"], {"total": 90, "completed": 90, "failed": 0})
        self.assertEqual(total("completed"), 90)
        self.assertAlmostEqual(total("share"), 1)
        self.assertEqual(total("stolenIn"), total("stolenOut"))
        makespan, bound = summary["makespanSeconds"], summary["lowerBoundSeconds"]
        self.assertAlmostEqual(summary["efficiency"], bound / makespan)
        self.assertLess(summary["efficiency"], 1)
        self.assertLess(0, summary["startupSeconds"])
        self.assertLess(summary["startupSeconds"], makespan)
        for row in rows:
            self.assertLessEqual(row["busySeconds"], makespan)

    def test_summary_keeps_the_contract(self):
        process = self.run_job()
        summary = self.summary()
        self.check_types(summary)
        self.check_numbers(summary)
        self.assertEqual((summary["job"], summary["state"], summary["strategy"]),
                         ("even", "Complete", "TailStealing"))
        self.assertEqual((summary["rateSource"], summary["speedControl"]), ("declared", "sleep"))
        self.assertIn(str(self.output / "report.html"), process.out.splitlines()[-1])
        self.assertEqual(process.err, "")
        self.assertGreater((self.output / "report.html").stat().st_size, 10000)

    def test_time_line_covers_each_task_once(self):
        self.run_job()
        self.check_covered_once(90)
        makespan = self.summary()["makespanSeconds"]
        for line in self.timeline():
            if "range" not in line:
                continue
            self.assertIn(line["worker"], self.SPEEDS)
            self.assertIn(line["kind"], ("planned", "stolen", "copy"))
            self.assertLessEqual(line["start"], line["end"])
            self.assertLessEqual(line["end"], makespan + 1e-6)

    def test_results_of_synthetic_tasks(self):
        self.run_job()
        shape, numbers = evenkeel.read_npy(self.output / "results.npy")
        self.assertEqual(shape, (90, 2))
        self.assertEqual(numbers[::2], tuple(range(90)))
        self.assertEqual(len(set(numbers[1::2])), 90)

    def test_json_on_standard_output_and_nothing_else(self):
        process = self.run_job("-o", "json")
        self.assertEqual(json.loads(process.out), self.summary())
        self.assertEqual(process.out, (self.output / "summary.json").read_text())

    def test_seed_changes_what_is_drawn(self):
        bounds = []
        for seed in (1, 2, 1):
            self.output = self.folder / f"seed-{len(bounds)}"
            self.run_job("--seed", str(seed))
            bounds.append(self.summary()["lowerBoundSeconds"])
        self.assertEqual(bounds[0], bounds[2])
        self.assertNotEqual(bounds[0], bounds[1])

    def test_report_is_written_again(self):
        self.run_job()
        page = self.output / "report.html"
        before = page.read_bytes()
        page.unlink()
        self.run_to_end(["report", self.output])
        self.assertEqual(page.read_bytes(), before)


class FailingTasksTest(RunTest):
    def run_job(self, code, **policy):
        workload = synthetic(8, {"constant": 0.01}, failing=[3])
        return self.run_to_end(self.command(job("failing", workload, taskPolicy=policy)), code)

    def test_job_fails_with_a_task_that_fails_for_good(self):
        process = self.run_job(1, backoffLimitPerTask=1)
        summary = self.summary()
        self.assertEqual((summary["state"], summary["failedIndexes"]), ("Failed", "3"))
        self.assertEqual(summary["tasks"]["failed"], 1)
        self.assertEqual(len(process.err.splitlines()), 1, process.err)
        self.assertIn("1 task failed for good (3), maxFailedTasks is 0; task 3 on ", process.err)
        self.assertIn("failing: Failed after ", process.out)
        # It stays failed, at once.
        again = self.start(self.command(job("failing", synthetic(8, {"constant": 0.01}, failing=[3]))))
        self.assertEqual(again.wait(1.5), 1)
        self.assertEqual(again.err, process.err)
        self.assertEqual(self.summary()["failedIndexes"], "3")

    def test_job_completes_with_as_many_failed_tasks_as_are_allowed(self):
        self.run_job(0, backoffLimitPerTask=1, maxFailedTasks=1)
        summary = self.summary()
        self.assertEqual((summary["state"], summary["failedIndexes"]), ("Complete", "3"))
        self.assertEqual(summary["tasks"], {"total": 8, "completed": 7, "failed": 1})
        self.assertEqual(summary["result"]["tasks"], 7)


class DeadlineTest(RunTest):
    def test_job_ends_at_its_deadline_and_goes_on_with_a_later_one(self):
        workload = synthetic(300, {"constant": 0.02})
        listed = nodes(node("one", 1), node("two", 1))
        late = self.command(job("late", workload, activeDeadlineSeconds=1), listed)
        process = self.run_to_end(late, 1, patience=5)
        self.assertIn("spec.activeDeadlineSeconds is 1", process.err)
        self.assertEqual(self.summary()["state"], "Failed")
        self.assertLess(0, self.durable_tasks())
        self.assertLess(self.durable_tasks(), 300)
        # Its time is over, and so it stays.
        self.run_to_end(late, 1, patience=5)
        self.run_to_end(self.command(job("late", workload, activeDeadlineSeconds=100), listed))
        self.assertEqual(self.summary()["state"], "Complete")
        self.check_covered_once(300)


if __name__ == "__main__":
    evenkeel.main()
