"""Who is let in: certificates of workers, the coordinator's own, and the operator's token."""

import evenkeel
from cluster import Authority, ClusterTest, free_ports
from evenkeel import eventually, job, synthetic


class TrustTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.plan(job("primes", synthetic(400, {"constant": 0.05})), ("pi", 1))

    def check_stays_out(self, coordinator, worker, reason):
        """The worker says why in its log, goes on trying, and never gets in."""
        eventually(lambda: reason.lower() in worker.said.lower(), reason + " in " + worker.said)
        self.assertTrue(worker.running())
        if coordinator:
            rows = coordinator.progress()["workers"]
            self.assertFalse(any(row["connected"] for row in rows), rows)

    def test_token(self):
        coordinator = self.coordinator()
        coordinator.await_progress(lambda now: now["epoch"], "it runs")
        for token in ("", "wrong", "0123456789abcdef0123456789abcdeF"):
            for method, path in (("GET", "/progress"), ("POST", "/suspend"), ("GET", "/snapshot")):
                status, body = coordinator.ask(method, path, token)
                self.assertEqual((status, body), (401, b"this needs the operator's token\n"))
        self.assertEqual(coordinator.progress()["state"], "Running")
        self.assertEqual(coordinator.ask("GET", "/snapshot")[0], 409)

    def test_workers_of_strangers(self):
        coordinator = self.coordinator()
        coordinator.await_progress(lambda now: now["epoch"], "it runs")
        strangers = Authority(self.root / "strangers").issue("primes-worker", "clientAuth")
        strangers.ca = self.authority.ca
        outside = self.worker("pi", identity=strangers)
        other_job = self.worker("pi", identity=self.authority.issue("sums-worker", "clientAuth"))
        same_role = self.worker("pi", identity=self.server)
        self.check_stays_out(coordinator, other_job, "the certificate is not that of primes-worker")
        self.check_stays_out(coordinator, outside, "no coordinator at")
        self.check_stays_out(coordinator, same_role, "no coordinator at")
        good = self.worker("pi")
        coordinator.await_tasks(1)
        self.assertTrue(good.running())

    def test_a_worker_cannot_pose_as_the_coordinator(self):
        # As a worker-to-worker certificate would be: good for both uses, but of the workers' name.
        both = self.authority.issue("primes-worker", "clientAuth,serverAuth")
        for identity in (self.client, both):
            ports = free_ports(4)
            posing = self.coordinator(identity=identity, folder=self.root / "posing", ports=ports)
            worker = self.worker("pi", identity=both, port=ports[0])
            self.check_stays_out(None, worker, "no coordinator at")
            self.assertIn("0 of 400 tasks are done", posing.said)
            posing.end()
            worker.end()


if __name__ == "__main__":
    evenkeel.main()
