#!/usr/bin/env python3
"""Writes what follows from crds/: the chart's copies and docs/crd-reference.md.

Usage: scripts/crds.py [--check]   --check writes nothing and fails if something is out of date."""

import pathlib
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPIES = "helm/evenkeel/crds"  # Helm packages no links, and reads CRDs from nowhere else
PAGE = "docs/crd-reference.md"

HEAD = """# API reference

Look up a field below, or on a cluster:

```
kubectl explain weightedjob.spec.workload
```

The API group is `batch.evenkeel.dev`, the version `v1alpha1`. `evenkeel run` accepts the same WeightedJob;
[differences](#differences-between-a-cluster-and-evenkeel-run) are at the end. `scripts/crds.py` generates this
page from `crds/`.
"""

TAIL = """## Differences between a cluster and `evenkeel run`

| field | cluster | `evenkeel run`, `evenkeel weights` |
|---|---|---|
| `metadata.name` of a WeightedJob | at most 50 characters, beginning with a letter, because pods and services are named after it | at most 63, may begin with a digit |
| unknown fields | refused by kubectl, which requests strict validation; otherwise dropped | refused |
| `null` | refused where a field has no default | counts as absent |
| `workload.synthetic.cost.exponential` | a number | also `{mean: s}` |
| `workload.custom` | parameters are checked by the programs in `worker.image`; a condition reports errors | checked at once |
| `worker.image` | an image | ignored |
| `workload.command.image` | required | optional and ignored: the command runs on this machine |
| `workload.command.argumentsFile` | relative to `spec.inputs`, which is required, without `..` | relative to the manifest, or absolute |
| `workload.command.cost.fileSize` | the files are in `spec.inputs`, which is required | relative to the manifest, or absolute |
| `workload.command.cost.learned` | kept in the claim of `spec.resultStorage`, which is required | kept in the user's folder of states |
| `worker.resources` | whole numbers, or quantities in quotes (`"0.5"`, `500m`) | also `0.5` without quotes |
| `nodes.tolerations` | checked as in a pod | only types and allowed words are checked |
| `worker.template` | the fields above | refused fields, labels, annotations and kinds of volumes are checked, the rest is not, because there are no pods |
| `thresholds[].from` of a WeightingPolicy | whole numbers or dates | also fractions |
| lengths | characters | bytes |
| `balancing.leaseSeconds`, `taskPolicy.timeoutSeconds` | whole numbers | also fractions: a lease from 0.1, a timeout above 0 |
| `after` | the job starts when the named jobs are complete | checked and ignored, with a note |
| `rerun` | takes over the results of the named job | refused: use `--rerun-failed DIR` or `--rerun DIR` |
| `suspend: true` | suspends the job | refused, because nothing could resume it |
"""


def shown(number):
    return f"{number:,}"


def kind_of(schema):
    """The type in words that people use."""
    if schema.get("x-kubernetes-int-or-string"):
        return "whole number or text"
    kind = schema["type"]
    if kind == "array":
        return f"list of {kind_of(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"map to {kind_of(schema['additionalProperties'])}"
    return {"integer": "whole number", "string": "text", "boolean": "true or false"}.get(kind, kind)


def described(schema):
    """The description, and what it leaves to the schema: the words that are allowed."""
    words = " ".join(schema["description"].split()).replace("|", "\\|")
    allowed = [f"`{word}`" for word in schema.get("enum", []) if word != ""]
    return words + (f" One of {', '.join(allowed)}." if allowed else "")


def children(schema):
    """(step, schema) of what a table has rows for: fields, and those of list items."""
    for name, child in schema.get("properties", {}).items():
        yield name, child
    if schema.get("type") == "array" and "properties" in schema["items"]:
        for name, child in schema["items"]["properties"].items():
            yield f"[].{name}", child


def required(schema):
    return set(schema.get("required", [])) | {
        f"[].{name}" for name in schema.get("items", {}).get("required", [])}


def rows(schema, path=""):
    for step, child in children(schema):
        there = f"{path}{step}" if step.startswith("[]") or not path else f"{path}.{step}"
        mark = " *" if step in required(schema) else ""
        yield f"| `{there}`{mark} | {kind_of(child)} | {described(child)} |"
        yield from rows(child, there)


def rules(schema, path=""):
    """Lines for the rules in CEL, in the order of the fields."""
    for rule in schema.get("x-kubernetes-validations", []):
        field = (path + rule.get("fieldPath", "")).lstrip(".")
        message = " ".join(rule["message"].split())
        yield f"{field}: {message}" if field else message
    for name, child in schema.get("properties", {}).items():
        yield from rules(child, f"{path}.{name}")
    if "items" in schema:
        yield from rules(schema["items"], f"{path}[]")


def section(schema, name):
    part = schema["properties"][name]
    yield f"### {name}\n"
    yield described(part) + " A star marks what is required.\n"
    yield "| field | type | meaning |"
    yield "|---|---|---|"
    yield from rows(part)
    yield ""


def chapter(crd):
    names = crd["spec"]["names"]
    (version,) = crd["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]
    yield f"## {names['kind']}\n"
    yield described(schema) + "\n"
    where = "Namespaced" if crd["spec"]["scope"] == "Namespaced" else "Cluster-scoped"
    yield f"{where}; short name `{', '.join(names['shortNames'])}`.\n"
    for name in ("spec", "status"):
        if name in schema["properties"]:
            yield from section(schema, name)
    yield "### Rules\n"
    yield "The API server refuses invalid objects with the path of the field and one of these messages:\n"
    yield from (f"- `{line}`" for line in dict.fromkeys(rules(schema)))
    yield ""


def outputs():
    """From path to the text that it has to have."""
    sources = sorted((ROOT / "crds").glob("*.yaml"))
    texts = {f"{COPIES}/{path.name}": path.read_text(encoding="utf-8") for path in sources}
    lines = [HEAD]
    for path in sources:
        lines += chapter(yaml.safe_load(path.read_text(encoding="utf-8")))
    texts[PAGE] = "\n".join([*lines, TAIL])
    return texts


def stale(texts):
    """Paths whose text is another, and copies of what is no more."""
    for path, text in texts.items():
        file = ROOT / path
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            yield path
    for file in sorted((ROOT / COPIES).glob("*")):
        if f"{COPIES}/{file.name}" not in texts:
            yield f"{COPIES}/{file.name}"


def main(arguments):
    texts = outputs()
    if arguments == ["--check"]:
        found = list(stale(texts))
        for path in found:
            print(f"{path} is out of date: run scripts/crds.py", file=sys.stderr)
        return 1 if found else 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    for path in stale(texts):
        if path in texts:
            (ROOT / path).write_text(texts[path], encoding="utf-8")
        else:
            (ROOT / path).unlink()
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
