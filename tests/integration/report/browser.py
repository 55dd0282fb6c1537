"""A headless Chromium, driven through the DevTools protocol over a pipe: no driver, no port."""

import base64
import json
import os
import shutil
import subprocess
import tempfile


class Browser:
    """One browser with a fresh profile. Use as a context manager; not thread-safe."""

    FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync",
             "--disable-dev-shm-usage", "--remote-debugging-pipe"]

    def __init__(self, executable):
        self._profile = tempfile.mkdtemp(prefix="evenkeel-browser-")
        from_us, self._to_browser = os.pipe()
        self._from_browser, to_us = os.pipe()

        def adopt_pipes():  # the browser reads from 3 and writes to 4
            reading, writing = os.dup(from_us), os.dup(to_us)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self._process = subprocess.Popen(
            [executable, *self.FLAGS, "--user-data-dir=" + self._profile, "about:blank"],
            preexec_fn=adopt_pipes, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self._pending = b""
        self._last_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to_browser)
        os.close(self._from_browser)
        shutil.rmtree(self._profile, ignore_errors=True)

    def send(self, method, params=None, session=None):
        """Sends a command and returns its id."""
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        os.write(self._to_browser, json.dumps(message).encode() + b"\0")
        return self._last_id

    def receive(self):
        """Blocks for the next message."""
        while b"\0" not in self._pending:
            more = os.read(self._from_browser, 1 << 16)
            if not more:
                raise RuntimeError("the browser has gone")
            self._pending += more
        message, self._pending = self._pending.split(b"\0", 1)
        return json.loads(message)

    def page(self, width, height, dark=False, touch=False):
        return Page(self, width, height, dark, touch)


class Page:
    """A tab of the given size; keeps what it asked the network for and what went wrong in it."""

    def __init__(self, browser, width, height, dark, touch):
        self._browser = browser
        self._session = None
        self._events = []
        self.requests = []
        self.problems = []
        self._target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=self._target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if touch else 1, mobile=touch)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._session = None
        self.call("Target.closeTarget", targetId=self._target)

    def call(self, method, **params):
        wanted = self._browser.send(method, params, self._session)
        while True:
            message = self._browser.receive()
            if message.get("id") == wanted:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self._note(message)

    def _note(self, message):
        # A page that was closed before this one may still have had something to say.
        if message.get("sessionId") != self._session:
            return
        method, params = message.get("method"), message.get("params", {})
        self._events.append(method)
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.problems.append(str(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.problems.append(params["entry"]["text"])

    def open(self, url):
        self._events.clear()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self._events:
            self._note(self._browser.receive())
        # Two frames, so that observers of sizes have had their say.
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def screenshot(self, path, whole=True):
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
