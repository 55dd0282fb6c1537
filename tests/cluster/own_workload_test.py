"""A workload that is not Evenkeel's, in an image of its own, on the trio; and what the job says when the
programs in the image do not know it."""

import subprocess
import sys

import cluster_case
import jobs
import kube
import machine
import own_images

sys.path.insert(0, str(machine.ROOT / "tests" / "integration" / "package"))
import mandelbrot  # noqa: E402  beside the tests that need no cluster

SMALL = {"width": 160, "height": 120, "iterations": 500}
# About 13 s of a whole core; the nodes have 0.9 of one together.
LARGE = {"width": 1280, "height": 960, "iterations": 20000}
REQUESTS = {"requests": {"cpu": "20m", "memory": "16Mi"}}  # so that several jobs share a small node


class OwnWorkloadTest(cluster_case.ClusterTest):
    beside = True

    @classmethod
    def setUpClass(cls):
        cls.image = own_images.provide()

    def begin(self, custom, image=None):
        worker = {"resources": REQUESTS, **({"image": image} if image else {})}
        return self.submit(jobs.manifest("picture", {"custom": custom}, worker=worker))

    def picture(self, job):
        folder = cluster_case.folder_of(self)
        self.assertIn("mandelbrot.pgm", job.fetch_results(folder))
        return (folder / "mandelbrot.pgm").read_bytes()

    def test_the_picture_is_exact_and_all_pods_have_the_image(self):
        job = self.begin({"mandelbrot": SMALL}, self.image)
        self.assertEqual(self.images_while_it_runs(job), {self.image})
        job.wait_complete(120)
        self.assertEqual(self.picture(job), mandelbrot.picture(**SMALL))
        status = job.status()
        self.assertEqual((status["tasks"]["completed"], status["tasks"].get("failed", 0)),
                         (SMALL["height"], 0))
        self.check_covered_once(job)

    def images_while_it_runs(self, job):
        """The images of the containers of coordinator and workers, as soon as these exist."""
        found = set()
        for component in ("coordinator", "worker"):
            found |= kube.until(
                lambda pods: {container["image"] for pod in pods.values()
                              for container in pod["spec"]["containers"]},
                "pods", "-n", self.namespace, "-l", job.selector(component),
                what=f"a pod of the {component}")
        return found

    def test_a_worker_pod_is_deleted_in_mid_run(self):
        """The same bytes as this machine computes alone, by the project's own `evenkeel run`."""
        job = self.begin({"mandelbrot": LARGE}, self.image)
        job.wait_part(0.2, 120)
        kube.delete("pod", job.workers()["pi4-a"]["metadata"]["name"], "-n", self.namespace, wait=False)
        job.wait_complete(180)
        self.check_covered_once(job)
        self.assertLessEqual({row["name"] for row in job.summary()["nodes"]}, set(cluster_case.NODES))
        self.assertEqual(self.picture(job), self.alone(LARGE))

    def alone(self, parameters):
        folder = cluster_case.folder_of(self) / "alone"
        manifest = folder.with_suffix(".json")
        manifest.write_text(cluster_case.show(jobs.manifest("picture",
                                                            {"custom": {"mandelbrot": parameters}})))
        subprocess.run([own_images.PROGRAM, "run", manifest, "--output", folder], check=True,
                       capture_output=True, timeout=300)
        return (folder / "mandelbrot.pgm").read_bytes()

    def refused(self, job):
        """Why; no task was run."""
        found = job.until(lambda thing: jobs.condition(thing, "Failed").get("status") == "True" and thing,
                          120, "it has failed")
        failed = jobs.condition(found, "Failed")
        self.assertEqual(failed["reason"], "InvalidSpec")
        self.assertEqual(found["status"].get("tasks", {}).get("completed", 0), 0)
        return failed["message"]

    def test_an_unknown_workload_is_named(self):
        said = self.refused(self.begin({"telepathy": {}}, self.image))
        self.assertIn("spec.workload.custom.telepathy: must be one of mandelbrot", said)

    def test_a_wrong_parameter_is_named(self):
        said = self.refused(self.begin({"mandelbrot": {"width": 0}}, self.image))
        self.assertIn("spec.workload.custom.mandelbrot.width: must be a whole number from 1 to 8192, is 0",
                      said)

    def test_the_stock_image_says_that_it_lacks_the_workload(self):
        said = self.refused(self.begin({"mandelbrot": SMALL}))
        self.assertIn("spec.workload.custom.mandelbrot: there is no such workload, this program has "
                      "built-in ones only", said)


if __name__ == "__main__":
    cluster_case.main()
