"""The project as rules see it: a dictionary from path (relative, with slashes) to text."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_OURS = {"build", ".git", ".cache", "__pycache__"}
# Inputs for the fuzzers: data, even where it happens to be text.
CORPUS = "tests/fuzz/corpus/"


def paths():
    """Files under version control or about to be; where there is no repository, all but build's."""
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(git, capture_output=True, check=True).stdout.decode().split("\0")
        found = [ROOT / name for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        found = [path for path in ROOT.rglob("*")
                 if not NOT_OURS.intersection(path.relative_to(ROOT).parts)]
    return sorted(path.relative_to(ROOT).as_posix() for path in found if path.is_file())


def load():
    """Text files only; pictures and other data are left out."""
    tree = {}
    for path in paths():
        if path.startswith(CORPUS):
            continue
        try:
            tree[path] = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return tree


def is_cpp(path):
    return path.endswith((".h", ".cc"))


def cpp_files(tree):
    return {path: text for path, text in tree.items() if is_cpp(path)}


def numbered(text):
    """(number, line) for each line, from 1."""
    return enumerate(text.splitlines(), start=1)


def expect_none(test, violations):
    """Fails the test with one line for each violation."""
    found = list(violations)
    if found:
        test.fail("\n" + "\n".join(found))
