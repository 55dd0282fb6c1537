"""The operator's key is replaced twice while a job runs: its pods stay, and find each other again after their
connections were cut."""

import base64
import secrets
import time

import chart
import cluster_case
import faults
import jobs
import kube

# The kubelet brings a changed Secret into a pod within 90 s, and the pods read it every 10 s.
PROPAGATION_SECONDS = 120
KEY_SECRET = "evenkeel-key"
CUT_NODE = "pi4-a"


def decoded(secret, name):
    return base64.b64decode(secret["data"][name]).decode()


def authorities(secret):
    """The certificates of the bundle that a pod trusts."""
    end = "-----END CERTIFICATE-----"
    return {part.strip() for part in decoded(secret, "ca.crt").split(end) if part.strip()}


class KeyRotationTest(cluster_case.ClusterTest):
    def bundle(self):
        found = {secret["metadata"]["name"]: secret for secret in kube.get("secrets", "-n", self.namespace)}
        return authorities(found["rotated-worker-tls"])

    def rotate(self):
        """As docs/operations.md says it."""
        old = next(secret for secret in kube.get("secrets", "-n", cluster_case.OPERATOR_NAMESPACE)
                   if secret["metadata"]["name"] == KEY_SECRET)["data"]["key"]
        new = base64.b64encode(secrets.token_hex(32).encode()).decode()
        kube.patch("secret", KEY_SECRET, {"data": {"previous": old, "key": new}},
                   cluster_case.OPERATOR_NAMESPACE)

    def wait_for_move(self, before):
        """Until only the authority of the new key is trusted. Returns how many were at most."""
        most, end = 1, time.monotonic() + 90 + 3 * PROPAGATION_SECONDS
        while (now := self.bundle()) == before or len(now) > 1:
            most = max(most, len(now))
            self.assertLess(time.monotonic(), end, "the job has not moved to the new key")
            time.sleep(5)
        return most

    def processes(self, job):
        """Uid and restarts of each pod."""
        return {pod["metadata"]["name"]: (pod["metadata"]["uid"],
                                          [one["restartCount"] for one in pod["status"]["containerStatuses"]])
                for component in ("coordinator", "worker") for pod in job.pods(component)}

    def completed_by_cut_node(self, job):
        return next(row["completed"] for row in job["status"]["workers"] if row["node"] == CUT_NODE)

    def test_twice_in_mid_run(self):
        self.addCleanup(chart.install)
        chart.install("--set-json", f'extraArgs=["--secret-propagation={PROPAGATION_SECONDS}"]')
        job = self.submit(jobs.manifest("rotated", jobs.sleeping(1_000_000, 0.5)))
        job.wait_workers(3)
        before = self.processes(job)
        for number in (1, 2):
            begun, trusted = time.monotonic(), self.bundle()
            self.rotate()
            self.assertEqual(self.wait_for_move(trusted), 2, "both authorities were trusted in between")
            print(f"\nrotation {number} took {time.monotonic() - begun:.0f} s", flush=True)
            time.sleep(PROPAGATION_SECONDS)  # from the Secret into the pods
            with faults.pulled_cable(CUT_NODE):
                time.sleep(12)  # longer than a connection may be silent, shorter than the node's grace
            done = self.completed_by_cut_node(job.get())
            job.until(lambda thing, done=done: self.completed_by_cut_node(thing) > done + 20,
                      what=f"{CUT_NODE} works again")
        self.assertEqual(self.processes(job), before, "no pod was replaced and no container restarted")


if __name__ == "__main__":
    cluster_case.main()
