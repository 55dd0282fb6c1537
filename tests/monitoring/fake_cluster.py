"""A cluster without machines: the API server in memory and the real operator as processes, this module as
kubelet, and coordinators that run as processes, to which the operator is led."""

import base64
import http.client
import http.server
import json
import os
import random
import ssl
import subprocess
import threading
import urllib.error
import urllib.request

from cluster import Program
from evenkeel import eventually

OPERATOR = os.environ.get("EVENKEEL_OPERATOR", "")
TEST_API = os.environ.get("EVENKEEL_TEST_API", "")
JOBS = "/apis/batch.evenkeel.dev/v1alpha1/namespaces/lab/weightedjobs"
CONTROL = 7402  # where operators expect coordinators
KUBECONFIG = """apiVersion: v1
kind: Config
current-context: test
contexts: [{{name: test, context: {{cluster: test, user: test}}}}]
clusters: [{{name: test, cluster: {{server: "{server}"}}}}]
users: [{{name: test, user: {{token: test}}}}]
"""


class FakeCluster:
    def __init__(self, folder):
        self.folder = folder
        self._api = Program([TEST_API], folder, stdin=subprocess.PIPE)
        self.server = eventually(lambda: self._api.said.strip(), "the API server has an address")
        (folder / "kubeconfig").write_text(KUBECONFIG.format(server=self.server))
        (folder / "key").write_text("0123456789abcdef0123456789abcdef")

    def end(self):
        self._api.end()

    def ask(self, method, path, body=None, content="application/json"):
        """The answer's object; None if there is no such object."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + path, data, {"Content-Type": content},
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            if refusal.code == 404:
                return None
            raise AssertionError(f"{method} {path}: {refusal.read()}") from None

    def add_node(self, name, model):
        resources = {"cpu": "4", "memory": "4Gi", "pods": "110"}
        self.ask("POST", "/api/v1/nodes", {
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/os": "linux",
                                                  "kubernetes.io/arch": "arm64",
                                                  "hardware.evenkeel.dev/model": model}},
            "status": {"allocatable": resources, "capacity": resources,
                       "conditions": [{"type": "Ready", "status": "True"}],
                       "nodeInfo": {"architecture": "arm64", "operatingSystem": "linux"}}})
        self.merge(f"/api/v1/nodes/{name}/status", {"status": {
            "allocatable": resources, "capacity": resources,
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"architecture": "arm64", "operatingSystem": "linux"}}})

    def merge(self, path, part):
        return self.ask("PATCH", path, part, "application/merge-patch+json")

    def operator(self, port, *more):
        return Program([OPERATOR, "--kubeconfig", "kubeconfig", "--worker-image", "evenkeel/worker:test",
                        "--key-file", "key", "--listen", f"127.0.0.1:{port}", "--leader-elect",
                        "--lease-duration", "3", "--renew-deadline", "2", "--retry-period", "1",
                        "--own-namespace", "evenkeel-system", "--scrape-interval", "5", "--identity", "operator-a", *more],
                       self.folder)

    def apply(self, manifest):
        """Applies a job; returns its plan and the Secret of its coordinator when the operator has
        made all it needs."""
        manifest["metadata"]["namespace"] = "lab"
        name = manifest["metadata"]["name"]
        self.ask("POST", JOBS, manifest)
        core = "/api/v1/namespaces/lab"
        plan = eventually(lambda: self.ask("GET", f"{core}/configmaps/{name}-plan"), "there is a plan")
        secret = eventually(lambda: next((one for one in self.ask("GET", f"{core}/secrets")["items"]
                                          if "operator-token" in one.get("data", {}) and
                                          one["metadata"]["name"].startswith(name)), None),
                            "there are certificates")
        eventually(lambda: len(self.pods(name)) > len(json.loads(plan["data"]["nodes.json"])),
                   "there are pods")
        return plan["data"], {key: base64.b64decode(text) for key, text in secret["data"].items()}

    def pods(self, job):
        return [pod for pod in self.ask("GET", "/api/v1/namespaces/lab/pods")["items"]
                if pod["metadata"]["labels"]["evenkeel.dev/weighted-job"] == job]

    def run_pods(self, job, coordinator_ip):
        """Runs the pods, in place of the scheduler and the kubelet."""
        for pod in self.pods(job):
            path = f"/api/v1/namespaces/lab/pods/{pod['metadata']['name']}"
            coordinator = "evenkeel.dev/node" not in pod["metadata"]["annotations"]
            node = "pi4-a" if coordinator else pod["metadata"]["annotations"]["evenkeel.dev/node"]
            self.merge(path, {"spec": {"nodeName": node}})
            self.merge(path + "/status", {"status": {
                "phase": "Running", "podIP": coordinator_ip if coordinator else "127.0.0.1",
                "conditions": [{"type": "Ready", "status": "True"}],
                "containerStatuses": [{"name": each["name"], "state": {"running": {}}}
                                      for each in pod["spec"]["containers"]]}})

    def status(self, job):
        return (self.ask("GET", f"{JOBS}/{job}") or {}).get("status", {})


class Front(http.server.ThreadingHTTPServer):
    """Stands at the address of a coordinator's pod, with the certificate that the operator made, and
    passes on what the coordinator answers."""

    daemon_threads = True

    def __init__(self, secret, coordinator, folder):
        self.coordinator = coordinator
        self.ip = "127." + ".".join(str(random.randint(1, 254)) for _ in range(3))
        super().__init__((self.ip, CONTROL), Answer)
        pem = folder / f"{self.ip}.pem"
        pem.write_bytes(secret["tls.crt"] + secret["tls.key"])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def end(self):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        pass  # the operator went away


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        try:
            status, body = self.server.coordinator.ask("GET", self.path)
        except (OSError, http.client.HTTPException):
            status, body = 503, b"{}"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass
