"""A run that the previous version began is resumed by this one, and gives the exact result."""

import pathlib
import shutil

import evenkeel
from evenkeel import RunTest, job, node, nodes, primes

# The journal of `evenkeel run` of version 0.1.0, interrupted by SIGINT after 45 of 100 tasks.
JOURNAL = pathlib.Path(__file__).parent / "data" / "interrupted_primes_format_2.db"
TASKS = 100
END = 20_000


def primes_below(end):
    return tuple(n for n in range(2, end) if all(n % d for d in range(2, int(n ** 0.5) + 1)))


class PreviousVersionTest(RunTest):
    def setUp(self):
        super().setUp()
        self.output.mkdir()
        shutil.copy(JOURNAL, self.output / "journal.db")

    def arguments(self, end):
        workload = primes(end, "TrialDivision", candidatesPerTask=100, list=True)
        listed = nodes(node("alpha"), node("gamma"))
        return self.command(job("primes", workload, balancing={"leaseSeconds": 1}), listed)

    def test_its_run_is_resumed(self):
        durable = self.journal_rows()
        process = self.run_to_end(self.arguments(END))
        self.assertIn("45 tasks are done", process.out)
        self.assertLessEqual(set(durable), set(self.journal_rows()))
        summary = self.summary()
        self.assertEqual(summary["state"], "Complete")
        self.assertEqual(summary["epoch"], 2)
        self.assertEqual(summary["tasks"], {"total": TASKS, "completed": TASKS, "failed": 0})
        self.assertEqual({row["name"] for row in summary["nodes"]}, {"alpha", "beta", "gamma"})
        self.check_covered_once(TASKS)
        expected = primes_below(END)
        self.assertEqual(summary["result"], {"count": len(expected), "largest": expected[-1]})
        _, numbers = evenkeel.read_npy(self.output / "primes.npy")
        self.assertEqual(numbers, expected)

    def test_its_journal_of_another_job_is_refused(self):
        before = (self.output / "journal.db").read_bytes()
        process = self.run_to_end(self.arguments(2 * END), 2)
        self.assertEqual(len(process.err.splitlines()), 1, process.err)
        self.assertIn("belongs to job \"primes\"", process.err)
        self.assertEqual((self.output / "journal.db").read_bytes(), before)


if __name__ == "__main__":
    evenkeel.main()
