"""A real run, and `evenkeel simulate --replay` of it."""

import json
import os
import signal
import subprocess

import evenkeel
from evenkeel import EVENKEEL, RunTest, job, node, nodes, synthetic

# The tasks sleep, so their durations do not depend on the load of this machine. The simulator omits
# gaps between tasks and late wake-ups, about a millisecond a task and more on a busy machine, and it
# spreads the time of a range evenly over its tasks. In a run of some seconds, the difference was 0.1
# to 5 %, the latter with four times as many processes as cores.
TOLERANCE = 0.1

# Tolerance against a different run, which has its own gaps: the difference was up to 9 % on the same
# busy machine. A simulated crash loses the work that was not reported, up to a second of that node,
# which is 0.45 s here; in the run it was a different part of a second.
TOLERANCE_OF_ANOTHER = 0.15

TASKS = synthetic(240, {"uniform": [0.05, 0.3]}, seed=3, costsKnown=False)
TRIO = nodes(node("pi4-a", 4), node("pi4-b", 4), node("pi3", 1))


class ReplayTest(RunTest):
    def replay(self, *more):
        done = subprocess.run([EVENKEEL, "simulate", "--replay", self.output, "-o", "json", *more],
                              capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def run_with(self, strategy):
        self.output = self.folder / strategy
        self.run_to_end(self.command(job("real", TASKS), TRIO, "--strategy", strategy))
        return self.summary()["makespanSeconds"]

    def test_the_same_again_takes_about_as_long(self):
        for strategy in ("TailStealing", "DomainDecomposition", "MasterSlave"):
            with self.subTest(strategy):
                real = self.run_with(strategy)
                again = self.replay()
                self.assertEqual(again["replay"]["makespanSeconds"], real)
                self.assertEqual(again["runs"][0]["strategy"], strategy)
                simulated = again["runs"][0]["makespanSeconds"]
                print(f"{strategy}: real {real:.3f} s, replayed {simulated:.3f} s")
                self.assertAlmostEqual(simulated, real, delta=TOLERANCE * real)

    def test_foretells_what_another_strategy_takes(self):
        static = self.run_with("DomainDecomposition")
        foretold = self.replay("--strategy", "TailStealing")["runs"][0]["makespanSeconds"]
        real = self.run_with("TailStealing")
        print(f"DomainDecomposition took {static:.3f} s; TailStealing: foretold {foretold:.3f} s, took {real:.3f} s")
        self.assertAlmostEqual(foretold, real, delta=TOLERANCE_OF_ANOTHER * real)
        self.assertLess(foretold, 0.6 * static)

    def test_foretells_what_one_more_node_brings(self):
        self.run_with("TailStealing")
        foretold = self.replay("--nodes", "pi4-c=4")["runs"][0]["makespanSeconds"]
        self.output = self.folder / "four"
        four = nodes(*TRIO["items"], node("pi4-c", 4))
        self.run_to_end(self.command(job("real", TASKS), four))
        real = self.summary()["makespanSeconds"]
        print(f"one more node: foretold {foretold:.3f} s, took {real:.3f} s")
        self.assertAlmostEqual(foretold, real, delta=TOLERANCE_OF_ANOTHER * real)

    def test_a_node_that_died_dies_again(self):
        process = self.start(self.command(job("real", TASKS), TRIO))
        workers = self.wait_for_workers(process, 3)
        self.wait_for_tasks(process, 60)
        os.kill(workers["pi4-b"], signal.SIGKILL)
        self.assertEqual(process.wait(), 0, process.err)
        real = self.summary()["makespanSeconds"]
        joins = [line for line in self.timeline() if line["kind"] == "joined" and line["worker"] == "pi4-b"]
        self.assertEqual(len(joins), 2)
        again = self.replay()["runs"][0]["makespanSeconds"]
        print(f"with a death: real {real:.3f} s, replayed {again:.3f} s")
        self.assertAlmostEqual(again, real, delta=TOLERANCE_OF_ANOTHER * real)


if __name__ == "__main__":
    evenkeel.main()
