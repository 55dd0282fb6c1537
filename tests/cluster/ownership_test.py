"""The operator writes only what it made, and makes again what was lost."""

import json

import cluster_case
import jobs
import kube

FOREIGN = {
    "service": {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "prey-coordinator"},
                "spec": {"selector": {"app": "somebody-else"}, "ports": [{"port": 80}]}},
    "configmap": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "prey-plan"},
                  "data": {"theirs": "1"}},
    "secret": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "prey-worker-tls"},
               "stringData": {"theirs": "1"}}}


class OwnershipTest(cluster_case.ClusterTest):

    def foreign(self, kind):
        """The object as the API server has it."""
        name = FOREIGN[kind]["metadata"]["name"]
        return next(found for found in kube.get(kind, "-n", self.namespace)
                    if found["metadata"]["name"] == name)

    def test_objects_of_others_stay_byte_for_byte(self):
        """The job names them, and continues when they are gone."""
        for kind, manifest in FOREIGN.items():
            kube.apply(manifest, namespace=self.namespace)
        before = {kind: json.dumps(self.foreign(kind), sort_keys=True) for kind in FOREIGN}
        job = self.submit(jobs.manifest("prey", jobs.sleeping(20, 0.1)))
        kube.wait("condition=NameConflict", "weightedjob/prey", "-n", self.namespace)
        self.assertIn(f"{self.namespace}/prey-", jobs.condition(job.get(), "NameConflict")["message"])
        self.assertEqual(job.pods("worker"), [])
        kube.delete("weightedjob", "prey", "-n", self.namespace)
        self.assertEqual(before, {kind: json.dumps(self.foreign(kind), sort_keys=True)
                                  for kind in FOREIGN})
        job = self.submit(jobs.manifest("prey", jobs.sleeping(20, 0.1)))
        kube.wait("condition=NameConflict", "weightedjob/prey", "-n", self.namespace)
        for kind, manifest in FOREIGN.items():
            kube.delete(kind, manifest["metadata"]["name"], "-n", self.namespace)
        job.wait_complete()
        self.assertEqual(jobs.condition(job.get(), "NameConflict")["status"], "False")

    def test_what_was_deleted_is_made_again(self):
        job = self.submit(jobs.manifest("lasting", jobs.sleeping(400, 0.2)))
        job.wait_part(0.05)
        lost = {"configmap": "lasting-plan", "secret": "lasting-worker-tls",
                "service": "lasting-coordinator", "networkpolicy": "lasting-worker"}
        for kind, name in lost.items():
            kube.delete(kind, name, "-n", self.namespace)
        for kind, name in lost.items():
            kube.until(lambda found, name=name: name in found, kind, "-n", self.namespace,
                       what=f"{kind} {name} is there again")
        job.wait_complete()


class LostPlanTest(cluster_case.ClusterTest):
    def test_lost_together_with_the_operator(self):
        """The identity of the job is derived, so that the next operator reaches its coordinator."""
        job = self.submit(jobs.manifest("lost", jobs.sleeping(600, 0.2)))
        job.wait_part(0.05)
        coordinator = job.coordinator()["metadata"]["uid"]
        before = job.status()["tasks"]["completed"]
        kube.delete("configmap", "lost-plan", "-n", self.namespace)
        kube.delete("pod", "-l", "app.kubernetes.io/component=operator", "-n",
                    cluster_case.OPERATOR_NAMESPACE)
        job.wait_completed_tasks(before + 1)
        job.wait_complete()
        self.assertEqual(job.coordinator()["metadata"]["uid"], coordinator)


if __name__ == "__main__":
    cluster_case.main()
