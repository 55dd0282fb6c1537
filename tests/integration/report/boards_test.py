"""The page of all jobs and boards in a headless Chromium: kubectl-evenkeel serves it, with a kubectl that only
pretends.

KUBECTL_EVENKEEL and EVENKEEL_CHROMIUM name the programs; ctest sets them. With EVENKEEL_SCREENSHOTS, a folder, the
tests leave pictures of the page there.
"""

import os
import pathlib
import signal
import sys
import time

from browser_case import WithBrowser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "kubectl"))
import plugin  # noqa: E402

SCREENSHOTS = os.environ.get("EVENKEEL_SCREENSHOTS")
HOSTILE = "<img src=x onerror=alert(1)>"


def shared_job(name, kind="Progressing", true=True, reason="Running", message="workers run", priority="", **status):
    return {"metadata": {"name": name, "namespace": "lab", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"workload": {"primes": {"end": 1000}}, "worker": {
                "resources": {"requests": {"cpu": "500m", "memory": "128Mi"}},
                "template": {"priorityClassName": priority} if priority else {}}},
            "status": {"conditions": [{"type": kind, "status": str(true), "reason": reason, "message": message}],
                       "tasks": {"total": 1000, "completed": 420}, "progress": "42%",
                       "startTime": "2026-01-01T00:00:00Z", **status}}


def worker(job, node, placed=True):
    conditions = [{"type": "Ready", "status": "True"}] if placed else [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "Insufficient cpu"}]
    return {"metadata": {"name": f"{job}-worker-{node}", "namespace": "lab",
                         "annotations": {"evenkeel.dev/node": node},
                         "labels": {"app.kubernetes.io/managed-by": "evenkeel-operator",
                                    "app.kubernetes.io/component": "worker", "evenkeel.dev/weighted-job": job}},
            "spec": {"nodeName": node if placed else "", "containers": [
                {"name": "worker", "args": ["--node", node, "--threads", "4"],
                 "resources": {"requests": {"cpu": "500m", "memory": "128Mi"}}}]},
            "status": {"phase": "Running" if placed else "Pending", "conditions": conditions}}


def node(name, ready=True, cordoned=False):
    return {"metadata": {"name": name}, "spec": {"unschedulable": cordoned},
            "status": {"allocatable": {"cpu": "4", "memory": "3788Mi", "pods": "110"},
                       "conditions": [{"type": "Ready", "status": str(ready)}]}}


class BoardsPageTest(WithBrowser, plugin.PluginTest):
    def share(self, jobs, pods, nodes):
        self.objects = {plugin.JOBS: {"items": jobs}, "pods": {"items": pods},
                        "nodes": nodes if isinstance(nodes, str) else {"items": nodes}}

    def show_trio(self):
        later = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 200))
        self.share(
            [shared_job("alpha", estimatedCompletionTime=later),
             shared_job("beta", message="workers run; waits for room: pi3 lacks cpu: requested 500m, free 100m, held "
                        "by job alpha (3750m), other pods (150m)", priority="night", estimatedCompletionTime=later),
             shared_job("gamma", true=False, reason="WaitingForRoom", message="none of 3 nodes can take a worker"),
             shared_job("asleep", kind="Suspended", reason="Suspended", message="s"),
             shared_job("done", kind="Complete", reason="AllTasksDone", message="d", progress="100%"),
             shared_job("broken", kind="Failed", reason="TasksFailed", message="3 tasks have failed for good")],
            [worker("alpha", "pi4-a"), worker("beta", "pi4-a"), worker("alpha", "pi4-b"), worker("beta", "pi3", False)],
            [node("pi4-a"), node("pi4-b", cordoned=True), node("pi3", ready=False), node("idle")])

    def serve(self, *arguments):
        process = self.start("ui", *arguments)
        url = process.stdout.readline().strip()
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/$", process.poll() is not None and process.stderr.read())
        self.addCleanup(process.communicate, timeout=plugin.PATIENCE)
        self.addCleanup(process.send_signal, signal.SIGINT)
        return url

    def open(self, url, width=1280, dark=False, touch=False):
        page = self.browser.page(width, 900, dark, touch)
        self.addCleanup(page.__exit__)
        page.open(url)
        plugin.eventually(lambda: page.evaluate("document.querySelectorAll('#boards tbody tr').length"), "it is drawn")
        return page

    def picture(self, page, name):
        if SCREENSHOTS:
            page.screenshot(str(pathlib.Path(SCREENSHOTS) / f"{name}.png"))

    def texts(self, page, selector):
        return page.evaluate(f"[...document.querySelectorAll('{selector}')].map((e) => e.textContent)")

    def check_fits(self, page):
        """The page itself never scrolls sideways."""
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"),
                             page.evaluate("document.documentElement.clientWidth"))
        self.assertEqual(page.problems, [])

    def test_jobs_and_boards_in_light_and_dark_and_on_a_phone(self):
        self.show_trio()
        url = self.serve("-n", "lab")
        for name, options in (("light", {}), ("dark", {"dark": True}), ("phone", {"width": 390, "touch": True})):
            with self.subTest(name):
                page = self.open(url, **options)
                self.assertEqual(self.texts(page, "#jobs tbody td:first-child"),
                                 ["alpha", "asleep", "beta", "gamma", "broken", "done"])
                self.assertEqual(self.texts(page, "#boards tbody td:first-child"), ["pi3", "pi4-a", "pi4-b", "idle"])
                self.assertIn("waits for room: pi3 lacks cpu", " ".join(self.texts(page, "#jobs .waits")))
                self.assertIn("alpha4 slots, 500m", self.texts(page, "#boards .workers li"))
                self.assertIn("beta4 slots, 500m, no room yet", self.texts(page, "#boards .workers li"))
                self.check_fits(page)
                self.assertTrue(all(request.startswith(url) for request in page.requests), page.requests)
                self.picture(page, name)

    def test_it_follows_the_cluster(self):
        self.show_trio()
        page = self.open(self.serve("-n", "lab"))
        self.share([shared_job("newcomer")], [], [node("pi4-a")])
        self.write_cluster()
        plugin.eventually(lambda: self.texts(page, "#jobs tbody td:first-child") == ["newcomer"], "the job is shown")
        self.objects[plugin.JOBS] = "error: You must be logged in to the server (Unauthorized)"
        self.write_cluster()
        plugin.eventually(lambda: "logged in" in page.evaluate("document.querySelector('#connection').textContent"),
                          "the page says why it is out of date")
        self.assertEqual(self.texts(page, "#jobs tbody td:first-child"), ["newcomer"])

    def test_no_jobs(self):
        self.share([], [], [node("pi4-a")])
        page = self.open(self.serve("-A"))
        self.assertIn("There are no jobs here", self.texts(page, "#jobs tbody td")[0])
        self.check_fits(page)
        self.picture(page, "no-jobs")

    def test_nodes_that_may_not_be_listed(self):
        self.show_trio()
        self.objects["nodes"] = 'Error from server (Forbidden): nodes is forbidden: User "x" cannot list'
        page = self.open(self.serve("-n", "lab"))
        self.assertEqual(self.texts(page, "#boards tbody td:first-child"), ["pi3", "pi4-a", "pi4-b"])
        self.assertIn("nodes is forbidden", " ".join(self.texts(page, "#notes li")))
        self.picture(page, "no-nodes")

    def test_names_are_never_markup(self):
        self.share([shared_job(HOSTILE, message=f"workers run; {HOSTILE}", priority=HOSTILE)],
                   [worker(HOSTILE, HOSTILE)], [node(HOSTILE)])
        page = self.open(self.serve("-n", "lab"))
        self.assertEqual(page.evaluate("document.querySelectorAll('main img').length"), 0)
        self.assertEqual(self.texts(page, "#boards tbody td:first-child"), [HOSTILE])
        self.check_fits(page)

    def test_a_thousand_boards_and_jobs(self):
        names = [f"job-{number:04}" for number in range(1100)]
        self.share([shared_job(name) for name in names], [worker(name, f"board-{name[4:]}") for name in names],
                   [node(f"board-{name[4:]}") for name in names])
        page = self.open(self.serve("-A"))
        self.assertEqual(len(self.texts(page, "#jobs tbody tr")), 50)
        self.assertIn("1,000 of 1,100 jobs are shown", " ".join(self.texts(page, "#notes li")))
        self.assertEqual(self.texts(page, "#more-jobs button"), ["Show all 1\u202f000 jobs"])
        page.evaluate("document.querySelector('#more-jobs button').click()")
        self.assertEqual(len(self.texts(page, "#jobs tbody tr")), 1000)
        page.evaluate("""(() => { const find = document.querySelector('#find-boards'); find.value = '0042';
                         find.dispatchEvent(new Event('input')); })()""")
        self.assertEqual(self.texts(page, "#boards tbody td:first-child"), ["board-0042"])
        self.assertLess(page.evaluate("boardsPage.drawMs"), 500)
        self.check_fits(page)
        self.picture(page, "thousand")


if __name__ == "__main__":
    plugin.main()
