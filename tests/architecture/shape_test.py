"""The shape of files: width, names, header guards."""

import posixpath
import re
import unittest

import source_tree

MAX_COLUMNS = 100
CODE = (".h", ".cc", ".py", ".sh", ".js", ".css", ".html", ".proto", ".cmake", "CMakeLists.txt")
DUMPING_GROUND = re.compile(r"^(utils?|helpers?|misc|common_utils?)$")
STEM = re.compile(r"[._-]")


def is_script(path, text):
    return path.endswith(CODE) or text.startswith("#!")


def long_lines(tree):
    for path, text in source_tree.cpp_files(tree).items():
        for number, line in source_tree.numbered(text):
            if len(line) > MAX_COLUMNS and not line.startswith("#include"):
                yield f"{path}:{number}: {len(line)} columns, at most {MAX_COLUMNS}"


def dumping_grounds(tree):
    """Folders and files whose name says nothing about what is in them."""
    for path in tree:
        for part in path.split("/"):
            if any(DUMPING_GROUND.match(word) for word in STEM.split(part)):
                yield f"{path}: '{part}' does not say what is in it"


def headers_without_pragma_once(tree):
    for path, text in tree.items():
        if path.endswith(".h") and "#pragma once" not in text.splitlines():
            yield f"{path}: no #pragma once"


def endings(tree):
    """One newline at the end of a file, no blanks at the end of a line of code."""
    for path, text in tree.items():
        if text and (not text.endswith("\n") or text.endswith("\n\n")):
            yield f"{path}: has to end with one newline"
        if not is_script(path, text):
            continue
        for number, line in source_tree.numbered(text):
            if line != line.rstrip():
                yield f"{path}:{number}: blanks at the end of the line"


def scripts_that_go_on_after_errors(tree):
    """Shell scripts stop at the first error, by themselves or through what they source."""
    for path, text in tree.items():
        strict = re.search(r"^set -euo pipefail|^source .*common\.sh|^exec ", text, re.MULTILINE)
        if text.startswith("#!") and "bash" in text.splitlines()[0] and not strict:
            yield f"{path}: no set -euo pipefail"


def unused_using_declarations(tree):
    """In a source; clang-tidy does not see them in a unity build."""
    for path, text in tree.items():
        if not path.endswith(".cc"):
            continue
        for name in re.findall(r"^ *using (?:\w*::)+(\w+);", text, re.MULTILINE):
            if len(re.findall(rf"\b{name}\b", text)) == 1:
                yield f"{path}: 'using ...::{name}' is not used"


class Shape(unittest.TestCase):
    tree = source_tree.load()

    def notices(self, rule, path, text):
        self.assertEqual(len(list(rule({path: text}))), 1, (rule.__name__, path))

    def accepts(self, rule, path, text):
        self.assertEqual(list(rule({path: text})), [], (rule.__name__, path))

    def test_lines_are_short(self):
        source_tree.expect_none(self, long_lines(self.tree))

    def test_names_say_what_is_inside(self):
        source_tree.expect_none(self, dumping_grounds(self.tree))

    def test_headers_are_guarded(self):
        source_tree.expect_none(self, headers_without_pragma_once(self.tree))

    def test_lines_and_files_end_well(self):
        source_tree.expect_none(self, endings(self.tree))

    def test_scripts_stop_at_errors(self):
        source_tree.expect_none(self, scripts_that_go_on_after_errors(self.tree))

    def test_using_declarations_are_used(self):
        source_tree.expect_none(self, unused_using_declarations(self.tree))

    def test_an_unused_using_declaration_is_noticed(self):
        self.notices(unused_using_declarations, "core/a.cc", "using std::string;\nint a;\n")
        self.accepts(unused_using_declarations, "core/a.cc", "using std::string;\nstring a;\n")

    def test_a_long_line_is_noticed(self):
        self.notices(long_lines, "core/a.cc", "x" * (MAX_COLUMNS + 1) + "\n")
        self.accepts(long_lines, "core/a.cc", "x" * MAX_COLUMNS + "\n")

    def test_a_dumping_ground_is_noticed(self):
        for path in ("core/utils/a.h", "core/string_utils.h", "tests/helpers/a.h", "misc/a.sh"):
            self.notices(dumping_grounds, path, "")
        self.accepts(dumping_grounds, "core/model/utilization.h", "")

    def test_an_unguarded_header_is_noticed(self):
        self.notices(headers_without_pragma_once, "core/a.h", "// #pragma once\n")

    def test_a_bad_ending_is_noticed(self):
        self.notices(endings, "core/a.cc", "int a;")
        self.notices(endings, "core/a.cc", "int a;\n\n")
        self.notices(endings, "core/a.cc", "int a; \nint b;\n")

    def test_a_careless_script_is_noticed(self):
        self.notices(scripts_that_go_on_after_errors, "scripts/a.sh", "#!/usr/bin/env bash\nls\n")


if __name__ == "__main__":
    unittest.main()
