"""kubectl evenkeel ui: the live page of a job in the cluster, and the report that replaces it; the page of all jobs
and boards."""

import json
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

import cluster_case
import faults
import jobs
import kube
import machine

PATIENCE = 120
TASKS = 900
SECONDS = 0.15  # a task; three workers with a thread each sleep 45 s over all of them


class Ui:
    """The running command; its output as it comes."""

    def __init__(self, *arguments):
        program = machine.ROOT / "build" / "release" / "bin" / "kubectl-evenkeel"
        self.process = subprocess.Popen([str(program), "ui", *arguments], text=True,
                                        env=kube.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.said = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.said.append(line.rstrip())

    def address(self):
        def said():
            return next((line for line in self.said if re.fullmatch(r"http://127\.0\.0\.1:\d+/", line)), None)
        return self.eventually(said, "it says where")

    def eventually(self, condition, what):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            found = condition()
            if found:
                return found
            time.sleep(0.2)
        raise AssertionError(f"it did not come to this: {what}; it said {self.said}")

    def data(self, path="live.json?since="):
        """The data that the page would get now, or None while there is no connection."""
        try:
            with urllib.request.urlopen(self.address() + path, timeout=10) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            return None

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)
        self.reader.join(20)


class UiTest(cluster_case.ClusterTest):
    def begin(self, tasks=TASKS, **sections):
        job = self.submit(jobs.manifest("shown", jobs.sleeping(tasks, SECONDS), **sections))
        ui = Ui(job.name, "-n", job.namespace)  # at once: the coordinator is waited for
        self.addCleanup(ui.process.kill)
        return job, ui

    def progress(self, ui):
        return ((ui.data() or {}).get("now") or {}).get("progress", 0)

    def test_data_moves_and_the_page_becomes_the_report(self):
        job, ui = self.begin(tasks=600)
        with urllib.request.urlopen(ui.address(), timeout=10) as page:
            self.assertIn("default-src 'none'", page.headers["Content-Security-Policy"])
            self.assertIn(b"<title>shown", page.read())
        first = ui.eventually(lambda: self.progress(ui), "the run is shown")
        ui.eventually(lambda: self.progress(ui) > first, "progress moves")
        told = ui.eventually(ui.data, "it tells of the run")
        self.assertEqual(len(told["nodes"]), 3, told["nodes"])
        self.assertTrue(all(name for name in (node[1][0] for node in told["nodes"])))
        ui.eventually(lambda: (ui.data() or told)["timeline"]["lanes"], "lanes are shown")
        request = urllib.request.Request(ui.address(), headers={"Host": "evil.example"})
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=10)
        self.assertEqual(refused.exception.code, 421)
        refused.exception.close()
        job.wait_complete()
        ended = ui.eventually(lambda: (ui.data() or {}).get("over") and ui.data(), "it is over")
        self.assertEqual(ended["state"], "Complete")
        with urllib.request.urlopen(ui.address() + "report.html", timeout=10) as report:
            self.assertIn(b'"state":"Complete"', report.read())
        ui.stop()
        self.assertEqual(ui.process.returncode, 0)

    def test_a_coordinator_that_is_replaced_is_found_again_at_the_same_address(self):
        # A claim, so that the next coordinator continues the run.
        self.claim_new_volume("results", "pi4-b")
        job, ui = self.begin(resultStorage={"persistentVolumeClaim": "results"})
        address = ui.address()
        before = ui.eventually(lambda: self.progress(ui) > 0.1 and self.progress(ui), "a part is done")
        old = job.coordinator()["metadata"]
        faults.delete_pod(old["name"], self.namespace)
        ui.eventually(lambda: "connected again" in ui.said, "it connects again")
        ui.eventually(lambda: self.progress(ui) > before, "the run goes on")
        self.assertNotEqual(job.coordinator()["metadata"]["uid"], old["uid"])
        self.assertEqual(ui.address(), address)
        ui.stop()

    def test_all_jobs_and_boards_are_shown_without_a_job(self):
        job = self.submit(jobs.manifest("shown", jobs.sleeping(TASKS, SECONDS)))
        ui = Ui("-n", self.namespace)
        self.addCleanup(ui.process.kill)

        def all_run():
            data = ui.data("boards.json") or {}
            workers = [worker for board in data.get("boards", []) for worker in board["workers"]
                       if worker["job"] == job.name and worker["state"] == "Running"]
            return len(workers) == 3 and data
        data = ui.eventually(all_run, "the job's three workers are shown")
        boards = {board["name"]: board for board in data["boards"]}
        for name in cluster_case.NODES:
            self.assertEqual(boards[name]["state"], "Ready")
            self.assertGreater(boards[name]["cpu"], 0)
            self.assertEqual([(worker["job"], worker["cpu"]) for worker in boards[name]["workers"]], [("shown", 20)])
            self.assertGreater(boards[name]["workers"][0]["slots"], 0)
        ui.eventually(lambda: 0 < ui.data("boards.json")["jobs"][0]["progress"] < 1, "progress is shown")
        ui.stop()
        self.assertEqual(ui.process.returncode, 0)


if __name__ == "__main__":
    cluster_case.main()
