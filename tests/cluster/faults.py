"""Faults of a cluster, and their repair."""

import contextlib
import os
import signal
import time

import kube
import machine


def delete_pod(pod, namespace):
    """Deletes the pod without a grace period, as if it was killed."""
    kube.delete("pod", pod, "-n", namespace, "--grace-period=0", "--force", wait=False)


def kill_process(pod, program):
    """Kills a program in a pod with SIGKILL. The kubelet restarts the container."""
    killed = 0
    for pid in machine.pod_processes(pod["metadata"]["uid"], program):
        # The first process of a container takes the others with it. A child that has not called exec yet has
        # the name of its parent.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            killed += 1
    if killed == 0:
        raise AssertionError(f"no {program} runs in {pod['metadata']['name']}")


def node_ready(name, ready=True, seconds=kube.PATIENCE):
    def right(nodes):
        for found in nodes.get(name, {}).get("status", {}).get("conditions", []):
            if found["type"] == "Ready":
                return (found["status"] == "True") == ready
        return False
    kube.until(right, "nodes", "--field-selector", f"metadata.name={name}", seconds=seconds,
               what=f"{name} is {'' if ready else 'not '}ready")


@contextlib.contextmanager
def pulled_cable(node):
    machine.cluster("cable", "pull", node)
    try:
        yield
    finally:
        machine.cluster("cable", "plug", node)


@contextlib.contextmanager
def cordoned(nodes):
    """No new pods on these nodes; running pods stay."""
    with contextlib.ExitStack() as after:
        for node in nodes:
            after.callback(kube.kubectl, "uncordon", node)
            kube.kubectl("cordon", node)
        yield


@contextlib.contextmanager
def dead_node(node):
    """The node has no power in the block. Afterwards it is Ready."""
    machine.cluster("node", "kill", node)
    try:
        yield
    finally:
        machine.cluster("node", "start", node)
        node_ready(node, seconds=120)


@contextlib.contextmanager
def extra_node(name, percent, like=None):
    machine.cluster("node", "add", name, percent, *([like] if like else []))
    try:
        node_ready(name)
        yield
    finally:
        machine.cluster("node", "remove", name)
        kube.delete("node", name, wait=False)


@contextlib.contextmanager
def stopped_api_server():
    machine.cluster("api", "stop")
    try:
        yield
    finally:
        machine.cluster("api", "start", seconds=180)


def api_server_stopped_for(seconds):
    with stopped_api_server():
        time.sleep(seconds)


@contextlib.contextmanager
def volume(name, node, mebibytes=None):
    """A volume on a node's disk, or on a shared one, and the claim that takes it (see `claim`)."""
    machine.cluster("volume", "add", name, node, *([mebibytes] if mebibytes else []))
    try:
        yield name
    finally:
        machine.cluster("volume", "remove", name)


def claim(name, volume_name, shared=False, mebibytes=None):
    """A PersistentVolumeClaim for that very volume."""
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"storageClassName": "local-path", "volumeName": volume_name,
                     "accessModes": ["ReadWriteMany" if shared else "ReadWriteOnce"],
                     "resources": {"requests": {"storage": f"{mebibytes or 1024}Mi"}}}}


def all_nodes_ready():
    kube.wait("condition=Ready", "node", "--all", seconds=120)
