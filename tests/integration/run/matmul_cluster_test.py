"""A product of files as in a cluster: coordinator and workers over mutual TLS, blocks from one worker
to another, and a coordinator that is killed and comes back."""

import signal

import evenkeel
import numpy
from cluster import ClusterTest
from evenkeel import job

NODES = (("pi4a", 2), ("pi4b", 1))


class MatmulClusterTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.inputs = self.folder / "inputs"
        self.inputs.mkdir()
        generator = numpy.random.default_rng(5)
        self.a, self.b = (generator.standard_normal((900, 900)) for _ in range(2))
        numpy.save(self.inputs / "a.npy", self.a)
        numpy.save(self.inputs / "b.npy", self.b)
        self.plan(job("product", {"matmul": {"a": {"file": "a.npy"}, "b": {"file": "b.npy"},
                                             "tile": {"rows": 60, "columns": 60}}}), *NODES)
        self.output.mkdir(exist_ok=True)

    def start_worker(self, node, *more):
        return self.worker(node, "--peer-name", "product-worker", *more)

    def check_product(self):
        product = numpy.load(self.output / "c.npy")
        bound = 900 * 2.0**-53 / (1 - 900 * 2.0**-53) * (abs(self.a) @ abs(self.b))
        self.assertTrue((abs(product - self.a @ self.b) <= 2 * bound).all())

    def test_blocks_come_from_the_other_worker(self):
        coordinator = self.coordinator("--inputs", self.inputs)
        workers = [self.start_worker(node) for node, _ in NODES]
        done = coordinator.await_state("Complete")
        self.assertEqual(done["resultFiles"], ["c.npy"])
        self.check_product()
        for worker in workers:
            self.assertEqual(worker.wait(), 0, worker.said)
        sent = self.summary()["bytesSent"]
        once = self.a.nbytes + self.b.nbytes
        self.assertGreater(sent, once)
        self.assertLess(sent, 1.3 * once, "each block leaves the coordinator about once")

    def test_a_coordinator_that_comes_back_goes_on(self):
        first = self.coordinator("--inputs", self.inputs)
        workers = [self.start_worker(node, "--duty-cycle", "0.1") for node, _ in NODES]
        first.await_tasks(20)
        first.process.send_signal(signal.SIGKILL)
        first.wait()
        second = self.coordinator("--inputs", self.inputs)
        done = second.await_state("Complete")
        self.assertGreaterEqual(done["resumedTasks"], 20)
        self.check_product()
        for worker in workers:
            self.assertEqual(worker.wait(), 0, worker.said)

    def test_a_missing_file_is_said_and_nothing_starts(self):
        (self.inputs / "b.npy").unlink()
        coordinator = self.coordinator("--inputs", self.inputs)
        self.assertEqual(coordinator.wait(), 2)
        self.assertIn("spec.workload.matmul.b.file: ", coordinator.said)
        self.assertIn("b.npy: there is no such file", coordinator.said)


if __name__ == "__main__":
    evenkeel.main()
