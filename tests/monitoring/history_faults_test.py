"""A Prometheus that is no help: absent, silent, refusing, or telling nonsense. Jobs start as without it,
and say so."""

import http.server
import json
import threading
import unittest

import history_case
from evenkeel import eventually, synthetic

TASKS = synthetic(10, {"constant": 0.1})


def answer(rows):
    """Rows of (node, figure, value)."""
    result = [{"metric": {"node": node, "figure": figure}, "value": [1.7e9, value]}
              for node, figure, value in rows]
    return json.dumps({"status": "success", "data": {"resultType": "vector", "result": result}}).encode()


def rates(**units):
    """Units in 1,000 seconds; names of nodes with "_" for "-"."""
    return [(node.replace("_", "-"), figure, value) for node, number in units.items()
            for figure, value in (("units", number), ("busy", "1000"), ("allbusy", "1000"))]


class Liar(http.server.ThreadingHTTPServer):
    """Answers as the test configures it, or not at all."""

    daemon_threads = True

    def __init__(self, port):
        self.asked, self.status, self.body, self.silent = [], 200, b"", False
        self.released = threading.Event()
        super().__init__(("127.0.0.1", port), Question)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def end(self):
        self.released.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        pass  # the operator would not wait


class Question(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self.server.asked.append((self.path, self.rfile.read(length).decode()))
        if self.server.silent:
            self.server.released.wait(60)
            return
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(self.server.body)))
        self.end_headers()
        self.wfile.write(self.server.body)

    def log_message(self, *arguments):
        pass


class HistoryFaultsTest(history_case.HistoryCase):
    def start_liar(self, status=200, body=b"", silent=False):
        self.liar = Liar(self.prometheus_port)
        self.addCleanup(self.liar.end)
        self.liar.status, self.liar.body, self.liar.silent = status, body, silent
        self.start_operator()

    def check(self, name, reason, **sections):
        rows, _ = self.submit(name, TASKS, **sections)
        self.check_fuzzy(rows)
        eventually(lambda: self.condition(name) == ("False", reason), f"{name} says {reason}")
        return rows

    def events(self, reason):
        listed = self.cluster.ask("GET", "/apis/events.k8s.io/v1/namespaces/lab/events") or {}
        return [one for one in listed.get("items", []) if one.get("reason") == reason]

    def test_absent(self):
        self.start_operator()
        self.check("job", "PrometheusUnreachable", weighting={"mode": "Measured"})
        eventually(lambda: self.events("PrometheusUnreachable"), "there is an event")

    def test_silent_and_nobody_waits_twice(self):
        self.start_liar(silent=True)
        self.check("one", "PrometheusUnreachable")
        self.check("two", "PrometheusUnreachable", profile="other")
        self.assertEqual(len(self.liar.asked), 1)

    def test_refusing(self):
        self.start_liar(status=503, body=b"starting")
        self.check("job", "PrometheusUnreachable")

    def test_garbage(self):
        self.start_liar(body=b"<html>Please log in</html>")
        self.check("job", "PrometheusAnswerInvalid")

    def test_larger_than_anybody_would_read(self):
        self.start_liar(body=b'{"status":"success","data":"' + b"x" * (2 << 20) + b'"}')
        self.check("job", "PrometheusUnreachable")

    def test_empty(self):
        self.start_liar(body=answer([]))
        self.check("job", "NoHistory")
        (path, question), = self.liar.asked
        self.assertEqual(path, "/api/v1/query")
        self.assertIn("evenkeel_history_work_units_total", question)

    def test_lying_about_one_node(self):
        """It is weighed by its label; the others are not harmed."""
        for lie in ("-5", "NaN", "+Inf", "0", "many", "4e30"):
            with self.subTest(lie):
                self.start_liar(body=answer(rates(pi4_a="4000", pi4_b="4000", pi3=lie)))
                name = f"job{len(lie)}{ord(lie[0])}"
                rows, _ = self.submit(name, TASKS)
                self.assertEqual(rows["pi4-a"]["ratio"], rows["pi4-b"]["ratio"])
                self.assertEqual(rows["pi3"]["parts"]["confidence"], 0)
                self.assertNotEqual(rows["pi3"]["parts"].get("note", ""), "")
                self.assertGreater(rows["pi3"]["ratio"], rows["pi4-a"]["ratio"])
                self.assertEqual(self.operator.await_exit(), 0)
                self.liar.end()

    def test_without_any_a_job_that_asks_for_it_says_so(self):
        self.operator = self.cluster.operator(self.operator_port)
        self.addCleanup(self.operator.end)
        self.check("asks", "NotConfigured", weighting={"mode": "Measured"})
        self.submit("other", TASKS)
        eventually(lambda: self.cluster.status("other").get("workers"), "it has workers")
        self.assertIsNone(self.condition("other"))

    def test_options_are_checked_at_the_start(self):
        self.operator = self.cluster.operator(self.operator_port, "--prometheus-url", "prometheus")
        self.addCleanup(self.operator.end)
        self.assertEqual(self.operator.wait(), 2)
        self.assertIn("--prometheus-url", self.operator.said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
