"""evenkeel run --ui: the live page of a real run in a real browser."""

import json
import os
import pathlib
import pty
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import evenkeel
from evenkeel import EVENKEEL, PATIENCE, RunTest, eventually, job, node, nodes, synthetic

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "report"))
from browser import Browser  # noqa: E402  (beside the tests of the page itself)

CHROMIUM = os.environ["EVENKEEL_CHROMIUM"]
LISTED = nodes(node("quick", 2), node("middling", 1), node("slow", 0.5))
SLEEPING = job("sleepy", synthetic(400, {"uniform": [0.1, 0.3]}))  # 23 s: a browser may be slow to start
# Seconds in which each lane shows work.
WORK = ("report.data?.timeline.cells?.lanes.map((lane) => lane.filter((cell) => cell > 0).length * "
        "report.data.timeline.cells.step) ?? []")


def get(url, **headers):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urllib.request.Request(url, headers=headers), timeout=PATIENCE) as answer:
        return answer.read().decode()


class UiTest(RunTest):
    def address(self, process):
        return eventually(lambda: re.search(r"^live page: (http://127\.0\.0\.1:\d+/)$", process.out, re.M),
                          "it says where").group(1)

    def test_the_page_follows_the_run_and_becomes_its_report(self):
        with Browser(CHROMIUM) as browser:
            process = self.start(self.command(SLEEPING, LISTED, "--ui"))
            url = self.address(process)
            with browser.page(1280, 900) as page:
                page.open(url)
                before = eventually(lambda: page.evaluate(f"(({WORK}).length === 3 && ({WORK}).every((n) => n > 0)) && "
                                                          f"[report.data.now.progress, ({WORK})]"), "three lanes")
                self.assertEqual(page.evaluate("report.data.timeline.workers"), ["quick", "middling", "slow"])
                eventually(lambda: page.evaluate(f"report.data.now?.progress > {before[0]} && ({WORK}).every((n, i) => "
                                                 f"n > {before[1]}[i])"), "progress and lanes grow")
                self.assertRegex(page.evaluate("document.querySelector('[data-figure=etaSeconds]').innerText"), r"^\d.* s$")
                eventually(lambda: page.evaluate("live.ended === 'Complete'"), "it becomes the report")
                data = page.evaluate("report.data")
                self.assertEqual(page.problems, [])
                self.assertEqual([u for u in page.requests if not u.startswith((url, "data:"))], [])
            self.assertEqual(process.wait(), 0)  # it ends after the page has loaded the report
            text = (self.output / "report.html").read_text()
            self.assertEqual(data, json.loads(text.split('id="data">', 1)[1].split("</script>", 1)[0]))

    def test_only_this_host_can_look_and_only_look(self):
        process = self.start(self.command(SLEEPING, LISTED, "--ui"))
        url = self.address(process)
        port = int(url.rsplit(":", 1)[1].strip("/"))
        listening = [line.split()[1] for name in ("tcp", "tcp6")
                     for line in pathlib.Path(f"/proc/net/{name}").read_text().splitlines()[1:]
                     if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")]
        self.assertEqual(listening, [f"0100007F:{port:04X}"])
        for headers, method, code in (({"Host": "evil.example"}, "GET", 421), ({}, "POST", 405)):
            request = urllib.request.Request(url + "live.json", headers=headers, method=method)
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(request, timeout=PATIENCE)
            self.assertEqual(refused.exception.code, code)
            refused.exception.close()
        for path in ("journal.db", "../job.yaml", "summary.json"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                get(url + path)
            refused.exception.close()
        process.signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130)

    def test_a_port_that_is_taken_or_none_starts_nothing(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            for wrong, says in ((port, f"127.0.0.1:{port}"), (0, "from 1 to 65535"), ("x", "is x"),
                                (65536, "65536"), (-1, "-1")):
                with self.subTest(wrong):
                    process = self.run_to_end(self.command(SLEEPING, LISTED, f"--ui={wrong}"), code=2)
                    self.assertEqual(len(process.err.splitlines()), 1, process.err)
                    self.assertIn("--ui", process.err)
                    self.assertIn(says, process.err)
                    self.assertFalse(self.output.exists())

    def test_without_a_terminal_it_ends_with_the_job(self):
        process = self.run_to_end(self.command(job("short", synthetic(4, {"constant": 0.05})), LISTED, "--ui", "-o", "json"))
        self.assertEqual(json.loads(process.out)["state"], "Complete")
        self.assertIn("live page: http://127.0.0.1:", process.err)

    def test_on_a_terminal_it_stays_until_it_is_stopped(self):
        leader, follower = pty.openpty()
        arguments = self.command(job("short", synthetic(4, {"constant": 0.05})), LISTED, "--ui")
        process = subprocess.Popen([EVENKEEL, *map(str, arguments)], cwd=self.folder, stdin=follower,
                                   stdout=follower, stderr=follower)
        os.close(follower)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        text = ""
        while "Ctrl-C to stop" not in text:
            text += os.read(leader, 1 << 16).decode(errors="ignore")
        url = re.search(r"serving (http://127\.0\.0\.1:\d+/); Ctrl-C to stop", text).group(1)
        self.assertIn("<html", get(url))
        self.assertIn('"state":"Complete"', get(url + "live.json"))
        self.assertEqual(get(url + "report.html"), (self.output / "report.html").read_text())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 0)
        os.close(leader)


if __name__ == "__main__":
    evenkeel.main()
