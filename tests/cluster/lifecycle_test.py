"""Installed, upgraded while a job runs, uninstalled: nothing is lost and nothing is left."""

import re

import chart
import cluster_case
import faults
import jobs
import kube
import machine

END = 700_000       # about 20 s on the trio
LONGER = 1_100_000  # about 45 s: an upgrade takes half of that
NEXT = "next"  # the tag of an image with the same programs, for an upgrade


class LifecycleTest(cluster_case.ClusterTest):
    def test_upgrade_in_mid_run(self):
        """The job keeps its image and completes; the next job has the new image."""
        for image in (chart.operator_image, chart.worker_image):
            machine.cluster("tag", image(), image(NEXT))
        job = self.submit(jobs.manifest("primes", jobs.primes(LONGER)))
        job.wait_part(0.1)
        coordinator = job.coordinator()["metadata"]["uid"]
        try:
            chart.install("--set", f"image.tag={NEXT}", "--set", f"worker.image.tag={NEXT}")
            # A worker that is made after the upgrade still has to speak with this coordinator.
            victim = next(iter(job.workers().values()))["metadata"]["name"]
            faults.delete_pod(victim, self.namespace)
            job.wait_complete()
            self.check_primes(job, LONGER)
            self.assertEqual(job.coordinator()["metadata"]["uid"], coordinator)
            self.assertEqual(self.images(job), {chart.worker_image()})
            later = self.submit(jobs.manifest("later", jobs.sleeping(30, 0.1)))
            later.wait_complete()
            self.assertEqual(self.images(later), {chart.worker_image(NEXT)})
        finally:
            chart.install()

    def images(self, job):
        """The image's name with the default registry."""
        found = {container["image"] for component in ("coordinator", "worker")
                 for pod in job.pods(component) for container in pod["spec"]["containers"]}
        return {re.sub(r"^(?=evenkeel/)", "docker.io/", image) for image in found}

    def test_deleting_a_job_deletes_all_of_it(self):
        job = self.submit(jobs.manifest("gone", jobs.sleeping(1000, 0.5)))
        job.wait_workers(3)
        kube.delete("weightedjob", "gone", "-n", self.namespace)
        kinds = ("pods", "services", "secrets", "networkpolicies")
        for kind in kinds:
            kube.wait("delete", kind, "-l", "evenkeel.dev/weighted-job=gone", "-n", self.namespace)
        left = [found["metadata"]["name"] for found in kube.get("configmaps", "-n", self.namespace)]
        self.assertEqual(left, ["kube-root-ca.crt"])

    def test_uninstall_leaves_what_the_documents_say(self):
        """The CRDs stay, and with them the jobs: an accidental uninstall loses no results."""
        job = self.submit(jobs.manifest("primes", jobs.primes(END)))
        job.wait_part(0.1)
        chart.uninstall()
        try:
            kube.wait("delete", "pod", "-l", "app.kubernetes.io/component=operator", "-n",
                      cluster_case.OPERATOR_NAMESPACE)
            self.assertEqual(self.ours("clusterroles", "clusterrolebindings"), [])
            self.assertEqual(self.ours("deployments", "services", "serviceaccounts", "secrets",
                                       "roles", "rolebindings", "networkpolicies", "-n",
                                       cluster_case.OPERATOR_NAMESPACE), ["Secret evenkeel-key"])
            self.assertEqual(len([found for found in kube.get("crds") if
                                  found["spec"]["group"] == "batch.evenkeel.dev"]), 2)
            self.assertTrue(job.get())
        finally:
            chart.install()
        job.wait_complete()  # coordinator and workers have continued; the new operator writes the status
        self.check_primes(job, END)

    def ours(self, *kinds):
        *names, = (kind for kind in kinds if kind not in ("-n", cluster_case.OPERATOR_NAMESPACE))
        where = ["-n", cluster_case.OPERATOR_NAMESPACE] if "-n" in kinds else []
        return [f"{found['kind']} {found['metadata']['name']}" for found in
                kube.get(",".join(names), *where) if found["metadata"]["name"].startswith("evenkeel")
                and found["metadata"]["name"] != "evenkeel:dns"]


class ChartTest(cluster_case.ClusterTest):
    def test_helm_test(self):
        chart.helm("test", chart.RELEASE, "--namespace", cluster_case.OPERATOR_NAMESPACE,
                   "--timeout", "120s")

    def test_operator_is_restricted(self):
        kube.kubectl("label", "namespace", cluster_case.OPERATOR_NAMESPACE, "--dry-run=server",
                     "--overwrite", "pod-security.kubernetes.io/enforce=restricted")
        pod = chart.operator_pods()[0]
        for container in pod["spec"]["containers"]:
            context = container["securityContext"]
            self.assertIs(context["allowPrivilegeEscalation"], False)
            self.assertIs(context["readOnlyRootFilesystem"], True)
            self.assertEqual(context["capabilities"]["drop"], ["ALL"])
            for probe in ("livenessProbe", "readinessProbe"):
                self.assertIn(probe, container)
            self.assertIn("memory", container["resources"]["limits"])


if __name__ == "__main__":
    cluster_case.main()
