"""Runs kubectl and waits for its output: always on events, with a timeout."""

import contextlib
import json
import os
import re
import select
import subprocess
import time

import machine

PATIENCE = 90  # seconds that anything may take which should happen soon


class Refused(AssertionError):
    """kubectl failed or timed out; str() is its output."""


_places = {}


def place(name):
    """PROGRAMS, KUBECONFIG or STATE of the cluster."""
    if not _places:
        _places.update(machine.where())
    return _places[name]


def environment():
    """For programs that run kubectl themselves."""
    return {**os.environ, "KUBECONFIG": str(place("KUBECONFIG")),
            "PATH": f"{place('PROGRAMS')}:{os.environ['PATH']}"}


def kubectl(*arguments, seconds=60, text=None):
    """Its output; Refused if it fails."""
    try:
        process = subprocess.run([str(place("PROGRAMS") / "kubectl"), *map(str, arguments)],
                                 env=environment(), input=text if text is not None else "",
                                 capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise Refused(f"kubectl {' '.join(map(str, arguments))}: nothing in {seconds} s") from error
    if process.returncode != 0:
        raise Refused(f"kubectl {' '.join(map(str, arguments))}: {process.stderr.strip()}")
    return process.stdout


def get(*arguments):
    """An object, or the list of objects."""
    found = json.loads(kubectl("get", *arguments, "-o", "json"))
    return found["items"] if found["kind"] == "List" else found


def find(*arguments):
    """As `get`, but None for an object that is not there."""
    text = kubectl("get", *arguments, "--ignore-not-found", "-o", "json")
    return json.loads(text) if text.strip() else None


def apply(*manifests, namespace="default"):
    documents = {"apiVersion": "v1", "kind": "List", "items": list(manifests)}
    return kubectl("apply", "-n", namespace, "-f", "-", text=json.dumps(documents))


def create(manifest, namespace="default"):
    """As people would: through validation by the server."""
    return kubectl("create", "-n", namespace, "-f", "-", text=json.dumps(manifest))


def delete(*arguments, wait=True):
    kubectl("delete", *arguments, f"--wait={str(wait).lower()}", "--ignore-not-found", seconds=180)


def patch(kind, name, change, namespace):
    kubectl("patch", kind, name, "-n", namespace, "--type=merge", "-p", json.dumps(change))


def wait(condition, *what, seconds=PATIENCE):
    """kubectl wait --for=..."""
    kubectl("wait", f"--for={condition}", *what, f"--timeout={seconds}s", seconds=seconds + 30)


def _documents(pipe, until):
    """JSON documents from a pipe, as they come; ends with the pipe or the deadline."""
    decoder, text = json.JSONDecoder(), ""
    while time.monotonic() < until:
        ready, _, _ = select.select([pipe], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return
        more = os.read(pipe.fileno(), 1 << 16).decode(errors="replace")
        if not more:
            return
        text += more
        while True:
            text = text.lstrip()
            try:
                document, end = decoder.raw_decode(text)
            except ValueError:
                break
            text = text[end:]
            yield document


@contextlib.contextmanager
def _watching(*arguments):
    """kubectl get --watch; its end is the caller's to notice."""
    process = subprocess.Popen(
        [str(place("PROGRAMS") / "kubectl"), "get", *map(str, arguments), "-o", "json",
         "--watch", "--output-watch-events"],
        env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    try:
        yield process.stdout
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def until(good, *arguments, seconds=PATIENCE, what=""):
    """Watches objects, and returns the first thing true that `good` makes of all of them (a
    dictionary by name). Goes on where the API server ends a watch or is away for a while."""
    end = time.monotonic() + seconds
    objects = {}
    while time.monotonic() < end:
        objects.clear()
        with _watching(*arguments) as pipe:
            for event in _documents(pipe, end):
                thing = event["object"]
                name = thing.get("metadata", {}).get("name")
                if event["type"] == "DELETED":
                    objects.pop(name, None)
                elif event["type"] in ("ADDED", "MODIFIED"):
                    objects[name] = thing
                found = good(objects)
                if found:
                    return found
        time.sleep(0.5)  # the watch has ended: the server is away, or there is nothing yet
    states = json.dumps([thing.get("status", {}) for thing in objects.values()])
    raise AssertionError(f"in {seconds} s it did not come to this: {what or good}\n"
                         f"last seen of {' '.join(map(str, arguments))}: {states[:4000]}")


def logs(pod, namespace, *more):
    return kubectl("logs", pod, "-n", namespace, *more)


@contextlib.contextmanager
def forwarded(pod, port, namespace):
    """A port of the pod's localhost, as a port of ours."""
    process = subprocess.Popen(
        [str(place("PROGRAMS") / "kubectl"), "port-forward", f"pod/{pod}", f":{port}",
         "-n", namespace], env=environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        ready, _, _ = select.select([process.stdout], [], [], 30)
        line = process.stdout.readline() if ready else "nothing in 30 s"
        match = re.search(r"127\.0\.0\.1:(\d+)", line)
        if not match:
            raise Refused(f"port-forward to {pod}: {line.strip()}")
        yield int(match.group(1))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
