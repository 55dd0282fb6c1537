"""examples/own-workload, built with the installed package: alone, on nodes, as in a cluster, and what
its programs and the stock ones say of workloads that they do not know.

EVENKEEL and EVENKEEL_COORDINATOR name the project's programs, EVENKEEL_STOCK Evenkeel's own."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "run"))
import evenkeel  # noqa: E402  (beside the tests of Evenkeel's own programs)
from cluster import ClusterTest  # noqa: E402
from evenkeel import EVENKEEL, RunTest, job, node, nodes  # noqa: E402
from mandelbrot import picture  # noqa: E402

STOCK = os.environ["EVENKEEL_STOCK"]
WORKER = pathlib.Path(EVENKEEL).parent / "evenkeel-worker"
SMALL = {"width": 72, "height": 54, "iterations": 200}
BUILT_IN = "command, custom, matmul, parameterEstimation, primes, switchSimulation, synthetic"


def mandelbrot(parameters=None, **sections):
    return job("rows", {"custom": {"mandelbrot": SMALL if parameters is None else parameters}},
               **sections)


class OwnWorkloadTest(RunTest):
    def check_picture(self):
        expected = picture(**SMALL)
        self.assertEqual((self.output / "mandelbrot.pgm").read_bytes(), expected)
        points = expected[-SMALL["width"] * SMALL["height"]:]
        self.assertEqual(self.summary()["result"],
                         {"points": len(points), "inside": points.count(0)})

    def test_alone(self):
        self.run_to_end(self.command(mandelbrot()))
        self.check_picture()
        self.check_covered_once(SMALL["height"])

    def test_on_three_nodes(self):
        three = nodes(node("alpha", 0.4), node("beta", 0.3), node("gamma", 0.1))
        self.run_to_end(self.command(mandelbrot(), three))
        self.check_picture()
        self.check_covered_once(SMALL["height"])

    def test_built_in_workloads_are_there_as_well(self):
        self.run_to_end(self.command(job("primes", {"primes": {"end": 1000, "method": "Sieve"}})))
        self.assertEqual(self.summary()["result"]["count"], 168)

    def test_commands_find_their_launcher(self):
        self.run_to_end(self.command(job("echo", {"command": {"command": ["/bin/true"], "tasks": 3}})))
        self.assertEqual(self.summary()["result"]["succeeded"], 3)

    def refused(self, manifest, program=EVENKEEL):
        """Returns the one line of the error with which the program refuses to start."""
        done = subprocess.run([program, "run", self.write("job.yaml", manifest), "--output",
                               self.output], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertFalse(self.output.exists())
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr.strip().split("job.yaml: ")[1]

    def test_what_is_wrong_is_said_in_one_line(self):
        path = "spec.workload.custom"
        for workload, said in (
                ({"custom": {"mandelbrod": {}}}, f"{path}.mandelbrod: must be one of mandelbrot"),
                ({"mandelbrot": {}}, f"spec.workload.mandelbrot: must be one of {BUILT_IN}"),
                ({"custom": {"primes": {"end": 3}}}, f"{path}.primes: must be one of mandelbrot"),
                ({"custom": {"mandelbrot": {"width": 0}}},
                 f"{path}.mandelbrot.width: must be a whole number from 1 to 8192, is 0"),
                ({"custom": {"mandelbrot": {"depth": 3}}},
                 f"{path}.mandelbrot.depth: unknown field, known are width, height, iterations"),
                ({"custom": {}}, f"{path}: must be an object with exactly one workload, is none")):
            with self.subTest(workload=workload):
                self.assertEqual(self.refused(job("rows", workload)), said)

    def test_the_stock_program_says_that_it_lacks_the_workload(self):
        self.assertEqual(self.refused(mandelbrot(), STOCK),
                         "spec.workload.custom.mandelbrot: there is no such workload, this program "
                         "has built-in ones only")

    def test_a_worker_without_the_workload_ends_at_once(self):
        done = subprocess.run([WORKER, "--coordinator", "localhost:1", "--node", "n", "--workload",
                               "custom.rows"], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "evenkeel-worker: spec.workload.custom.rows: must be one of mandelbrot\n"))


class AsInAClusterTest(ClusterTest):
    """Coordinator and workers as the operator starts them."""

    def start(self, manifest):
        self.plan(manifest, ("pi4", 2), ("pi3", 1))
        self.workload = "custom." + next(iter(manifest["spec"]["workload"]["custom"]))
        self.output.mkdir()
        return self.coordinator()

    def test_coordinator_and_workers(self):
        coordinator = self.start(mandelbrot())
        workers = self.workers("pi4", "pi3")
        done = coordinator.await_state("Complete")
        self.assertEqual(done["resultFiles"], ["mandelbrot.pgm"])
        self.check_all_done(workers)
        status, page = coordinator.get("/results/mandelbrot.pgm")
        self.assertEqual((status, page), (200, picture(**SMALL)))

    def test_a_coordinator_that_lacks_the_workload_refuses_the_job(self):
        refused = self.start(job("rows", {"custom": {"columns": {}}}))
        self.assertEqual(refused.wait(), 2)
        self.assertEqual(refused.said, "evenkeel-coordinator: job.json: spec.workload.custom.columns: "
                                       "must be one of mandelbrot\n")


if __name__ == "__main__":
    evenkeel.main()
