"""The dashboards are read by Grafana's own models (grafana-foundation-sdk), and nothing is lost or of a
wrong kind. Grafana itself is not at hand: what they look like, only people can see."""

import dataclasses
import enum
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import typing
import unittest

import dashboards

SKIPPED = 77
REQUIREMENTS = pathlib.Path(__file__).with_name("grafana_models.txt")


def packages():
    """A folder with the pinned package, installed once for each content of the requirements; None if
    it can be had neither from there nor from the network."""
    cache = pathlib.Path(os.environ.get("EVENKEEL_CACHE") or pathlib.Path(
        os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "evenkeel")
    digest = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]
    place = cache / f"grafana-models-{digest}"
    if place.exists():
        return place
    partial = place.with_name(f".{place.name}-{os.getpid()}")
    environment = partial / "environment"
    try:
        subprocess.run([sys.executable, "-m", "venv", environment], check=True, capture_output=True,
                       timeout=60)
        subprocess.run([environment / "bin" / "pip", "install", "--quiet", "--no-deps",
                        "--disable-pip-version-check", "--only-binary", ":all:", "--require-hashes",
                        "--target", partial / "packages", "-r", REQUIREMENTS],
                       check=True, capture_output=True, timeout=60)
        os.replace(partial / "packages", place)
    except (OSError, subprocess.SubprocessError) as trouble:
        said = getattr(trouble, "stderr", b"") or str(trouble).encode()
        print(said.decode(errors="replace")[-500:], file=sys.stderr)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return place if place.exists() else None


def lost(wanted, got, path):
    """Yields the values of `wanted` that are missing in `got`, except for empty ones."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key, value in wanted.items():
            if key in got:
                yield from lost(value, got[key], f"{path}.{key}")
            elif value not in (None, "", [], {}):
                yield f"{path}.{key} is unknown"
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for number, (one, other) in enumerate(zip(wanted, got)):
            yield from lost(one, other, f"{path}[{number}]")
    elif wanted != got:
        yield f"{path}: {wanted!r} became {got!r}"


def misfits(value, kind, path):
    """Values that are not of the kind that the model declares."""
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Union:
        found = [list(misfits(value, one, path)) for one in inside if one is not type(None)]
        if all(found):
            yield from min(found, key=len)
    elif origin is typing.Literal:
        if value not in inside:
            yield f"{path}: {value!r} is none of {inside}"
    elif origin is list:
        for number, one in enumerate(value if isinstance(value, list) else []):
            yield from misfits(one, inside[0], f"{path}[{number}]")
        if not isinstance(value, list):
            yield f"{path}: {value!r} is no list"
    elif isinstance(kind, type) and issubclass(kind, enum.Enum):
        if value not in [member.value for member in kind] + list(kind):
            yield f"{path}: {value!r} is no {kind.__name__}"
    elif kind in (int, float):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            yield f"{path}: {value!r} is no number"
    elif kind in (bool, str):
        if not isinstance(value, kind):
            yield f"{path}: {value!r} is no {kind.__name__}"
    elif isinstance(kind, type) and not isinstance(value, kind):
        yield f"{path}: {value!r} is no {kind.__name__}"
    if dataclasses.is_dataclass(value) or hasattr(type(value), "__annotations__"):
        yield from misfits_within(value, path)


def misfits_within(thing, path):
    for name, kind in hints(type(thing).__init__).items():
        value = getattr(thing, name, None)
        if name != "return" and value is not None:
            yield from misfits(value, kind, f"{path}.{name}")


def hints(function):
    try:
        return typing.get_type_hints(function)
    except (NameError, TypeError):
        return {}


class Models(unittest.TestCase):
    def read(self, name):
        from grafana_foundation_sdk.cog import encoder, plugins
        from grafana_foundation_sdk.models import dashboard
        plugins.register_default_plugins()
        document = dashboards.load(name)
        return document, dashboard.Dashboard.from_json(document), encoder.JSONEncoder

    def test_nothing_is_lost(self):
        for name in dashboards.NAMES:
            document, board, encoder = self.read(name)
            again = dashboards.json.loads(dashboards.json.dumps(board, cls=encoder))
            self.assertEqual(list(lost(document, again, name)), [])

    def test_everything_is_of_its_kind(self):
        for name in dashboards.NAMES:
            _, board, _ = self.read(name)
            self.assertEqual(list(misfits_within(board, name)), [])

    def test_what_is_wrong_is_noticed(self):
        from grafana_foundation_sdk.models import dashboard
        document, _, encoder = self.read("job")
        document["panels"][1]["gridPos"]["w"] = "wide"
        document["graphTooltip"] = 7
        document["colour"] = "red"
        board = dashboard.Dashboard.from_json(document)
        found = " ".join(misfits_within(board, "job"))
        self.assertIn("grid_pos", found)
        self.assertIn("graph_tooltip", found)
        again = dashboards.json.loads(dashboards.json.dumps(board, cls=encoder))
        self.assertEqual(list(lost(document, again, "job")), ["job.colour is unknown"])


if __name__ == "__main__":
    there = packages()
    if there is None:
        print("skipped: grafana-foundation-sdk cannot be installed", file=sys.stderr)
        sys.exit(SKIPPED)
    sys.path.insert(0, str(there))
    unittest.main()
