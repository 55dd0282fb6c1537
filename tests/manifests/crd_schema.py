"""The CRDs as tests see them: their fields, and a validator for what a structural schema can say.

Rules in CEL are left to the API server; tests/cluster applies its tables of manifests to one."""

import functools
import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "crds"
GROUP = "batch.evenkeel.dev"
INT64_MAX = 2 ** 63 - 1
INT32_MAX = 2 ** 31 - 1


def files():
    return sorted(FOLDER.glob("*.yaml"))


@functools.cache
def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def definitions():
    """From kind to CustomResourceDefinition."""
    found = [load(path) for path in files()]
    return {crd["spec"]["names"]["kind"]: crd for crd in found}


def schema_of(crd):
    (version,) = crd["spec"]["versions"]
    return version["schema"]["openAPIV3Schema"]


def schemas():
    """From kind to the schema of its one version."""
    return {kind: schema_of(crd) for kind, crd in definitions().items()}


def inner(schema):
    """(what to append to the path, schema) of everything directly below."""
    for name, child in schema.get("properties", {}).items():
        yield "." + name, child
    if "items" in schema:
        yield "[]", schema["items"]
    if isinstance(schema.get("additionalProperties"), dict):
        yield ".*", schema["additionalProperties"]


def walk(schema, path=""):
    """(path, schema) of every node below, as spec.nodes.tolerations[].key or spec.weights.*"""
    for step, child in inner(schema):
        there = (path + step).lstrip(".")
        yield there, child
        yield from walk(child, there)


def at(schema, path):
    """The schema of a path such as .nodes.selector; None if there is no such field."""
    for step in re.findall(r"\.(\*|[\w-]+)|(\[\])", path):
        schema = dict(inner(schema)).get("." + step[0] if step[0] else "[]")
        if schema is None:
            return None
    return schema


def rules(schema, path=""):
    """(path, schema, rule) of every CEL rule."""
    for there, node in [(path, schema), *walk(schema, path)]:
        for rule in node.get("x-kubernetes-validations", []):
            yield there, node, rule


def greatest(schema):
    """The upper bound of a number: its maximum, else that of its format."""
    if "maximum" in schema:
        return schema["maximum"]
    return {"int64": INT64_MAX, "int32": INT32_MAX}.get(schema.get("format"))


def is_number(schema):
    return schema.get("type") in ("integer", "number")


def defaulted(value, schema):
    """A copy of the value with the defaults of the schema filled in, as the API server does it."""
    if isinstance(value, dict):
        value = {key: item for key, item in value.items() if item is not None}
        for name, child in schema.get("properties", {}).items():
            if name not in value and "default" in child:
                value[name] = child["default"]
        children = schema.get("properties", {})
        others = schema.get("additionalProperties") or {}
        return {key: defaulted(item, children.get(key, others)) for key, item in value.items()}
    if isinstance(value, list):
        return [defaulted(item, schema.get("items", {})) for item in value]
    return value


def violations(value, schema, path=""):
    """One line for each field that the structural part of the schema refuses."""
    if schema.get("x-kubernetes-int-or-string"):
        checks = CHECKS["integer" if is_integer(value) else "string"]
    else:
        checks = CHECKS[schema["type"]]
    kind, check = checks
    if not kind(value):
        yield f"{path}: has the wrong type: {value!r}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is none of {schema['enum']}"
    yield from check(value, schema, path)


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def check_number(value, schema, path):
    least, most = schema.get("minimum"), greatest(schema)
    too_little = least is not None and (
        value <= least if schema.get("exclusiveMinimum") else value < least)
    if too_little or (most is not None and value > most):
        yield f"{path}: {value} is out of bounds"


def check_string(value, schema, path):
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)):
        yield f"{path}: has {len(value)} characters"
    if "pattern" in schema and not re.search(schema["pattern"], value, re.ASCII):
        yield f"{path}: {value!r} does not fit {schema['pattern']}"


def check_list(value, schema, path):
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        yield f"{path}: has {len(value)} items"
    seen = []
    for index, item in enumerate(value):
        yield from violations(item, schema["items"], f"{path}[{index}]")
        if schema.get("x-kubernetes-list-type") == "map" and isinstance(item, dict):
            key = [item.get(name) for name in schema["x-kubernetes-list-map-keys"]]
            if key in seen:
                yield f"{path}[{index}]: {key} is there twice"
            seen.append(key)


def check_object(value, schema, path):
    if path == "metadata":  # the server knows the rest of it
        value = {name: item for name, item in value.items() if name in schema["properties"]}
    for name in schema.get("required", []):
        if value.get(name) is None:
            yield f"{path}.{name}".lstrip(".") + ": is missing"
    if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", len(value)):
        yield f"{path}: has {len(value)} fields"
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return
    for name, item in value.items():
        child = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
        there = f"{path}.{name}".lstrip(".")
        if not child:
            yield f"{there}: unknown field"
        elif item is not None:
            yield from violations(item, child, there)


def no_check(*_):
    return ()


CHECKS = {
    "integer": (is_integer, check_number),
    "number": (lambda value: is_integer(value) or isinstance(value, float), check_number),
    "string": (lambda value: isinstance(value, str), check_string),
    "boolean": (lambda value: isinstance(value, bool), no_check),
    "array": (lambda value: isinstance(value, list), check_list),
    "object": (lambda value: isinstance(value, dict), check_object),
}
