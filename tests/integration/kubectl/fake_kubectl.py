"""Replaces kubectl: answers from the folder FAKE_CLUSTER and records its calls.

calls.jsonl    every command line, one a line
objects.json   what `get` prints, by its words without flags; text instead of an object is an error
created.json   what the last `create` got; with refusal.json, a text, it is refused
forwards.json  how each port-forward behaves, one after the other, the last one for ever:
               "serve", "refuse", "silent", "end-at-once", {"break": PATH}: lose the connection in
               the middle of that page, or {"hollow": PATH}: from that page on there is nobody behind
               it, but kubectl goes on
pages/         what the port-forward serves, beside pages.json: {PATH: STATUS} for pages that fail.
               Paths are decoded; of a folder in pages/files/, list.json is served,
               or list-QUERY.json
"""

import http.server
import json
import os
import pathlib
import sys
import time
import urllib.parse

CLUSTER = pathlib.Path(os.environ["FAKE_CLUSTER"])


def read(name, otherwise):
    path = CLUSTER / name
    return json.loads(path.read_text()) if path.exists() else otherwise


def calls():
    path = CLUSTER / "calls.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def complain(text):
    sys.stderr.write(text + "\n")
    sys.exit(1)


def get(words):
    asked = " ".join(words)
    found = read("objects.json", {}).get(asked)
    if found is None:
        kind, _, name = asked.partition(" ")
        complain(f'Error from server (NotFound): {kind} "{name}" not found')
    if isinstance(found, str):
        complain(found)
    print(json.dumps(found))


def create(_):
    (CLUSTER / "created.json").write_text(sys.stdin.read())
    refusal = read("refusal.json", None)
    if refusal:
        complain(refusal)
    print("created")


def behaviour():
    before = sum(1 for call in calls() if call[0] == "port-forward")
    known = read("forwards.json", ["serve"])
    return known[min(before, len(known)) - 1]


class Pages(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    broken_page = None
    hollow_page = None
    hollow = False

    def do_GET(self):
        if self.path == self.hollow_page:
            Pages.hollow = True
        if self.hollow:
            self.close_connection = True
            return
        names = {"/results/": "index.json", "/": "index.html"}
        target, _, query = self.path.partition("?")
        decoded = os.fsdecode(urllib.parse.unquote_to_bytes(target))
        path = CLUSTER / "pages" / names.get(self.path, decoded[1:])
        if decoded.startswith("/files/") and path.is_dir():
            path = path / ("list.json" if query in ("", "from=0") else f"list-{query}.json")
        status = read("pages.json", {}).get(self.path, 200 if path.is_file() else 404)
        body = path.read_bytes() if status == 200 else b"the page is not there\n"
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.path == self.broken_page:
            self.wfile.write(body[:len(body) // 2])
            self.wfile.flush()
            sys.stderr.write("error: lost connection to pod\n")
            sys.stderr.flush()
            os._exit(1)
        self.wfile.write(body)

    def log_message(self, *_):
        print("Handling connection for", self.server.server_port, flush=True)


def port_forward(words):
    how = behaviour()
    if how == "refuse":
        complain("error: unable to forward port because pod is not running. Current status=Pending")
    if how == "silent":
        time.sleep(600)
    port = int(words[-1].split(":")[0] or 0)
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Pages)
    except OSError:
        complain(f"Unable to listen on port {port}: address already in use\n"
                 f"error: unable to listen on any of the requested ports: [{{{port} 7403}}]")
    if isinstance(how, dict):
        Pages.broken_page, Pages.hollow_page = how.get("break"), how.get("hollow")
    print(f"Forwarding from 127.0.0.1:{server.server_port} -> 7403", flush=True)
    if how == "end-at-once":
        complain("error: lost connection to pod")
    server.serve_forever()


def main():
    command, *rest = sys.argv[1:]
    with (CLUSTER / "calls.jsonl").open("a") as log:
        log.write(json.dumps(sys.argv[1:]) + "\n")
    words, skip = [], False
    for word in rest:
        if skip or word.startswith("-"):
            # -o json, -l SELECTOR and --field-selector SELECTOR are two arguments each
            skip = not skip and word in ("-o", "-l", "-f", "--field-selector")
        else:
            words.append(word)
    {"get": get, "create": create, "port-forward": port_forward}[command](words)


main()
