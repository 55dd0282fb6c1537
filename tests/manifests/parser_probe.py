"""Asks evenkeel what it allows in a field: a wrong value there makes it say so in one line.

EVENKEEL names the program; ctest sets it."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

import crd_schema

EVENKEEL = os.environ.get("EVENKEEL", "evenkeel")
HEAD = {"apiVersion": f"{crd_schema.GROUP}/v1alpha1", "metadata": {"name": "probe"}}
CRITERION = {"name": "a", "labels": ["x"], "kind": "Linguistic", "exponent": 1}

AFFINITY = "spec.worker.template.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
TERM = AFFINITY + ".nodeSelectorTerms[]"
TERM_OF_A_LABEL = {"matchExpressions": [{"key": "a", "operator": "Exists"}]}

# The other fields that the parser requires before it reads a field.
BESIDE = {
    "spec.workload.command": {"image": "example.com/tool:1", "command": ["tool"], "tasks": 1},
    "spec.workload.command.range": {"tasks": 1},
    "spec.workload.primes": {"end": 1, "method": "Sieve"},
    "spec.workload.matmul": {"a": {"random": {"rows": 1, "columns": 1}},
                             "b": {"random": {"rows": 1, "columns": 1}}},
    "spec.workload.matmul.a": {"random": {"rows": 1, "columns": 1}},
    "spec.workload.matmul.b": {"random": {"rows": 1, "columns": 1}},
    "spec.workload.matmul.a.random": {"rows": 1, "columns": 1},
    "spec.workload.matmul.b.random": {"rows": 1, "columns": 1},
    "spec.workload.matmul.aggregation": {"pattern": "Row"},
    "spec.workload.matmul.tile": {"rows": 1, "columns": 1},
    "spec.workload.parameterEstimation": {"graph": "Diffeq", "units": [
        {"name": "all", "kinds": ["add", "subtract", "multiply", "compare"], "max": 1}]},
    "spec.workload.parameterEstimation.units[]": {"name": "u", "kinds": ["add"], "max": 1},
    "spec.workload.parameterEstimation.operations[]": {"name": "o", "kind": "add"},
    "spec.workload.switchSimulation": {"loads": [1], "bufferSizes": [1]},
    "spec.workload.synthetic": {"tasks": 100_000_000, "mode": "None", "cost": {"constant": 1}},
    "spec.rerun": {"job": "first", "failed": True},
    "spec.weighting.weights": {"node": 1},
    "spec.taskPolicy.onExitCodes[]": {"action": "Count", "values": [1]},
    AFFINITY: {"nodeSelectorTerms": [TERM_OF_A_LABEL]},
    TERM: TERM_OF_A_LABEL,
    f"{TERM}.matchExpressions[]": {"key": "a", "operator": "Exists"},
    f"{TERM}.matchFields[]": {"key": "metadata.name", "operator": "In", "values": ["a"]},
    "spec.worker.template.env[]": {"name": "A"},
    "spec.worker.template.volumes[]": {"name": "v"},
    "spec.worker.template.volumeMounts[]": {"name": "v"},
    "spec.worker.template.imagePullSecrets[]": {"name": "s"},
    "spec.criteria[]": CRITERION,
    "spec.criteria[].thresholds[]": {"from": 0, "term": "slow"},
}
# Fields of BESIDE that must be left out with a field.
INSTEAD = {
    "spec.workload.command.arguments": {"tasks"},
    "spec.workload.command.argumentsFile": {"tasks"},
    "spec.workload.command.range": {"tasks"},
    "spec.rerun.indexes": {"failed"},
}
# Keys that the parser takes in maps; others take any.
KEYS = {"spec.worker.resources.requests.*": "cpu", "spec.worker.resources.limits.*": "cpu",
        "spec.worker.taskResources.*": "cpu"}
# Options of a strategy are allowed with that strategy only.
STRATEGIES = {"masterSlave": "MasterSlave", "modifiedMasterSlave": "ModifiedMasterSlave",
              "adaptiveIterative": "AdaptiveIterative", "compensated": "Compensated"}
SPECS = {
    "WeightedJob": {"workload": {"primes": BESIDE["spec.workload.primes"]}},
    "WeightingPolicy": {"terms": {"slow": 1, "fast": 2}, "criteria": [CRITERION]},
}

ALLOWED = (
    (re.compile(r"a whole number from (\S+) to (\d+)"), lambda low, high: (int(low), int(high))),
    (re.compile(r"a number from (\S+) to ([\d.e+]+)"), lambda low, high: (float(low), float(high))),
    (re.compile(r"a number above (\S+), at most ([\d.e+]+)"),
     lambda low, high: (float(low), float(high), "above")),
    (re.compile(r"text of (\d+) to (\d+) bytes"), lambda low, high: (int(low), int(high))),
    (re.compile(r"(?:a list|an object) of at most (\d+)"), int),
    (re.compile(r"one of ([\w, -]+), is "), lambda words: set(words.split(", "))),
    (re.compile(r"true or false"), lambda: "boolean"),
    (re.compile(r"must be an object, is "), lambda: "object"),
)


def ask(manifest):
    """(whether it was accepted, what evenkeel said). A job is read, but never run: its list of nodes
    is not there, which is noticed after the job."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "manifest.json"
        path.write_text(json.dumps(manifest), encoding="utf-8")
        if manifest["kind"] == "WeightedJob":
            nodes = pathlib.Path(folder) / "no-such-nodes.yaml"
            command = ["run", path, "--nodes", nodes, "--output", pathlib.Path(folder) / "out"]
        else:
            nodes = crd_schema.ROOT / "examples" / "nodes" / "pi-trio.yaml"
            command = ["weights", "--nodes", nodes, "--policy", path]
        done = subprocess.run([EVENKEEL, *command], capture_output=True, text=True, timeout=30,
                              check=False)
        said = done.stderr.replace(str(path) + ": ", "")
        return done.returncode == 0 or str(nodes) in said, said


def containing(kind, steps, value, path="spec", spec=None):
    """A spec of this kind with the value at the place that the steps lead to."""
    here = dict(BESIDE.get(path, {})) if spec is None else spec
    step, *rest = steps
    here = {name: beside for name, beside in here.items()
            if name not in INSTEAD.get(f"{path}.{step}", ())}
    if path == "spec.balancing" and step in STRATEGIES:
        here["strategy"] = STRATEGIES[step]
    if step == "[]":
        return [value if not rest else containing(kind, rest, value, path + "[]")]
    there = f"{path}.{step}"
    if path == "spec" and step == "workload":
        return {**here, step: value if not rest else {
            rest[0]: containing(kind, rest[1:], value, f"{there}.{rest[0]}") if rest[1:] else value}}
    if path == "spec" and step == "weighting" and rest[:1] == ["weights"]:
        return {**here, step: {"mode": "Explicit",
                               **containing(kind, rest, value, there)}}
    return {**here, step: value if not rest else containing(kind, rest, value, there)}


def manifest(kind, path, value):
    """A manifest that is right but for the value at a path such as spec.nodes.tolerations[].key."""
    steps = [step for step in re.split(r"\.|(?=\[\])", path) if step][1:]
    steps = [KEYS.get(path, "node") if step == "*" else step for step in steps]
    return {**HEAD, "kind": kind, "spec": containing(kind, steps, value, spec=SPECS[kind])}


def complaint(kind, path, value):
    """The error of evenkeel for the value, without the value's name and the file's."""
    return ask(manifest(kind, path, value))[1]


def allowed(kind, path, wrong):
    """What evenkeel says is allowed at the path, where it finds something wrong: bounds, words, a
    largest size; None if it says none of these."""
    said = complaint(kind, path, wrong)
    place = re.escape(path).replace(r"\[\]", r"\[0\]").replace(r"\*", "node")
    if not re.search(rf"\b{place}: ", said):
        raise AssertionError(f"{path}: asked with {wrong!r}, evenkeel said: {said}")
    for pattern, read in ALLOWED:
        found = pattern.search(said)
        if found:
            return read(*found.groups())
    return None


def known_fields(kind, path):
    """The fields that evenkeel knows in the object at the path."""
    said = complaint(kind, f"{path}.noSuchField", 1)
    found = re.search(r"noSuchField: unknown field, known are (.*)$", said.strip())
    if not found:
        raise AssertionError(f"{path}: evenkeel takes an unknown field or said: {said}")
    return set(found.group(1).split(", "))
