"""evenkeel-coordinator from beginning to end: progress, pages, results, and what stays afterwards."""

import contextlib
import json
import os
import signal
import socket
import urllib.parse

import evenkeel
from cluster import TOKEN, ClusterTest
from evenkeel import eventually, job, primes, synthetic

NODES = (("pi4a", 4.25), ("pi4b", 4.25), ("pi3", 1))


class CompleteTest(ClusterTest):
    def run_primes(self, end=300_000, **more):
        self.plan(job("primes", primes(end, "TrialDivision", **more)), *NODES)
        coordinator = self.coordinator()
        workers = self.workers("pi4a", "pi4b", "pi3")
        return coordinator, workers

    def test_progress_and_result(self):
        coordinator, workers = self.run_primes(list=True)
        seen = []
        done = coordinator.await_progress(
            lambda now: seen.append(now) or now["state"] == "Complete", "the job is complete")
        for before, after in zip(seen, seen[1:]):
            self.assertLessEqual(before["tasks"]["completed"], after["tasks"]["completed"])
            self.assertLessEqual(before["progress"], after["progress"])
        self.assertEqual(done["result"], {"count": 25997, "largest": 299993})
        self.assertEqual(done["resultFiles"], ["primes.npy"])
        self.assertEqual((done["epoch"], done["progress"], done["resumedTasks"]), (1, 1, 0))
        self.assertEqual(sum(row["completed"] for row in done["workers"]), done["tasks"]["total"])
        self.assertEqual([row["node"] for row in done["workers"]], ["pi4a", "pi4b", "pi3"])
        self.check_all_done(workers)

        # The coordinator keeps serving pages, and sends late workers away.
        self.assertEqual(self.worker("pi3").wait(), 0)
        self.check_pages(coordinator)
        self.assertEqual(coordinator.await_exit(), 0, coordinator.said)

        # The next start of a complete job serves at once, without any worker.
        again = self.coordinator()
        done_again = again.await_state("Complete")
        self.assertEqual(done_again["result"], done["result"])
        self.assertEqual(done_again["resultFiles"], done["resultFiles"])
        self.assertEqual(done_again["resumedTasks"], done["tasks"]["total"])
        self.check_pages(again)
        self.check_output_files(again)
        self.assertEqual(again.await_exit(), 0, again.said)

    def check_pages(self, coordinator):
        status, body = coordinator.get("/summary.json")
        self.assertEqual((status, json.loads(body)["state"]), (200, "Complete"))
        self.assertIn(b"<html", coordinator.get("/report.html")[1])
        self.assertIn(b'"worker"', coordinator.get("/timeline.jsonl")[1])
        self.assertIn(b"evenkeel_tasks_completed_total", coordinator.get("/metrics.prom")[1])
        self.assertEqual(json.loads(coordinator.get("/results/")[1]), ["primes.npy"])
        status, body = coordinator.get("/results/primes.npy")
        (self.folder / "fetched.npy").write_bytes(body)
        shape, numbers = evenkeel.read_npy(self.folder / "fetched.npy")
        self.assertEqual((status, shape, numbers[-1]), (200, (25997,), 299993))
        self.assertEqual(coordinator.get("/results/primes.npy", method="HEAD"), (200, b""))
        for path in ("/results/../journal.db", "/results/%2e%2e/journal.db", "/results/journal.db",
                     "/results//etc/passwd", "/results/..%2f..%2f..%2fetc%2fpasswd", "/journal.db"):
            self.assertEqual(coordinator.get(path)[0], 404, path)
        self.assertEqual(coordinator.get("/summary.json", method="POST")[0], 405)

    def check_output_files(self, coordinator):
        """The pages of a folder that has an output file with a long name."""
        path = b"/".join([b"\xff" * 255] * 15)
        file = os.path.join(os.fsencode(self.output), b"files", b"3", path)
        os.makedirs(os.path.dirname(file))
        content = os.urandom(3_000_000)
        with open(file, "wb") as out:
            out.write(content)
        self.assertEqual(json.loads(coordinator.get("/files/?from=0")[1]), {"tasks": [[3, 3]]})
        [listed] = json.loads(coordinator.get("/files/3")[1])
        self.assertEqual((listed["bytes"], urllib.parse.unquote_to_bytes(listed["path"])), (len(content), path))
        self.assertEqual(coordinator.get("/files/3/" + listed["path"]), (200, content))
        self.assertEqual(coordinator.get("/files/3/" + listed["path"], method="HEAD"), (200, b""))
        for wrong in ("/files/4", "/files/3/x", "/files/3/../../journal.db", "/files/3/..%2f..%2fjournal.db"):
            self.assertEqual(coordinator.get(wrong)[0], 404, wrong)

    def test_pages_of_a_running_job(self):
        self.plan(job("slow", synthetic(200, {"constant": 0.05})), ("a", 1))
        coordinator = self.coordinator()
        self.worker("a")
        coordinator.await_tasks(5)
        summary = json.loads(coordinator.get("/summary.json")[1])
        self.assertEqual((summary["state"], summary["job"]), ("Running", "slow"))
        self.assertLess(0, summary["tasks"]["completed"])
        self.assertIn(b"<html", coordinator.get("/report.html")[1])
        lines = [json.loads(line) for line in coordinator.get("/timeline.jsonl")[1].splitlines()]
        self.assertTrue(any(line.get("worker") == "a" and "range" in line for line in lines))
        self.assertEqual(json.loads(coordinator.get("/results/")[1]), [])
        self.assertFalse((self.output / "report.html").exists(), "it was made for the one who asked")

    def test_the_live_page_and_its_data(self):
        self.plan(job("slow", synthetic(200, {"constant": 0.05})), ("a", 1))
        coordinator = self.coordinator()
        self.worker("a")
        coordinator.await_tasks(5)
        self.assertIn(b"<title>slow", coordinator.get("/")[1])

        def told(since=""):
            return json.loads(coordinator.get("/live.json?since=" + since)[1])

        first = told()
        self.assertEqual((first["job"], first["state"], first["whole"]), ("slow", "Running", True))
        late = eventually(lambda: (lambda data: data["caughtUp"] and data)(told()), "the journal is read")
        self.assertGreater(late["timeline"]["progress"]["tasks"][-1], 5)
        self.assertEqual(late["nodes"][0][1][0], "a")
        more = eventually(lambda: (lambda data: data["now"]["progress"] > late["now"]["progress"] and data)(
            told(late["at"])), "progress moves")
        self.assertEqual(len(more["timeline"]["lanes"]), 1)

    def test_health_and_metrics(self):
        self.plan(job("slow", synthetic(200, {"constant": 0.05})), ("a", 1))
        coordinator = self.coordinator()
        self.worker("a")
        coordinator.await_tasks(5)
        for path in ("/healthz", "/readyz"):
            self.assertEqual(coordinator.get(path, coordinator.health), (200, b"ok\n"))
        _, text = coordinator.get("/metrics", coordinator.health)
        self.assertRegex(text.decode(), r'(?m)^evenkeel_job_progress_ratio\{.*weighted_job="slow".*\} 0\.\d')
        self.assertRegex(text.decode(), r"(?m)^evenkeel_task_duration_seconds_count [1-9]")
        self.assertEqual(coordinator.get("/progress", coordinator.health)[0], 404)


    def test_idle_connections_do_not_fail_the_probes(self):
        self.plan(job("slow", synthetic(2000, {"constant": 0.05})), ("a", 1))
        coordinator = self.coordinator()
        self.worker("a")
        coordinator.await_tasks(5)
        with contextlib.ExitStack() as held:
            for port in (coordinator.health, coordinator.control):
                for _ in range(200):
                    held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
            for path in ("/healthz", "/readyz"):
                self.assertEqual(coordinator.get(path, coordinator.probes), (200, b"ok\n"))
            # Who comes last replaces the connection that has been idle longest.
            self.assertEqual(coordinator.get("/metrics", coordinator.health)[0], 200)
            self.assertEqual(coordinator.ask("GET", "/progress")[0], 200)


class JoinTest(ClusterTest):
    def test_a_node_that_nobody_expected_joins_with_its_weight(self):
        self.plan(job("slow", synthetic(60, {"constant": 0.1})), ("a", 1))
        coordinator = self.coordinator()
        workers = self.workers("a")
        coordinator.await_tasks(2)
        workers.append(self.worker("b", "--ratio", "2.5"))
        joined = coordinator.await_progress(
            lambda now: any(row["node"] == "b" and row["completed"] for row in now["workers"]),
            "b has done something")
        self.assertEqual(joined["workers"][0]["node"], "b")
        self.assertEqual(joined["workers"][0]["ratio"], 2.5)
        coordinator.await_state("Complete")
        self.check_all_done(workers)

    def test_bad_ratios_are_refused(self):
        self.plan(job("slow", synthetic(1, {"constant": 0.1})), ("a", 1))
        for ratio in ("0", "-1", "1e7", "nan", "x"):
            self.assertEqual(self.worker("b", "--ratio", ratio).wait(10), 2, ratio)


class BadInputTest(ClusterTest):
    def check_refused(self, pattern, *more):
        refused = self.coordinator(*more)
        self.assertEqual(refused.wait(10), 2, refused.said)
        complaints = [line for line in refused.said.splitlines() if " info " not in line]
        self.assertEqual(len(complaints), 1, refused.said)
        self.assertRegex(complaints[0], "^evenkeel-coordinator: .*" + pattern)

    def test_one_line_and_exit_code_2(self):
        good = job("primes", primes(1000))
        self.plan(good, ("a", 1))
        bad = job("primes", primes(-1))
        self.write("job.json", bad)
        self.check_refused(r"job\.json: spec\.workload\.primes\.end")
        self.write("job.json", good)
        self.write("nodes.json", [])
        self.check_refused(r"nodes\.json: ")
        self.write("nodes.json", [{"name": "a", "ratio": 1}])
        self.check_refused(r"missing: there is no such file", "--snapshot", "missing")
        self.write("broken", b"no snapshot")
        self.check_refused(r"broken: not a snapshot", "--snapshot", "broken")
        (self.folder / "token").write_text("short")
        self.check_refused(r"token: must have at least")
        self.assertFalse((self.output / "journal.db").exists())

    def test_the_folder_of_another_job(self):
        self.plan(job("primes", primes(1000)), ("a", 1))
        first = self.coordinator()
        first.await_progress(lambda now: now["epoch"] == 1, "it has its journal")
        self.assertEqual(first.await_exit(), 0)
        self.write("job.json", job("primes", primes(2000)))
        second = self.coordinator()
        self.assertEqual(second.wait(10), 2)
        self.assertIn("they differ in", second.said)


if __name__ == "__main__":
    evenkeel.main()
