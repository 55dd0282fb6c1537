"""Runs jobs with the real programs and reads their output. Python standard library only."""

import json
import pathlib
import shutil
import subprocess
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = PROJECT / "examples"


class RunFailed(Exception):
    """A job did not complete; the text has its output."""


def manifest(name, workload, balancing=None, weighting=None, nodes=None):
    """A WeightedJob as JSON, which `evenkeel run` reads because JSON is YAML."""
    spec = {"workload": workload}
    if balancing:
        spec["balancing"] = balancing
    if weighting:
        spec["weighting"] = weighting
    if nodes:
        spec["nodes"] = nodes
    return {
        "apiVersion": "batch.evenkeel.dev/v1alpha1",
        "kind": "WeightedJob",
        "metadata": {"name": name},
        "spec": spec,
    }


def node_list(count, speed=None):
    """`count` nodes of equal weight; `speed` is the emulated speed."""
    items = []
    for number in range(1, count + 1):
        metadata = {"name": f"node-{number:02d}"}
        if speed is not None:
            metadata["annotations"] = {"evenkeel.dev/emulated-speed": str(speed)}
        items.append({"apiVersion": "v1", "kind": "Node", "metadata": metadata})
    return {"apiVersion": "v1", "kind": "List", "items": items}


class Bench:
    """Starts runs in a temporary folder, which is removed at the end."""

    def __init__(self, build):
        self.bin = pathlib.Path(build).resolve() / "bin"
        self.tools = pathlib.Path(build).resolve() / "bench"
        if not (self.bin / "evenkeel").exists():
            raise SystemExit(f"{self.bin}/evenkeel does not exist: build the release preset first")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="evenkeel-bench-"))
        self._runs = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def file(self, content):
        """Writes a document as JSON, or returns the path of an existing file."""
        if not isinstance(content, dict):
            return pathlib.Path(content)
        self._runs += 1
        path = self.folder / f"document-{self._runs}.json"
        path.write_text(json.dumps(content))
        return path

    def start(self, job, nodes):
        """Starts a run; without nodes, on this machine as one node. Returns the process and the folder of
        its results."""
        job_file = self.file(job)
        listed = [] if nodes is None else ["--nodes", self.file(nodes)]
        self._runs += 1
        output = self.folder / f"run-{self._runs}"
        command = [self.bin / "evenkeel", "run", job_file, *listed, "--output", output, "-o", "json"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return process, output

    def finish(self, process):
        """Waits for the end of a run and returns its summary.json."""
        out, err = process.communicate()
        if process.returncode != 0:
            raise RunFailed(f"{' '.join(map(str, process.args))}: {err.strip()[-2000:]}")
        return json.loads(out)

    def run(self, job, nodes):
        process, output = self.start(job, nodes)
        summary = self.finish(process)
        shutil.rmtree(output, ignore_errors=True)
        return summary

    def tool(self, name, *arguments):
        """Runs one of the programs in bench/ and returns what it printed."""
        done = subprocess.run([self.tools / name, *map(str, arguments)], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise RunFailed(f"{name}: exit code {done.returncode} {done.stderr.strip()[-2000:]}")
        return done.stdout
