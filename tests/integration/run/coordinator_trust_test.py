"""Authentication: certificates of workers and of the coordinator, and the operator's token."""

import os
import pathlib
import platform
import re
import subprocess
import unittest

import evenkeel
from cluster import Authority, ClusterTest, COORDINATOR_PORTS, PATIENCE, Program, free_ports
from evenkeel import eventually, job, synthetic

AES = "TLS_AES_256_GCM_SHA384"
CHACHA = "TLS_CHACHA20_POLY1305_SHA256"
# OpenSSL then believes that the processor has no instructions for AES-GCM, as that of a Raspberry Pi 4.
WITHOUT_AES = {**os.environ, "OPENSSL_ia32cap": "~0x200000200000000"}


class TrustTest(ClusterTest):
    def setUp(self):
        super().setUp()
        self.plan(job("primes", synthetic(400, {"constant": 0.05})), ("pi", 1))

    def check_says(self, worker, reason):
        eventually(lambda: reason.lower() in worker.said.lower(), reason + " in " + worker.said)

    def check_stays_out(self, coordinator, worker, reason):
        """The worker logs the reason, keeps trying, and is never accepted."""
        self.check_says(worker, reason)
        self.assertTrue(worker.running())
        if coordinator:
            rows = coordinator.progress()["workers"]
            self.assertFalse(any(row["connected"] for row in rows), rows)

    def test_token(self):
        coordinator = self.coordinator()
        coordinator.await_progress(lambda now: now["epoch"], "it runs")
        for token in ("", "wrong", "0123456789abcdef0123456789abcdeF"):
            for method, path in (("GET", "/progress"), ("PUT", "/desired-state/Suspended"), ("GET", "/snapshot")):
                status, body = coordinator.ask(method, path, token)
                self.assertEqual((status, body), (401, b"this needs the operator's token\n"))
        self.assertEqual(coordinator.progress()["state"], "Running")
        self.assertEqual(coordinator.ask("GET", "/snapshot")[0], 409)

    def test_workers_of_strangers(self):
        coordinator = self.coordinator()
        coordinator.await_progress(lambda now: now["epoch"], "it runs")
        issue = self.authority.issue_worker
        strangers = Authority(self.root / "strangers").issue_worker("primes", "worker-pi", "pi")
        strangers.ca = self.authority.ca
        outside = self.worker("pi", identity=strangers)
        other_job = self.worker("pi", identity=issue("sums", "worker-pi", "pi"))
        elsewhere = self.worker("pi", identity=issue("primes", "far", "pi", namespace="lab"))
        nobody = self.worker("pi", identity=self.authority.issue("primes-worker", "clientAuth"))
        same_role = self.worker("pi", identity=self.server)
        self.check_stays_out(coordinator, other_job, "the certificate is not that of primes-worker")
        for worker in (elsewhere, nobody):
            self.check_stays_out(coordinator, worker, "the certificate does not name one worker of "
                                                      "job default/primes")
        self.check_stays_out(coordinator, outside, "no coordinator at")
        self.check_stays_out(coordinator, same_role, "no coordinator at")
        good = self.worker("pi")
        coordinator.await_tasks(1)
        self.assertTrue(good.running())

    def test_a_worker_cannot_pose_as_another(self):
        coordinator = self.coordinator()
        good = self.worker("pi")
        coordinator.await_tasks(1)
        posing = self.worker("pi", identity=self.authority.issue_worker("primes", "other", "pi4"))
        self.check_says(posing, "pod other has the certificate of node pi4 and says that it is "
                                "node pi")
        twin = self.worker("pi", identity=self.authority.issue_worker("primes", "twin", "pi"))
        done = coordinator.progress()["tasks"]["completed"]
        coordinator.await_tasks(done + 20)
        self.assertTrue(good.running())
        self.assertTrue(twin.running(), "it waits until the first worker is gone")
        good.end()
        coordinator.await_tasks(done + 40)

    def cipher(self, *worker_order):
        """That of a connection to the coordinator, for a worker which prefers them in this order."""
        said = subprocess.run(
            ["openssl", "s_client", "-connect", f"localhost:{self.ports[0]}", "-tls1_3", "-alpn", "h2",
             "-ciphersuites", ":".join(worker_order), "-cert", self.client("pi").cert, "-key",
             self.client("pi").key, "-CAfile", self.authority.ca],
            input=b"", capture_output=True, timeout=PATIENCE)
        return re.search(rb"Cipher is (\S+)", said.stdout).group(1).decode()

    def first_of_worker(self, **popen):
        """The cipher that a worker has first in its list."""
        (port,) = free_ports(1)
        listening = Program(["openssl", "s_server", "-accept", port, "-tls1_3", "-alpn", "h2", "-cert",
                             self.server.cert, "-key", self.server.key], self.folder, stdin=subprocess.PIPE)
        self.addCleanup(listening.end)
        self.worker("pi", port=port, **popen)
        found = eventually(lambda: re.search(r"CIPHER is (\S+)", listening.said), "a connection")
        return found.group(1)

    @unittest.skipUnless(platform.machine() == "x86_64", "OPENSSL_ia32cap is for this processor")
    def test_ciphers_that_are_fast_at_both_ends(self):
        fast = AES if " aes " in pathlib.Path("/proc/cpuinfo").read_text("utf-8") else CHACHA
        self.assertEqual(self.first_of_worker(), fast)
        self.assertEqual(self.first_of_worker(env=WITHOUT_AES), CHACHA)
        coordinator = self.coordinator()
        coordinator.await_progress(lambda now: now["epoch"], "it runs")
        self.assertEqual(self.cipher(AES, CHACHA), fast)
        self.assertEqual(self.cipher(CHACHA, AES), CHACHA, "this worker has no AES")
        self.assertEqual(self.cipher(AES), AES, "all ends allow all ciphers")
        coordinator.end()
        coordinator = self.coordinator(env=WITHOUT_AES)
        coordinator.await_progress(lambda now: now["epoch"], "it runs")
        self.assertEqual(self.cipher(AES, CHACHA), CHACHA, "the coordinator has no AES")
        self.assertEqual(self.cipher(AES), AES)

    def test_a_worker_cannot_pose_as_the_coordinator(self):
        # As a worker-to-worker certificate would be: good for both uses, but of the workers' name.
        both = self.client("pi")
        client_only = self.authority.issue_worker("primes", "client", "pi", "clientAuth")
        for identity in (client_only, both):
            ports = free_ports(COORDINATOR_PORTS)
            posing = self.coordinator(identity=identity, folder=self.root / "posing", ports=ports)
            worker = self.worker("pi", identity=both, port=ports[0])
            self.check_stays_out(None, worker, "no coordinator at")
            self.assertIn("0 of 400 tasks are done", posing.said)
            posing.end()
            worker.end()


if __name__ == "__main__":
    evenkeel.main()
