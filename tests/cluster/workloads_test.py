"""The workloads that people bring, in the cluster, each with a worker's pod deleted in mid-run: results
are those of a run without a cluster, or of NumPy, to the last byte or bit that can be asked for."""

import json
import pathlib
import subprocess

import cluster_case
import jobs
import kube
import machine
import numpy
import yaml

PROGRAM = machine.ROOT / "build" / "release" / "bin" / "evenkeel"
NODES = {"pi4-a", "pi4-b", "pi3"}
SLOTS = 25_000  # of 1,000,000 in the published sweep
ORDER = 4000


def example(name, **parameters):
    """The workload of an example, with some parameters changed; and its balancing."""
    spec = yaml.safe_load((machine.ROOT / "examples" / f"{name}.yaml").read_text())["spec"]
    for workload in spec["workload"].values():
        workload.update(parameters)
    return spec


class WorkloadCase(cluster_case.ClusterTest):
    def run_with_a_pod_deleted(self, name, spec, patience=240):
        """The job, complete, and the folder with its results."""
        job = self.submit(jobs.manifest(name, **spec))
        job.wait_part(0.05, patience)  # the status lags by seconds, and the job takes ten
        kube.delete("pod", job.workers()["pi4-b"]["metadata"]["name"], "-n", self.namespace, wait=False)
        job.wait_complete(patience)
        self.check_covered_once(job)
        self.assertEqual(job.summary()["tasks"]["failed"], 0)
        folder = cluster_case.folder_of(self)
        job.fetch_results(folder)
        return job, folder

    def run_here(self, name, spec):
        """The folder with the results of the same manifest by `evenkeel run`."""
        base = cluster_case.folder_of(self)
        (base / "job.json").write_text(json.dumps(jobs.manifest(name, **spec)))
        subprocess.run([PROGRAM, "run", base / "job.json", "--output", base / "here"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        return base / "here"

    def check_same(self, ours, theirs, *files):
        for file in files:
            self.assertEqual((ours / file).read_bytes(), (theirs / file).read_bytes(), file)


class SweepTest(WorkloadCase):
    def test_the_sweep_of_3072_tasks(self):
        spec = example("switch-sweep", slots=SLOTS)
        job, folder = self.run_with_a_pod_deleted("sweep", spec)
        self.assertEqual(job.status()["tasks"]["completed"], 3072)
        self.assertEqual({row["node"] for row in job.status()["workers"] if row["completed"]}, NODES)
        self.check_same(folder, self.run_here("sweep", spec), "results.csv")

    def test_combinations_in_rounds(self):
        """AdaptiveIterative's first application."""
        spec = example("estimate-elliptic")
        job = self.submit(jobs.manifest("estimate", **spec))
        job.wait_complete(240)
        self.check_covered_once(job)
        folder = cluster_case.folder_of(self)
        job.fetch_results(folder)
        self.check_same(folder, self.run_here("estimate", spec), "results.csv", "pareto.csv")


class ProductTest(WorkloadCase):
    """Files on a claim; blocks go from worker to worker under the job's certificates."""

    def setUp(self):
        super().setUp()
        volume = self.claim_new_volume("matrices", "shared")
        generator = numpy.random.default_rng(3)
        self.a, self.b = (generator.standard_normal((ORDER, ORDER)) for _ in range(2))
        self.disk = kube.place("STATE") / "volumes" / volume
        for name, matrix in (("a", self.a), ("b", self.b)):
            path = pathlib.Path(self.disk / f"{name}.npy")
            numpy.save(path, matrix)
            path.chmod(0o644)

    def spec(self, **more):
        return {"workload": {"matmul": {"a": {"file": "a.npy"}, "b": {"file": "b.npy"},
                                        "tile": {"rows": 100, "columns": 100}, **more}},
                "inputs": {"persistentVolumeClaim": "matrices"}}

    def test_product_of_files(self):
        job, folder = self.run_with_a_pod_deleted("product", self.spec())
        self.assertEqual(job.summary()["result"]["freivalds"], "passed")
        product = numpy.load(folder / "c.npy")
        self.assertEqual(product.shape, (ORDER, ORDER))
        some = slice(None, None, 17)  # rows of every tile; Freivalds looked at all
        rounding = ORDER * 2.0**-53
        bound = 2 * rounding / (1 - rounding) * (abs(self.a[some]) @ abs(self.b))
        self.assertTrue((abs(product[some] - self.a[some] @ self.b) <= bound).all())

    def test_a_file_that_is_not_there_is_a_condition(self):
        job = self.submit(jobs.manifest("missing", **self.spec(b={"file": "none.npy"})))
        found = job.until(lambda thing: jobs.condition(thing, "Failed").get("status") == "True", 120,
                          "it fails")
        self.assertIn("none.npy", jobs.condition(found, "Failed")["message"])


if __name__ == "__main__":
    cluster_case.main()
