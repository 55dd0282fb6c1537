"""The dashboards and rules of the chart as data: their queries, and the metrics these name."""

import json
import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "helm" / "evenkeel" / "dashboards"
RULES = ROOT / "helm" / "evenkeel" / "files" / "rules.yaml"
RUNBOOKS = "docs/runbooks/"
NAMES = ("cluster", "job", "operator")

TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
MATCHERS = re.compile(r"\{[^{}]*\}")
RANGE = re.compile(r"\[[^\[\]]*\]")
GROUPING = re.compile(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^()]*\)")
NAME = re.compile(r"(?<![\w:.$])[A-Za-z_:][\w:]*(?!\s*\(|[\w:])")
OFFSET = re.compile(r"\boffset\s+\w+")
WORDS = {"and", "or", "unless", "bool", "inf", "nan"}
VALUES = re.compile(r"label_values\((.+),\s*(\w+)\)")


def load(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def panels(board):
    """All but the rows."""
    return [panel for panel in board["panels"] if panel["type"] != "row"]


def queries(board):
    """(title of the panel, expression), with Grafana's variables in it."""
    for panel in panels(board):
        for target in panel["targets"]:
            yield panel["title"], target["expr"]


def variables(board):
    """Yields (name, selector, label) of the variables that are queries of Prometheus."""
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            selector, label = VALUES.fullmatch(variable["query"]["query"]).groups()
            yield variable["name"], selector, label


def filled(expression, values):
    """As Grafana would send it."""
    for name, value in values.items():
        expression = re.sub(rf"\$({name}|{{{name}}})(?!\w)", value, expression)
    return expression


def rules():
    for group in yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]:
        yield from group["rules"]


def metrics_in(expression):
    """The names of the series that an expression asks for."""
    bare = TEXT.sub("", expression)
    for pattern in (MATCHERS, RANGE, GROUPING, OFFSET):
        bare = pattern.sub("", bare)
    return {name for name in NAME.findall(bare) if name.lower() not in WORDS}


def catalogue():
    """From the name of each series that there is to the labels it has, by docs/metrics.md, which a
    test holds equal to the catalogue."""
    found = {"up": {"job", "instance"}}
    row = re.compile(r"^\| `([a-z_]+)` \| (counter|gauge|histogram) \|([^|]*)\|", re.MULTILINE)
    text = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
    for name, kind, labels in row.findall(text):
        labels = set(re.findall(r"`(\w+)`", labels))
        for ending in ("_bucket", "_sum", "_count") if kind == "histogram" else ("",):
            found[name + ending] = labels | ({"le"} if ending == "_bucket" else set())
    return found
