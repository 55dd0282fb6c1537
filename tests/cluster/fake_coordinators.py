"""Answers GET /progress for every coordinator pod of a large cluster that is not there: one server for
all their addresses, with each job's own certificate.

Usage: fake_coordinators.py FOLDER SECONDS
FOLDER has ADDRESS.pem (certificate and key) for each pod and gets more of them while this runs; SECONDS
is how long a job takes. Runs where packets for all these addresses arrive."""

import asyncio
import json
import pathlib
import ssl
import sys
import time

PORT = 7402
TASKS = 1000


class Fakes:
    def __init__(self, folder, seconds):
        self._folder, self._seconds = folder, seconds
        self._contexts, self._begun = {}, {}
        self.answered = 0

    def context(self, address):
        """Of the job whose coordinator has the address; None if it is not known yet."""
        if address not in self._contexts:
            path = self._folder / f"{address}.pem"
            if not path.exists():
                return None
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(path)
            self._contexts[address] = context
        return self._contexts[address]

    def progress(self, address):
        begun = self._begun.setdefault(address, time.monotonic())
        part = min(1.0, (time.monotonic() - begun) / self._seconds)
        done = int(TASKS * part)
        return {"epoch": 1, "state": "Complete" if part == 1 else "Running", "reason": "",
                "tasks": {"total": TASKS, "completed": done, "failed": 0}, "progress": part,
                "etaSeconds": self._seconds * (1 - part), "etaSigmaSeconds": 1.0,
                "activeSeconds": self._seconds * part, "workers": []}

    async def serve(self, reader, writer):
        address = writer.get_extra_info("sockname")[0]
        context = self.context(address)
        if context is None:
            writer.close()
            return
        try:
            await asyncio.wait_for(writer.start_tls(context), 10)
            while await self.answer(reader, writer, address):
                pass
        except (OSError, ssl.SSLError, asyncio.TimeoutError, asyncio.IncompleteReadError):
            pass  # the operator went away; it will come again
        finally:
            writer.close()

    async def answer(self, reader, writer, address):
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 120)
        found = head.startswith(b"GET /progress ")
        body = json.dumps(self.progress(address) if found else {}).encode()
        status = b"200 OK" if found else b"404 Not Found"
        writer.write(b"HTTP/1.1 " + status + b"\r\nContent-Type: application/json\r\n"
                     b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body)
        await writer.drain()
        self.answered += 1
        return b"connection: close" not in head.lower()


async def main():
    fakes = Fakes(pathlib.Path(sys.argv[1]), float(sys.argv[2]))
    server = await asyncio.start_server(fakes.serve, "0.0.0.0", PORT, backlog=1024)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
