"""The tables of manifests in tests/cluster: which the API server accepts and which it refuses."""

import copy
import dataclasses
import functools

import yaml

import crd_schema

FOLDER = crd_schema.ROOT / "tests" / "cluster"


@dataclasses.dataclass
class Case:
    name: str
    manifest: dict
    field: str = ""           # what the API server's message names; empty if it accepts
    parser: str = ""          # refuses or accepts
    evenkeel_says: str = ""   # what the parser's message names
    strict: bool = False


@dataclasses.dataclass
class Update:
    name: str
    old: dict
    new: dict
    allowed: bool
    field: str = ""


@functools.cache
def read(name):
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


def merged(target, patch):
    """RFC 7386: null takes away, objects are merged, everything else is replaced."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = copy.deepcopy(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def bases():
    return read("invalid_manifests.yaml")["bases"]


def named(manifest, case):
    """Replaces the placeholder name of the base with the name of the case, so that objects differ."""
    if manifest["metadata"]["name"] == "base":
        manifest["metadata"]["name"] = case[:50]
    return manifest


def build(case, *patches):
    manifest = bases()[case["base"]]
    for patch in patches:
        manifest = merged(manifest, patch)
    return named(manifest, case["name"])


def invalid():
    for case in read("invalid_manifests.yaml")["cases"]:
        yield Case(case["name"], build(case, case["patch"]), case["field"],
                   case.get("parser", "refuses"), case.get("evenkeel_says", case["field"]),
                   case.get("strict", False))


def valid():
    for case in read("valid_manifests.yaml")["cases"]:
        yield Case(case["name"], build(case, case["patch"]), parser=case.get("parser", "accepts"))


def updates():
    for case in read("update_cases.yaml")["cases"]:
        yield Update(case["name"], build(case, case["old"]), build(case, case["old"], case["new"]),
                     case["allowed"], case.get("field", ""))
