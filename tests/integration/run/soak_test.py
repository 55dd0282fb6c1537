"""Long: one job that is killed in every way, at random, until it is done; and it is done rightly."""

import os
import random
import signal

import evenkeel
from evenkeel import RunTest, job, node, nodes, synthetic

TASKS = 4000
SEED = int(os.environ.get("EVENKEEL_SEED", random.randrange(10 ** 6)))


class SoakTest(RunTest):
    def test_killed_at_random_until_it_is_done(self):
        print(f"\nEVENKEEL_SEED={SEED} repeats the choices, if not the times", flush=True)
        chance = random.Random(SEED)
        workload = synthetic(TASKS, {"exponential": 0.05}, seed=SEED, costsKnown=chance.random() < 0.5)
        listed = nodes(*(node(f"node-{i}", chance.choice((1, 2, 4))) for i in range(5)))
        arguments = self.command(job("tough", workload, balancing={"leaseSeconds": 0.5}), listed)
        durable, starts = set(), 0
        while True:
            starts += 1
            process = self.start([*arguments, "--strategy", chance.choice(("TailStealing", "Interleaved"))])
            ended = self.torment(process, chance)
            rows = set(self.journal_rows())
            self.assertLessEqual(durable, rows)
            durable = rows
            if ended:
                break
        self.assertEqual(process.wait(), 0, process.err)
        summary = self.summary()
        print(f"{starts} starts, {summary['makespanSeconds']:.1f} s, bound {summary['lowerBoundSeconds']:.1f} s")
        self.assertEqual(summary["tasks"], {"total": TASKS, "completed": TASKS, "failed": 0})
        self.check_covered_once(TASKS)

    def torment(self, process, chance):
        """Lets it work for a while between blows. True if it came to its end nevertheless."""
        for _ in range(chance.randrange(1, 6)):
            try:
                process.wait(chance.uniform(0.2, 1.5))
                return True
            except AssertionError:
                pass  # it works on
            workers = process.workers()
            if workers:
                victim = workers[chance.choice(sorted(workers))]
                try:
                    os.kill(victim, chance.choice((signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT)))
                except ProcessLookupError:
                    pass
        workers = process.workers()
        process.signal(chance.choice((signal.SIGKILL, signal.SIGINT, signal.SIGTERM)))
        process.wait()
        for pid in workers.values():  # stopped ones cannot notice that their parent has exited
            try:
                os.kill(pid, signal.SIGCONT)
            except ProcessLookupError:
                pass
        self.check_no_worker_of(workers)
        return False


if __name__ == "__main__":
    evenkeel.main()
