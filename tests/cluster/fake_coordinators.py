"""Answers GET /progress for every coordinator pod of a large cluster that is not there: one server for
all their addresses, with each job's own certificate.

Usage: fake_coordinators.py FOLDER SECONDS
FOLDER has ADDRESS.pem (certificate and key) for each pod and gets more of them while this runs; SECONDS
is how long a job takes. Runs where packets for all these addresses arrive."""

import http.server
import json
import pathlib
import ssl
import sys
import threading
import time

PORT = 7402
TASKS = 1000


class Fakes(http.server.ThreadingHTTPServer):
    request_queue_size = 1024
    daemon_threads = True

    def __init__(self, folder, seconds):
        super().__init__(("0.0.0.0", PORT), Answer)
        self._folder, self._seconds = folder, seconds
        self._lock = threading.Lock()
        self._contexts, self._begun = {}, {}

    def context(self, address):
        """The job whose coordinator has the address; None if it is not known yet."""
        path = self._folder / f"{address}.pem"
        with self._lock:
            if address not in self._contexts and path.exists():
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(path)
                self._contexts[address] = context
            return self._contexts.get(address)

    def progress(self, address):
        now = time.monotonic()
        with self._lock:
            begun = self._begun.setdefault(address, now)
        part = min(1.0, (now - begun) / self._seconds)
        done = int(TASKS * part)
        return {"epoch": 1, "state": "Complete" if part == 1 else "Running", "reason": "",
                "tasks": {"total": TASKS, "completed": done, "failed": 0}, "progress": part,
                "etaSeconds": self._seconds * (1 - part), "etaSigmaSeconds": 1.0,
                "activeSeconds": self._seconds * part, "workers": []}

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
        self.request.settimeout(10)
        self.request = context.wrap_socket(self.request, server_side=True)
        super().setup()

    def do_GET(self):
        found = self.path == "/progress"
        body = json.dumps(self.server.progress(self.address) if found else {}).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


if __name__ == "__main__":
    with Fakes(pathlib.Path(sys.argv[1]), float(sys.argv[2])) as fakes:
        fakes.serve_forever()
