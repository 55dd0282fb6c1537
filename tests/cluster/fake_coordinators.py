"""Answers the operator for every coordinator pod of a large cluster that is not there: one server for all
their addresses, with each job's own certificate.

Usage: fake_coordinators.py FOLDER SECONDS
FOLDER has ADDRESS.pem (certificate and key) for each pod and gets more of them while this runs; a pod that
also has ADDRESS.silent accepts connections and never answers. SECONDS is how long a job takes. Runs where
packets for all these addresses arrive."""

import http.server
import json
import pathlib
import ssl
import sys
import threading
import time

PORT = 7402
TASKS = 1000
DRAIN_SECONDS = 2


class Fakes(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True

    def __init__(self, folder, seconds):
        super().__init__(("0.0.0.0", PORT), Answer)
        self._folder, self._seconds = folder, seconds
        self._lock = threading.Lock()
        self._contexts, self._begun = {}, {}
        self._suspended = {}  # address -> since when

    def context(self, address):
        """The job whose coordinator has the address; None if it is not known yet."""
        path = self._folder / f"{address}.pem"
        with self._lock:
            if address not in self._contexts and path.exists():
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(path)
                self._contexts[address] = context
            return self._contexts.get(address)

    def is_silent(self, address):
        return (self._folder / f"{address}.silent").exists()

    def progress(self, address):
        now = time.monotonic()
        with self._lock:
            begun = self._begun.setdefault(address, now)
            suspended = self._suspended.get(address)
        until = now if suspended is None else suspended
        part = min(1.0, (until - begun) / self._seconds)
        state = "Complete" if part == 1 else "Running"
        if suspended is not None and now - suspended >= DRAIN_SECONDS:
            state = "Interrupted"
        done = int(TASKS * part)
        return {"epoch": 1, "state": state, "reason": "",
                "desiredState": "Running" if suspended is None else "Suspended",
                "tasks": {"total": TASKS, "completed": done, "failed": 0}, "progress": part,
                "etaSeconds": self._seconds * (1 - part), "etaSigmaSeconds": 1.0,
                "activeSeconds": self._seconds * part, "workers": []}

    def set_suspended(self, address, suspended):
        with self._lock:
            if not suspended:
                self._suspended.pop(address, None)
            else:
                self._suspended.setdefault(address, time.monotonic())

    def handle_error(self, request, client_address):
        pass  # the operator went away, or does not know this job's certificate yet: it comes again


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 120

    def setup(self):
        """In the thread of the connection, so that a slow handshake does not delay other connections."""
        self.address = self.request.getsockname()[0]
        context = self.server.context(self.address)
        if context is None:
            raise ConnectionAbortedError(self.address)
        if self.server.is_silent(self.address):
            while self.request.recv(4096):
                pass
            raise ConnectionAbortedError(self.address)
        self.request.settimeout(10)
        self.request = context.wrap_socket(self.request, server_side=True)
        super().setup()

    def do_GET(self):
        if self.path == "/progress":
            self.answer(200, "application/json", json.dumps(self.server.progress(self.address)))
        elif self.path == "/snapshot":
            self.answer(200, "application/octet-stream", "snapshot of " + self.address)
        else:
            self.answer(404, "text/plain", "not found")

    def do_PUT(self):
        place, _, state = self.path.rpartition("/")
        if place != "/desired-state" or state not in ("Suspended", "Running"):
            return self.answer(404, "text/plain", "not found")
        self.server.set_suspended(self.address, state == "Suspended")
        return self.answer(202, "text/plain", "accepted")

    def answer(self, status, kind, text):
        # A connection that was open before its pod became silent.
        while self.server.is_silent(self.address):
            time.sleep(1)
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    with Fakes(pathlib.Path(sys.argv[1]), float(sys.argv[2])) as fakes:
        fakes.serve_forever()
