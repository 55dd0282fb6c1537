"""kubectl evenkeel top, explain and ui."""

import fcntl
import json
import os
import pty
import signal
import socket
import struct
import termios
import threading
import urllib.error
import urllib.request

import plugin
from plugin import JOBS, PluginTest, job, pod

RUNNING = job(complete=False, workers=[
    {"node": "pi4", "weight": 5, "share": 3, "completed": 1, "stolen": 0, "state": "Running"}])
LIVE = {**plugin.SUMMARY, "state": "Running", "nodes": [
    {"name": "pi4", "weight": 5, "ratio": 4.25, "share": 0.75, "completed": 2, "stolenIn": 1,
     "stolenOut": 0, "busySeconds": 1.0, "rate": 19.5e6}]}


class TopTest(PluginTest):
    def test_jobs(self):
        self.objects[JOBS] = {"items": [job("zeta"), job("alpha", complete=False)]}
        out, _ = self.run_plugin("top", "-n", "lab")
        lines = out.splitlines()
        self.assertEqual(lines[0].split(), "JOB STATE PROGRESS TASKS ETA WORKERS AGE".split())
        self.assertEqual([line.split()[:2] for line in lines[1:]],
                         [["alpha", "Progressing"], ["zeta", "Complete"]])
        self.assertIn("--namespace=lab", self.calls()[0])
        out, _ = self.run_plugin("top", "-A", "-n", "lab")
        self.assertIn("lab/zeta", out)
        self.assertIn("--all-namespaces", self.calls()[-1])
        self.assertNotIn("--namespace=lab", self.calls()[-1])

    def test_no_jobs(self):
        self.objects[JOBS] = {"items": []}
        self.assertEqual(self.run_plugin("top")[0], "no jobs\n")

    def test_a_job_with_what_its_coordinator_says(self):
        self.objects[f"{JOBS} primes"] = RUNNING
        self.pages["summary.json"] = json.dumps(LIVE)
        out, _ = self.run_plugin("top", "primes")
        self.assertRegex(out, r"pi4 +4\.250 +75\.0% +2 +1 +19\.5 M/s +Running")

    def test_a_job_whose_coordinator_cannot_be_reached(self):
        self.objects[f"{JOBS} primes"] = RUNNING
        self.forwards = ["refuse"]
        out, err = self.run_plugin("top", "primes")
        self.assertRegex(out, r"pi4 +5\.000 +75\.0% +1 +0 +- +Running")
        self.assertEqual(err, "")
        self.forwards, self.pages["summary.json"] = ["serve"], "[" * 100000
        self.assertRegex(self.run_plugin("top", "primes")[0], r"pi4 +5\.000")

    def test_errors(self):
        self.check_refused("top", "missing", code=2, says=["not found"])
        self.check_refused("top", "-rf", code=2)
        self.objects[JOBS] = "error: You must be logged in to the server (Unauthorized)"
        self.check_refused("top", code=1, says=["logged in"])

    def test_on_a_terminal_it_is_drawn_again_until_it_is_told_to_stop(self):
        self.objects[f"{JOBS} primes"] = RUNNING
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 70, 0, 0))
        process = self.start("top", "primes", stdout=follower, stderr=follower)
        os.close(follower)
        text = b""
        while text.count(b"NODE") < 2:
            text += os.read(leader, 65536)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(plugin.PATIENCE), 0)
        os.close(leader)
        self.assertIn(b"\x1b[4A", text)  # up again over what was drawn before
        for line in text.decode().replace("\x1b[2K", "").splitlines():
            self.assertLessEqual(len(line), 75, line)


class ExplainTest(PluginTest):
    def test_words(self):
        self.objects["events"] = {"items": []}
        self.objects["configmaps primes-plan"] = {"data": {"nodes.json": json.dumps(
            [{"name": "pi4", "ratio": 1}])}}
        self.objects["nodes"] = {"items": [
            {"metadata": {"name": name, "labels": {"hardware.evenkeel.dev/model": "raspberry-pi-4b"}}}
            for name in ("pi4", "pi\x1b5")]}
        out, err = self.run_plugin("explain", "primes")
        self.assertEqual(err, "")
        self.assertIn("primes in namespace lab: Complete, 100% done (4 of 4 tasks)", out)
        self.assertIn("pi4: cpu cortex-a72 1500 MHz", out)
        self.assertIn("pi?5: is not ready: it has not reported yet", out)
        self.assertNotIn("\x1b", out)

    def test_what_may_not_be_read_is_said(self):
        for words in ("nodes", "events"):
            self.objects[words] = f"Error from server (Forbidden): {words} is forbidden"
        out, _ = self.run_plugin("explain", "primes")
        self.assertIn("Not to be seen: Error from server (Forbidden): nodes is forbidden", out)
        self.assertIn("not to be seen: Error from server (Forbidden): events is forbidden", out)

    def test_errors(self):
        self.check_refused("explain", "missing", code=2, says=["not found"])


class UiTest(PluginTest):
    def read_lines(self, process):
        """Its output as it comes."""
        lines = []

        def follow():
            for line in process.stdout:
                lines.append(line.rstrip())

        reader = threading.Thread(target=follow)
        reader.start()
        self.addCleanup(reader.join)
        return lines

    def page(self, url):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, timeout=plugin.PATIENCE) as answer:
            return answer.read()

    def start_ui(self, *more):
        """The process, its output lines, and the page's address."""
        self.pages["index.html"] = "<p>live"
        process = self.start("ui", "primes", *more)
        lines = self.read_lines(process)
        plugin.eventually(lambda: len(lines) >= 2 or process.poll() is not None, "it says where")
        return process, lines, lines[0]

    def end(self, process, number=signal.SIGINT):
        process.send_signal(number)
        self.assertEqual(process.wait(plugin.PATIENCE), 0)

    def test_pages_until_it_is_told_to_stop(self):
        process, lines, url = self.start_ui()
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/$")
        self.assertEqual(self.page(url), b"<p>live")
        self.assertEqual(self.page(url + "report.html"), b"<html>")
        self.end(process)

    def test_it_connects_again_on_the_same_port_to_a_coordinator_that_was_replaced(self):
        self.forwards = [{"break": "/timeline.jsonl"}, "serve"]
        process, lines, url = self.start_ui()
        self.objects["pods"] = {"items": [pod("primes-coordinator-2", attempt="2")]}
        self.write_cluster()
        with self.assertRaises(Exception):
            self.page(url + "timeline.jsonl")
        plugin.eventually(lambda: "connected again" in lines, "it connects again")
        self.assertEqual(self.page(url), b"<p>live")
        self.assertIn("pod/primes-coordinator-2", self.calls()[-1])
        self.end(process, signal.SIGTERM)

    def test_it_notices_that_nobody_is_there_though_kubectl_goes_on(self):
        self.forwards = [{"hollow": "/timeline.jsonl"}, "serve"]
        process, lines, url = self.start_ui()
        with self.assertRaises(Exception):
            self.page(url + "timeline.jsonl")
        plugin.eventually(lambda: "connected again" in lines, "it connects again")
        self.assertEqual(self.page(url), b"<p>live")
        self.end(process)

    def test_a_coordinator_that_is_not_there_yet_is_waited_for(self):
        for missing, says in ({"items": []}, "no coordinator yet"), ({"items": [pod(phase="Pending")]}, "not running yet"):
            with self.subTest(says):
                self.objects[f"{JOBS} primes"], self.objects["pods"] = job(complete=False), missing
                process = self.start("ui", "primes")
                complaint = process.stderr.readline()
                self.assertIn(says, complaint)
                self.assertIn("waiting for the coordinator", complaint)
                self.objects["pods"] = {"items": [pod()]}
                self.write_cluster()
                self.assertRegex(process.stdout.readline(), r"^http://127\.0\.0\.1:\d+/\n$")
                self.end(process)

    def test_the_port_is_the_users_choice(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
            taken.listen()
            self.check_refused("ui", "primes", "--port", str(port), code=2, says=["unable to listen", str(port)])
        process, _, url = self.start_ui("--port", str(port))
        self.assertEqual(url, f"http://127.0.0.1:{port}/")
        self.end(process)
        for wrong in ("0", "65536", "x"):
            self.check_refused("ui", "primes", "--port", wrong, code=2, says=["--port"])

    def test_a_browser_is_opened_if_it_is_asked_for(self):
        opened = self.folder / "opened"
        browser = self.root / "bin" / "xdg-open"
        browser.write_text(f'#!/bin/sh\necho "$1" > "{opened}"\n')
        browser.chmod(0o755)
        self.environment["DISPLAY"] = ":0"
        process, _, url = self.start_ui()
        self.end(process)
        self.assertFalse(opened.exists())
        process, _, url = self.start_ui("--open")
        plugin.eventually(lambda: opened.exists() and opened.read_text() == url + "\n", "the browser is started")
        self.end(process)
        del self.environment["DISPLAY"]
        self.environment.pop("WAYLAND_DISPLAY", None)
        process, _, url = self.start_ui("--open")
        self.assertIn("no display", process.stderr.readline())
        self.assertEqual(self.page(url), b"<p>live")
        self.end(process)

    def test_all_jobs_without_a_name(self):
        self.objects = {JOBS: {"items": [RUNNING]}, "pods": {"items": []}, "nodes": {"items": []}}
        process = self.start("ui", "-n", "lab")
        url = process.stdout.readline().strip()
        self.assertIn(b"Jobs and boards", self.page(url))
        data = json.loads(self.page(url + "boards.json"))
        self.assertEqual([row["name"] for row in data["jobs"]], ["primes"])
        self.assertEqual((data["namespace"], data["trouble"]), ("lab", ""))
        self.assertIn("app.kubernetes.io/managed-by=evenkeel-operator,app.kubernetes.io/component=worker",
                      self.calls()[1])
        for path, host, status in (("", "evil.example", 421), ("nothing", "localhost", 404)):
            request = urllib.request.Request(url + path, headers={"Host": host})
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.page(request)
            self.assertEqual(refused.exception.code, status)
            refused.exception.close()
        self.check_refused("ui", "--port", url.split(":")[2].strip("/"), code=2, says=["--port"])
        self.end(process)

    def test_the_cluster_is_read_only_while_a_page_is_open(self):
        self.objects = {JOBS: {"items": []}, "pods": {"items": []}, "nodes": {"items": []}}
        process = self.start("ui", "-A")
        url = process.stdout.readline().strip()
        def looks():
            return sum(JOBS in call for call in self.calls())
        self.assertEqual(looks(), 1)
        self.page(url + "boards.json")
        plugin.eventually(lambda: looks() == 2, "it reads the jobs again for the page")
        self.assertTrue(all("--all-namespaces" in call for call in self.calls() if JOBS in call))
        self.end(process)

    def test_errors(self):
        self.check_refused("ui", "primes", "-A", code=2, says=["-A", "only without the name of a job"])
        self.objects[JOBS] = "error: You must be logged in to the server (Unauthorized)"
        self.check_refused("ui", code=1, says=["logged in"])
        self.check_refused("ui", "missing", code=2, says=["not found"])
        self.objects["pods"] = {"items": []}
        self.check_refused("ui", "primes", code=1, says=["Complete", "its coordinator has gone"])
        self.objects[f"{JOBS} primes"]["spec"] = {"resultStorage": {"persistentVolumeClaim": "my-claim"}}
        self.check_refused("ui", "primes", code=1, says=["in the claim my-claim"])
        self.objects["pods"], self.forwards = {"items": [pod()]}, ["end-at-once"]
        process = self.start("ui", "primes")
        plugin.eventually(lambda: sum(call[0] == "port-forward" for call in self.calls()) > 2,
                          "it tries again")
        self.end(process)


class RerunTest(PluginTest):
    def setUp(self):
        super().setUp()
        failed = job(complete=False, tasks={"total": 4, "completed": 3, "failed": 1})
        failed["status"]["conditions"] = [{"type": "Failed", "status": "True", "reason": "TasksFailed"}]
        failed["spec"] = {"workload": {"primes": {"end": 100}},
                          "resultStorage": {"persistentVolumeClaim": "results"}}
        self.objects[f"{JOBS} primes"] = failed

    def created(self):
        return json.loads((self.cluster / "created.json").read_text())

    def test_a_job_is_created(self):
        out, err = self.run_plugin("rerun", "primes", "-n", "lab")
        self.assertEqual((out, err), (f"{JOBS}/primes-rerun-1 created\n", ""))
        self.assertEqual(self.created()["metadata"], {"name": "primes-rerun-1", "namespace": "lab"})
        self.assertEqual(self.created()["spec"]["rerun"], {"job": "primes", "failed": True})
        self.assertEqual(self.calls()[-1][:3], ["create", "-f", "-"])
        self.assertIn("--namespace=lab", self.calls()[-1])
        self.run_plugin("rerun", "primes", "--indexes", "3,0-1", "--name", "again")
        self.assertEqual(self.created()["spec"]["rerun"], {"job": "primes", "indexes": "0-1,3"})
        self.assertEqual(self.created()["metadata"]["name"], "again")

    def test_a_manifest_is_printed(self):
        out, _ = self.run_plugin("rerun", "primes", "-o", "yaml")
        self.assertIn("  rerun:\n    failed: true\n    job: primes\n", out)
        self.assertFalse((self.cluster / "created.json").exists())

    def test_errors(self):
        self.check_refused("rerun", "missing", code=2, says=["not found"])
        self.check_refused("rerun", "primes", "--indexes", "4", code=2, says=["must be below 4, is 4"])
        self.check_refused("rerun", "primes", "--failed", "--indexes", "3", code=2, says=["excludes"])
        self.check_refused("rerun", "primes", "-o", "json", code=2, says=["yaml"])
        (self.cluster / "refusal.json").write_text(json.dumps(
            'Error from server (AlreadyExists): weightedjobs "again" already exists'))
        self.check_refused("rerun", "primes", "--name", "again", code=2, says=["already exists"])
        (self.cluster / "refusal.json").write_text(json.dumps(
            "Error from server (Forbidden): you cannot create resource weightedjobs"))
        self.check_refused("rerun", "primes", code=1, says=["Forbidden"])


if __name__ == "__main__":
    plugin.main()
