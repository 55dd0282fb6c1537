"""Prints the compiled files that clang-tidy checks. Usage: tidy_sources.py BUILD-FOLDER

In a unity build these are the generated sources, which include the files of the tree: most of the time that
clang takes is that of the headers, which are then read once.
"""

import json
import pathlib
import re
import sys

# Where a slip costs most, and where no headers of gRPC slow clang.
CHECKED = re.compile(r"^(core/(base|model|scheduling|engine)|workloads|report|simulator)/")
INCLUDE = re.compile(r'^#include "(.*)"$', re.MULTILINE)


def parts(path):
    """The files that a compiled file consists of."""
    if path.parent.name == "Unity":
        return [pathlib.Path(name) for name in INCLUDE.findall(path.read_text())]
    return [path]


def main(build):
    project = pathlib.Path.cwd()
    for command in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(command["directory"], command["file"])
        names = [part.relative_to(project).as_posix() for part in parts(path) if part.is_relative_to(project)]
        if any(CHECKED.match(name) for name in names):
            print(path)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
