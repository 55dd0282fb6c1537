"""WeightedJobs as tests see them: manifests, progress, results, pods."""

import functools
import json
import pathlib
import re
import subprocess
import urllib.request

import kube
import machine

PAGES_PORT = 7403
PLUGIN = machine.ROOT / "build" / "release" / "bin" / "kubectl-evenkeel"
GROUP = "batch.evenkeel.dev/v1alpha1"


def manifest(name, workload, **sections):
    """Workers that only sleep request little CPU, so that many of them fit on a node of one core."""
    if workload.get("synthetic", {}).get("mode") == "Sleep":
        sections["worker"] = {"resources": {"requests": {"cpu": "20m"}}, **sections.get("worker", {})}
    return {"apiVersion": GROUP, "kind": "WeightedJob", "metadata": {"name": name},
            "spec": {"workload": workload, **sections}}


def convert(manifest_of_job):
    """(WeightedJob, remarks): what kubectl evenkeel convert makes of a Job of batch/v1."""
    done = subprocess.run([str(PLUGIN), "convert", "-"], input=json.dumps(manifest_of_job), text=True,
                          capture_output=True, check=True, timeout=60)
    return done.stdout, done.stderr.splitlines()


def primes(end, method="TrialDivision", **more):
    return {"primes": {"end": end, "method": method, **more}}


def sleeping(tasks, seconds):
    """Tasks that use no CPU, so that several jobs can run concurrently."""
    return {"synthetic": {"tasks": tasks, "cost": {"constant": seconds}, "mode": "Sleep"}}


def spinning(tasks, cpu_seconds):
    """Tasks that each use this CPU time, on any board."""
    return {"synthetic": {"tasks": tasks, "cost": {"constant": cpu_seconds}, "mode": "Spin"}}


@functools.cache
def primes_below(end):
    """The number of primes up to `end`, by a sieve."""
    sieve = bytearray([1]) * (end + 1)
    sieve[0:2] = b"\0\0"
    for number in range(2, int(end ** 0.5) + 1):
        if sieve[number]:
            sieve[number * number::number] = bytes(len(range(number * number, end + 1, number)))
    return sum(sieve)


def condition(thing, kind):
    """The condition of that type, or an empty one."""
    for found in thing.get("status", {}).get("conditions", []):
        if found["type"] == kind:
            return found
    return {}


def coordinator_metrics(address):
    """The metrics of the coordinator with this IP address, as text."""
    with urllib.request.urlopen(f"http://{address}:7401/metrics", timeout=10) as answer:
        return answer.read().decode()


class Job:
    """One WeightedJob in the cluster."""

    def __init__(self, name, namespace):
        self.name, self.namespace = name, namespace
        self._place = ("weightedjob", "-n", namespace, "--field-selector", f"metadata.name={name}")

    def get(self):
        return kube.get("weightedjob", self.name, "-n", self.namespace)

    def status(self):
        return self.get().get("status", {})

    def until(self, good, seconds=kube.PATIENCE, what=""):
        """Waits until `good` is true of the object; returns the object."""
        return kube.until(
            lambda objects: self.name in objects and good(objects[self.name]) and objects[self.name],
            *self._place, seconds=seconds, what=what)

    def wait_complete(self, seconds=180):
        kube.wait("condition=Complete", f"weightedjob/{self.name}", "-n", self.namespace,
                  seconds=seconds)

    def wait_completed_tasks(self, at_least, seconds=kube.PATIENCE):
        """Status is written every few seconds only: at_least is a lower limit."""
        return self.until(lambda thing: thing.get("status", {}).get("tasks", {})
                          .get("completed", 0) >= at_least, seconds, f"{at_least} tasks are done")

    def wait_part(self, part, seconds=2 * kube.PATIENCE):
        """Waits for a part (0 to 1) of the tasks to be done, and for the job to have more to do."""
        def enough(thing):
            tasks = thing.get("status", {}).get("tasks", {})
            if tasks.get("total", 0) > 0 and tasks.get("completed", 0) >= tasks["total"]:
                raise AssertionError("the job was complete before the fault")
            return tasks.get("completed", 0) >= max(1, part * tasks.get("total", 1 << 62))
        return self.until(enough, seconds, f"a part of {part} is done")

    def change(self, **spec):
        kube.patch("weightedjob", self.name, {"spec": spec}, self.namespace)

    # Its pods.
    def pods(self, component):
        return kube.get("pods", "-n", self.namespace, "-l", self.selector(component))

    def selector(self, component):
        return f"evenkeel.dev/weighted-job={self.name},app.kubernetes.io/component={component}"

    def workers(self):
        """By the name of the node."""
        return {pod["metadata"]["annotations"]["evenkeel.dev/node"]: pod
                for pod in self.pods("worker")}

    def coordinator(self):
        """The newest coordinator's pod, once it runs."""
        def newest(pods):
            alive = [pod for pod in pods.values() if "deletionTimestamp" not in pod["metadata"]]
            last = max(alive, default=None, key=lambda pod: int(
                re.search(r"-(\d+)$", pod["metadata"]["name"]).group(1)))
            return last if last and last["status"].get("phase") == "Running" else None
        return kube.until(newest, "pods", "-n", self.namespace, "-l", self.selector("coordinator"),
                          what="a coordinator runs")

    def wait_workers(self, count, seconds=kube.PATIENCE):
        """Waits until this number of tasks has started; those of a short job may have ended by then."""
        kube.until(lambda pods: sum(pod["status"].get("phase") in ("Running", "Succeeded")
                                    for pod in pods.values()) >= count,
                   "pods", "-n", self.namespace, "-l", self.selector("worker"), seconds=seconds,
                   what=f"{count} workers have begun")

    # Its pages and results.
    def page(self, path):
        """One of the coordinator's pages, as bytes."""
        pod = self.coordinator()["metadata"]["name"]
        with kube.forwarded(pod, PAGES_PORT, self.namespace) as port:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=30) as answer:
                return answer.read()

    def summary(self):
        return json.loads(self.page("summary.json"))

    def timeline(self):
        return [json.loads(line) for line in self.page("timeline.jsonl").splitlines()]

    def fetch_results(self, folder):
        """kubectl evenkeel results; the names of the files that came."""
        subprocess.run([str(PLUGIN), "results", self.name, "-n", self.namespace, "--output",
                        str(folder)], env=kube.environment(), check=True, timeout=60)
        return sorted(path.name for path in pathlib.Path(folder).iterdir())

    def fetch_files(self, folder):
        """kubectl evenkeel results --files: the output files of tasks."""
        subprocess.run([str(PLUGIN), "results", self.name, "-n", self.namespace, "--files", str(folder)],
                       env=kube.environment(), check=True, timeout=60)

    def rerun(self, *options):
        """kubectl evenkeel rerun; the new job."""
        done = subprocess.run([str(PLUGIN), "rerun", self.name, "-n", self.namespace, *options],
                              env=kube.environment(), check=True, timeout=60, text=True,
                              stdout=subprocess.PIPE)
        return Job(re.fullmatch(r"\S+/(\S+) created\n", done.stdout).group(1), self.namespace)

    def events(self):
        return [event for event in kube.get("events.events.k8s.io", "-n", self.namespace)
                if event.get("regarding", {}).get("name") == self.name]
