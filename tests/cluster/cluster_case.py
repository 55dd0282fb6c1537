"""Base class of the tests on the cluster: each has its own namespace, and failures are recorded."""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

import faults
import jobs
import kube
import machine

RECORDS = machine.ROOT / "build" / "cluster-failures"
SHOWN_LOG_LINES = 30  # of each replica of the operator, at a failure
OPERATOR_NAMESPACE = "evenkeel-system"
SHARES = {"pi4-a": 0.40, "pi4-b": 0.40, "pi3": 0.0937}  # of a core: scripts/lib/cluster/settings.sh
NODES = tuple(SHARES)
AT_ONCE = 5  # concurrent tests of a program: the nodes have less than one core together


def require_cluster():
    """Ends the program as skipped if no cluster is up: its set-up has printed the reason."""
    if not kube.place("KUBECONFIG").exists():
        print("skipped: no cluster is up", file=sys.stderr)
        sys.exit(machine.SKIPPED)


class ClusterTest(unittest.TestCase):
    """Each test has its own namespace, at the restricted pod security level."""

    maxDiff = None
    beside = False  # True: the tests change neither nodes nor operator, and run concurrently

    def setUp(self):
        words = re.sub(r"[^a-z0-9]+", "-", self._testMethodName.removeprefix("test_").lower())
        self.namespace = f"t-{words.strip('-')[:48]}"
        kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": self.namespace,
            "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})

    def run(self, result=None):
        result = result if result is not None else self.defaultTestResult()
        before = len(result.failures) + len(result.errors)
        self.namespace = None
        began = time.monotonic()
        super().run(result)
        print(f"  after {time.monotonic() - began:.0f} s", file=sys.stderr)
        if self.namespace is None:
            return result
        if len(result.failures) + len(result.errors) > before:
            self.record()
        try:
            kube.delete("namespace", self.namespace, wait=False)
        except Exception as error:  # the next test has another namespace
            print(f"{self.namespace} stays: {error}", file=sys.stderr)
        return result

    def submit(self, manifest):
        name = manifest["metadata"]["name"]
        kube.create(manifest, self.namespace)
        return jobs.Job(name, self.namespace)

    def claim_new_volume(self, claim, node, mebibytes=None):
        """A claim on a volume of the test's own, which is removed when no pod uses it. With "shared" in place
        of a node, all nodes reach it. Returns the volume's name."""
        volume = f"{self.namespace}-{claim}"[:50]
        self.enterContext(faults.volume(volume, node, mebibytes))
        self.addCleanup(self.delete_jobs)
        kube.apply(faults.claim(claim, volume, shared=node == "shared", mebibytes=mebibytes),
                   namespace=self.namespace)
        return volume

    def delete_jobs(self):
        """Deletes the test's jobs, and waits until the API server has none of their pods."""
        kube.delete("weightedjob", "--all", "-n", self.namespace)
        kube.wait("delete", "pod", "-l", "evenkeel.dev/weighted-job", "-n", self.namespace)

    def check_primes_in_status(self, job, end):
        """The count is exact, and no task has failed."""
        status = job.status()
        self.assertEqual(status["tasks"]["completed"], status["tasks"]["total"], status)
        self.assertEqual(status["tasks"].get("failed", 0), 0, status)
        self.assertEqual(json.loads(status["result"]["summary"])["count"], jobs.primes_below(end))

    def check_primes(self, job, end):
        """The same, in the status and in the coordinator's summary."""
        self.check_primes_in_status(job, end)
        summary = job.summary()
        self.assertEqual(summary["state"], "Complete")
        self.assertEqual(summary["result"]["count"], jobs.primes_below(end))
        self.assertEqual(summary["tasks"]["failed"], 0)

    def check_covered_once(self, job):
        """Each task is in the timeline once: no completed task ran again."""
        total = job.summary()["tasks"]["total"]
        found = sorted(index for entry in job.timeline() if "range" in entry
                       for index in range(*entry["range"]))
        self.assertEqual(found, list(range(total)))

    # Records of a failure.
    def record(self):
        folder = RECORDS / self.namespace
        folder.mkdir(parents=True, exist_ok=True)
        kinds = "weightedjobs,pods,services,configmaps,persistentvolumeclaims,networkpolicies"
        self.save(folder, "objects.yaml", "get", kinds, "-n", self.namespace, "-o", "yaml")
        self.save(folder, "events.txt", "get", "events", "-n", self.namespace,
                  "--sort-by=.lastTimestamp")
        self.save(folder, "nodes.txt", "get", "nodes", "-o", "wide")
        self.save(folder, "policies.yaml", "get", "weightingpolicies", "-o", "yaml", "--show-managed-fields")
        self.save_logs(folder, self.namespace)
        self.save_logs(folder, OPERATOR_NAMESPACE)
        for log in sorted(folder.glob("*operator*.log")):
            lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
            print(f"\nthe last lines of {log.name}:", *lines[-SHOWN_LOG_LINES:], sep="\n  ", file=sys.stderr)
        print(f"\nobjects, events and logs at the failure are in {folder}", file=sys.stderr)

    def save_logs(self, folder, namespace):
        try:
            pods = [pod["metadata"]["name"] for pod in kube.get("pods", "-n", namespace)]
        except Exception:
            return  # objects.yaml has the error
        for pod in pods:
            self.save(folder, f"{pod}.log", "logs", pod, "-n", namespace, "--all-containers",
                      "--tail=2000")
            self.save(folder, f"{pod}.previous.log", "logs", pod, "-n", namespace, "--previous",
                      "--tail=500")

    def save(self, folder, file, *arguments):
        try:
            text = kube.kubectl(*arguments)
        except Exception as error:
            text = str(error)
        (folder / file).write_text(text)


def show(thing):
    return json.dumps(thing, indent=1)


def main():
    """Runs the tests that the command line names, all without arguments. --beside: only those that may run
    concurrently, each as a process; --alone: only the others."""
    require_cluster()
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    if sys.argv[1:] not in ([], ["--beside"], ["--alone"]):
        unittest.main(verbosity=2)
    tests = list(flat(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])))
    good = True
    if "--alone" not in sys.argv:
        good = run_beside([test.id().removeprefix("__main__.") for test in tests if test.beside])
    if "--beside" not in sys.argv:
        alone = unittest.TestSuite(test for test in tests if not test.beside)
        good = unittest.TextTestRunner(verbosity=2).run(alone).wasSuccessful() and good
    sys.exit(not good)


def flat(suite):
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from flat(part)
        else:
            yield part


def run_beside(names):
    """Returns whether all passed. Prints their outputs, failed ones last."""
    def run(name):
        process = subprocess.run([sys.executable, "-B", sys.argv[0], name], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return process.returncode == 0, process.stdout

    failed = []
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for passed, text in pool.map(run, names):
            if passed:
                print(text, end="", file=sys.stderr)
            else:
                failed.append(text)
    print("".join(failed), end="", file=sys.stderr)
    return not failed


def folder_of(test):
    """A new folder for files of the test, empty each time."""
    folders = machine.ROOT / "build" / "cluster-files"
    folders.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(tempfile.mkdtemp(prefix=f"{test.namespace}-", dir=folders))
