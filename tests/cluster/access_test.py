"""Permissions: the operator's role, pods of jobs without a token, and network peers without credentials."""

import json
import os
import socket
import ssl
import subprocess
import urllib.error
import urllib.request

import chart
import cluster_case
import jobs
import kube
import machine

OPERATOR = f"system:serviceaccount:{cluster_case.OPERATOR_NAMESPACE}:{chart.RELEASE}"
MAY = [("create", "secrets"), ("patch", "secrets"), ("watch", "secrets"), ("create", "pods"),
       ("delete", "pods"), ("watch", "nodes"), ("list", "weightedjobs.batch.evenkeel.dev"),
       ("patch", "weightedjobs.batch.evenkeel.dev/status"),
       ("patch", "weightingpolicies.batch.evenkeel.dev/status")]
MAY_NOT = [("delete", "secrets"), ("delete", "configmaps"), ("update", "secrets"), ("create", "pods/exec"),
           ("create", "pods/portforward"), ("patch", "nodes"), ("delete", "nodes"),
           ("create", "clusterrolebindings"), ("create", "rolebindings"), ("escalate", "clusterroles"),
           ("impersonate", "users"), ("create", "serviceaccounts/token"), ("delete", "namespaces"),
           ("create", "weightedjobs.batch.evenkeel.dev"), ("patch", "weightingpolicies.batch.evenkeel.dev"),
           ("delete", "persistentvolumeclaims")]


def audit():
    """Yields every request of a service account, from the API server's log."""
    with open(kube.place("STATE") / "log" / "audit.log", encoding="utf-8") as log:
        for line in log:
            yield json.loads(line)


class RoleTest(cluster_case.ClusterTest):
    def can(self, verb, resource):
        whole, _, part = resource.partition("/")
        answer = subprocess.run(
            ["kubectl", "auth", "can-i", verb, whole, f"--subresource={part}", "--as", OPERATOR, "-A"],
            env=kube.environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return answer.stdout.strip() == "yes"

    def test_operator_may_do_its_work_and_nothing_else(self):
        for verb, resource in MAY:
            self.assertTrue(self.can(verb, resource), (verb, resource))
        for verb, resource in MAY_NOT:
            self.assertFalse(self.can(verb, resource), (verb, resource))
        self.assertFalse(self.can("*", "*"))

    def test_operator_asks_for_nothing_that_it_may_not(self):
        job = self.submit(jobs.manifest("small", jobs.sleeping(30, 0.1)))
        job.wait_complete()
        asked = [entry for entry in audit() if entry["user"]["username"] == OPERATOR]
        self.assertGreater(len(asked), 10)
        refused = [(entry["verb"], entry["objectRef"]) for entry in asked
                   if f'User "{OPERATOR}" cannot' in entry["responseStatus"].get("message", "")]
        self.assertEqual(refused, [])
        secrets = {entry["verb"] for entry in asked
                   if entry.get("objectRef", {}).get("resource") == "secrets"}
        self.assertLessEqual(secrets, {"get", "list", "watch", "create", "patch"})


class TokenTest(cluster_case.ClusterTest):
    beside = True

    def test_pods_of_a_job_have_no_token(self):
        job = self.submit(jobs.manifest("small", jobs.sleeping(3000, 0.1)))
        job.wait_workers(3)
        for pod in [job.coordinator(), *job.workers().values()]:
            self.assertIs(pod["spec"]["automountServiceAccountToken"], False)
            mounts = [mount["mountPath"] for container in pod["spec"]["containers"]
                      for mount in container.get("volumeMounts", [])]
            self.assertFalse([path for path in mounts if "serviceaccount" in path])
            program = pod["spec"]["containers"][0]["command"][0].rpartition("/")[2]
            pid, = machine.pod_processes(pod["metadata"]["uid"], program)
            self.assertEqual(os.stat(f"/proc/{pid}").st_uid, 65532)
            self.assertFalse(os.path.exists(f"/proc/{pid}/root/var/run/secrets/kubernetes.io"))
        self.assertFalse([entry for entry in audit()
                          if entry["user"]["username"].startswith(
                              f"system:serviceaccount:{self.namespace}:")])


class StrangerTest(cluster_case.ClusterTest):
    beside = True

    def setUp(self):
        super().setUp()
        self.job = self.submit(jobs.manifest("guarded", jobs.sleeping(300, 0.2)))
        self.job.wait_workers(3)
        self.pod = self.job.coordinator()
        self.address = self.pod["status"]["podIP"]

    def handshake(self, port, certificate=None):
        """Returns what the server sends after the handshake: with TLS 1.3 it refuses a client only then."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        if certificate:
            context.load_cert_chain(*certificate)
        with socket.create_connection((self.address, port), timeout=10) as plain:
            with context.wrap_socket(plain) as secure:
                secure.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
                return secure.recv(9)

    def own_certificate(self, folder):
        """A certificate of a CA that no component trusts, with the name of the job's workers."""
        key, certificate = folder / "key.pem", folder / "cert.pem"
        name = "guarded-worker"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", certificate,
                        "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"],
                       check=True, capture_output=True)
        return certificate, key

    def workers_certificate(self, folder):
        secret = kube.get("secret", "guarded-worker-tls", "-n", self.namespace)["data"]
        worker = self.a_worker()
        paths = []
        for part in (f"{worker}.crt", f"{worker}.key"):
            path = folder / part
            path.write_text(subprocess.run(["base64", "-d"], input=secret[part], text=True,
                                           capture_output=True, check=True).stdout)
            paths.append(path)
        return tuple(paths)

    def a_worker(self):
        """The name of the pod of one of the workers."""
        return min(pod["metadata"]["name"] for pod in self.job.workers().values())

    def test_each_worker_has_its_own_certificate_alone(self):
        for pod in self.job.workers().values():
            name = pod["metadata"]["name"]
            secret, = (volume["secret"] for volume in pod["spec"]["volumes"]
                       if volume["name"] == "evenkeel-tls")
            self.assertEqual({item["key"] for item in secret["items"]},
                             {"ca.crt", f"{name}.crt", f"{name}.key"})

    def test_without_the_jobs_certificate_there_is_no_stream(self):
        folder = cluster_case.folder_of(self)
        for certificate in (None, self.own_certificate(folder)):
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                if self.handshake(7400, certificate) == b"":
                    raise ConnectionError("closed without an answer")
        self.assertTrue(self.handshake(7400, self.workers_certificate(folder)))
        self.job.wait_complete()

    def test_control_needs_the_operators_token(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": "Bearer " + "0" * 64},
                        {"Authorization": "Basic b3BlcmF0b3I6"}):
            for method, path in (("GET", "progress"), ("PUT", "desired-state/Suspended"), ("GET", "snapshot")):
                request = urllib.request.Request(f"https://{self.address}:7402/{path}",
                                                 method=method, headers=headers)
                with self.assertRaises(urllib.error.HTTPError) as refused:
                    urllib.request.urlopen(request, timeout=10, context=context)
                self.assertIn(refused.exception.code, (401, 403))
        self.job.wait_complete()

    def test_pages_are_not_for_the_network(self):
        with self.assertRaises(OSError):
            urllib.request.urlopen(f"http://{self.address}:7403/summary.json", timeout=5)

    def test_health_tells_no_secrets(self):
        self.assertNotIn("PRIVATE KEY", jobs.coordinator_metrics(self.address))
        with self.assertRaises(urllib.error.HTTPError):
            urllib.request.urlopen(f"http://{self.address}:7401/progress", timeout=10)

    def test_a_worker_cannot_pose_as_the_coordinator(self):
        """The Service selects a pod that is not the coordinator and has all credentials of a worker."""
        pod = self.impostor()
        kube.apply(pod, namespace=self.namespace)
        name = pod["metadata"]["name"]
        kube.wait("condition=Ready", f"pod/{name}", "-n", self.namespace)
        for worker in self.job.workers().values():  # so that they connect to the Service again
            kube.delete("pod", worker["metadata"]["name"], "-n", self.namespace, "--grace-period=0",
                        "--force", wait=False)
        self.job.wait_complete(240)
        self.assertEqual(self.job.summary()["tasks"]["completed"], 300)
        with kube.forwarded(name, jobs.PAGES_PORT, self.namespace) as port:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/timeline.jsonl") as answer:
                self.assertNotIn(b"range", answer.read())

    def impostor(self):
        labels = {**self.pod["metadata"]["labels"]}
        worker = self.a_worker()
        items = [{"key": key, "path": path} for key, path in (
            ("ca.crt", "ca.crt"), (f"{worker}.crt", "tls.crt"), (f"{worker}.key", "tls.key"))]
        tls = [f"--tls-{part}=/etc/evenkeel/tls/{file}" for part, file in
               (("ca", "ca.crt"), ("cert", "tls.crt"), ("key", "tls.key"))]
        mounts = [{"name": name, "mountPath": path} for name, path in
                  (("tls", "/etc/evenkeel/tls"), ("plan", "/etc/evenkeel/plan"),
                   ("folder", "/var/lib/evenkeel"), ("token", "/etc/evenkeel/token"))]
        return {
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "guarded-impostor", "labels": labels},
            "spec": {
                "automountServiceAccountToken": False, "nodeName": "pi4-b",
                "securityContext": {"runAsNonRoot": True, "runAsUser": 65532,
                                    "seccompProfile": {"type": "RuntimeDefault"}},
                "volumes": [{"name": "tls", "secret": {"secretName": "guarded-worker-tls",
                                                       "items": items}},
                            {"name": "plan", "configMap": {"name": "guarded-plan"}},
                            {"name": "token", "configMap": {"name": "guarded-plan", "items": [
                                {"key": "nodes.json", "path": "token"}]}},
                            {"name": "folder", "emptyDir": {}}],
                "containers": [{
                    "name": "main", "image": chart.worker_image(), "imagePullPolicy": "Never",
                    "command": ["/usr/bin/evenkeel-coordinator", "--job=/etc/evenkeel/plan/job.json",
                                "--nodes=/etc/evenkeel/plan/nodes.json", "--folder=/var/lib/evenkeel",
                                "--namespace=" + self.namespace, "--listen=0.0.0.0:7400", *tls, "--health-listen=0.0.0.0:7401",
                                "--control-listen=0.0.0.0:7402",
                                "--control-token-file=/etc/evenkeel/token/token",
                                "--pages-listen=127.0.0.1:7403"],
                    "securityContext": {"allowPrivilegeEscalation": False,
                                        "capabilities": {"drop": ["ALL"]}},
                    "volumeMounts": mounts}]}}


if __name__ == "__main__":
    cluster_case.main()
