"""A thousand nodes that are only objects: kwok reports their status and that of their pods."""

import base64
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import kube
import machine

HUB = "evenkeel-hub"
POD_RANGE = "10.66.0.0/16"
LABEL = {"type": "kwok"}
# The API server requires all of these fields; no component reads those that are empty here.
NODE_INFO = {"architecture": "amd64", "operatingSystem": "linux",
             "osImage": "Debian GNU/Linux 12 (bookworm)", "machineID": "", "systemUUID": "",
             "bootID": "", "kernelVersion": "", "containerRuntimeVersion": "", "kubeletVersion": "",
             "kubeProxyVersion": ""}
SILENCE_SECONDS = 400  # of a node; with the usual 20, a thousand would send 200 heartbeats a second
BUILD_SECONDS = 1800  # kwok's, after the other programs


def node_name(number):
    return f"fake-{number:04d}"


def fake_node(number):
    name = node_name(number)
    resources = {"cpu": "4", "memory": "2Gi", "pods": "110"}
    labels = {**LABEL, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
              "kubernetes.io/hostname": name,
              "hardware.evenkeel.dev/cpu-mhz": str(1000 + 100 * (number % 9))}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": name, "labels": labels,
                         "annotations": {"kwok.x-k8s.io/node": "fake"}},
            "spec": {}, "status": {"allocatable": resources, "capacity": resources,
                                   "nodeInfo": NODE_INFO}}


def in_batches(things, size=100):
    for first in range(0, len(things), size):
        yield things[first:first + size]


def create_all(objects, namespace="default"):
    for batch in in_batches(objects):
        kube.kubectl("create", "-n", namespace, "-f", "-", seconds=300,
                     text=json.dumps({"apiVersion": "v1", "kind": "List", "items": batch}))


def is_ready(node):
    return any(condition["type"] == "Ready" and condition["status"] == "True"
               for condition in node.get("status", {}).get("conditions", []))


@contextlib.contextmanager
def fake_nodes(count, log):
    """Ready for as long as this lasts."""
    machine.cluster("binaries", "kwok", seconds=BUILD_SECONDS)
    machine.cluster("patience", SILENCE_SECONDS)
    create_all([fake_node(number) for number in range(count)])
    with open(log, "wb") as output:
        kwok = subprocess.Popen(
            [str(kube.place("PROGRAMS") / "kwok"), "--kubeconfig", str(kube.place("KUBECONFIG")),
             "--manage-nodes-with-label-selector", "type=kwok", "--cidr", POD_RANGE,
             "--config", str(machine.ROOT / "tests" / "cluster" / "kwok_stages.yaml"),
             "--node-lease-duration-seconds", str(SILENCE_SECONDS)],
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    try:
        # kubectl wait would check them in sequence.
        kube.until(lambda nodes: sum(is_ready(node) for node in nodes.values()) >= count,
                   "nodes", "-l", "type=kwok", seconds=300, what=f"{count} nodes are ready")
        yield
    finally:
        kube.delete("node", "-l", "type=kwok", wait=False)
        kwok.terminate()
        kwok.wait()
        machine.cluster("patience")


class Certificates(threading.Thread):
    """Stores the certificate of each coordinator for the fakes, by the pod's address. `known` has the job
    of each address."""

    def __init__(self, folder, namespace):
        super().__init__(daemon=True)
        self._folder, self._namespace = pathlib.Path(folder), namespace
        self._over = threading.Event()
        self.known = {}

    def run(self):
        while not self._over.wait(2):
            try:
                self.look()
            except (AssertionError, OSError, ValueError):
                continue  # the API server is away for a while

    def look(self):
        secrets = None
        for pod in kube.get("pods", "-n", self._namespace, "-l",
                            "app.kubernetes.io/component=coordinator"):
            address = pod["status"].get("podIP")
            if not address or address in self.known:
                continue
            if secrets is None:
                secrets = {secret["metadata"]["name"]: secret["data"]
                           for secret in kube.get("secrets", "-n", self._namespace)}
            job = pod["metadata"]["labels"]["evenkeel.dev/weighted-job"]
            data = secrets.get(job + "-coordinator-tls")
            if data:
                partial = self._folder / f"{address}.partial"
                partial.write_bytes(base64.b64decode(data["tls.crt"]) +
                                    base64.b64decode(data["tls.key"]))
                partial.rename(self._folder / f"{address}.pem")
                self.known[address] = job

    def silence(self, jobs):
        """From now on, the coordinators of these jobs accept connections and never answer."""
        for address, job in self.known.items():
            if job in jobs:
                (self._folder / f"{address}.silent").touch()

    def stop(self):
        self._over.set()
        self.join()


@contextlib.contextmanager
def fake_coordinators(folder, namespace, seconds):
    """Answer for all pods of that range, at the hub, where their packets come by. Gives Certificates."""
    shutil.rmtree(folder, ignore_errors=True)
    pathlib.Path(folder).mkdir(parents=True)
    subprocess.run(["ip", "-n", HUB, "route", "add", "local", POD_RANGE, "dev", "lo"], check=True)
    server = subprocess.Popen(
        ["nsenter", f"--net=/run/netns/{HUB}", sys.executable, "-B", os.environ["EVENKEEL_FAKES"],
         str(folder), str(seconds)],
        stdin=subprocess.DEVNULL)
    certificates = Certificates(folder, namespace)
    certificates.start()
    try:
        yield certificates
    finally:
        certificates.stop()
        server.terminate()
        server.wait()
        subprocess.run(["ip", "-n", HUB, "route", "del", "local", POD_RANGE, "dev", "lo"], check=True)
