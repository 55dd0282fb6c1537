"""docs/dependencies.md lists everything that CMake requires and that the scripts install."""

import re
import unittest

import cmake_files
import source_tree

PAGE = "docs/dependencies.md"
ASKS = {"find_package": 0, "pkg_check_modules": 0, "find_program": 1, "find_file": 1}


def asked_for(tree):
    """(where, name) of everything that CMake has to find outside of the project."""
    for path, text in tree.items():
        if not path.endswith(("CMakeLists.txt", ".cmake")):
            continue
        for command, arguments in cmake_files.calls(text):
            if command in ASKS and len(arguments) > ASKS[command]:
                yield path, arguments[ASKS[command]]


def packages(tree):
    """(where, name) of everything that the scripts install."""
    for path, text in tree.items():
        if re.fullmatch(r"scripts/packages/\w+\.txt", path):
            for line in text.splitlines():
                name = line.split("#")[0].strip()
                if name:
                    yield path, name


def quoted(tree):
    """The words in backticks on the page."""
    return set(re.findall(r"`([^`\n]+)`", tree.get(PAGE, "")))


def unexplained(tree):
    for where, name in [*asked_for(tree), *packages(tree)]:
        if name not in quoted(tree):
            yield f"{where}: `{name}` is not in {PAGE}"


def explained_but_not_installed(tree):
    """Packages in the first column of a table that no list in scripts/packages has."""
    installed = {name for _, name in packages(tree)}
    for number, line in source_tree.numbered(tree.get(PAGE, "")):
        first = re.match(r"\|\s*((?:`[^`]+`(?:, )?)+)\s*\|", line)
        for name in re.findall(r"`([^`]+)`", first.group(1)) if first else []:
            if name not in installed:
                yield f"{PAGE}:{number}: `{name}` is in no list in scripts/packages"


class Dependencies(unittest.TestCase):
    tree = source_tree.load()

    def test_everything_is_explained(self):
        source_tree.expect_none(self, unexplained(self.tree))

    def test_everything_explained_is_installed(self):
        source_tree.expect_none(self, explained_but_not_installed(self.tree))

    def test_an_unexplained_dependency_is_noticed(self):
        page = {PAGE: "| `libz-dev` | zlib |\n", "scripts/packages/build.txt": "libz-dev\n"}
        self.assertEqual(list(unexplained(page)), [])
        for path, text in (("CMakeLists.txt", "find_package(Boost REQUIRED)\n"),
                           ("core/CMakeLists.txt", "pkg_check_modules(curl REQUIRED curl)\n"),
                           ("cmake/A.cmake", "find_program(PROTOC protoc)\n"),
                           ("scripts/packages/test.txt", "# why\nlibboost-dev\n")):
            self.assertEqual(len(list(unexplained({**page, path: text}))), 1, path)

    def test_a_dependency_that_is_gone_is_noticed(self):
        tree = {PAGE: "| `libz-dev`, `zip` | zlib |\n", "scripts/packages/build.txt": "zip\n"}
        self.assertEqual(len(list(explained_but_not_installed(tree))), 1)


if __name__ == "__main__":
    unittest.main()
