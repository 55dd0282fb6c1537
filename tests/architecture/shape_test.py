"""The shape of files: width, names, header guards, sources of classes, size of sources."""

import collections
import re
import statistics
import unittest

import source_tree

MAX_COLUMNS = 100
CODE = (".h", ".cc", ".py", ".sh", ".js", ".css", ".html", ".proto", ".cmake", "CMakeLists.txt")
DUMPING_GROUND = re.compile(r"^(utils?|helpers?|misc|common_utils?)$")
STEM = re.compile(r"[._-]")
MIN_MEDIAN_LINES = 100
NAMESPACE = re.compile(r"(?:inline )?namespace ([\w:]*) ?\{")
# The out-of-line definition of a member: the outermost class, then nested classes, then the member.
MEMBER = re.compile(r"(?:[^\s/#=(][^=(]*?[\s&*])?([A-Z]\w*)::(?:[A-Z]\w*::)*"
                    r"(?:~?[A-Z]\w*|operator[^\w\s]+)\(")


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


def sources(tree):
    return {path: text for path, text in tree.items() if path.endswith(".cc") and not path.startswith("tests/")}


def classes_defined_in(path, text):
    """The classes, with their namespaces, whose members a source defines."""
    namespaces = []
    for line in text.splitlines():
        if opened := NAMESPACE.match(line):
            # A class of an anonymous namespace exists in this source only.
            namespaces.append(opened.group(1) or path)
        elif line.startswith("}  // namespace"):
            namespaces.pop()
        elif (member := MEMBER.match(line)) and not line.endswith(";"):
            yield "::".join([*namespaces, member.group(1)])


def classes_in_several_sources(tree):
    """A class has one source; a class that needs two has state that should be divided."""
    homes = collections.defaultdict(set)
    for path, text in sources(tree).items():
        for name in classes_defined_in(path, text):
            homes[name].add(path)
    for name, paths in homes.items():
        if len(paths) > 1:
            yield f"{name} is defined in {', '.join(sorted(paths))}"


def fragmented_sources(tree):
    """One concept, one file: short files that are only ever read together belong together."""
    lines = {path: len(text.splitlines()) for path, text in sources(tree).items()}
    median = statistics.median(lines.values())
    if median < MIN_MEDIAN_LINES:
        yield (f"the median source has {median:g} lines, at least {MIN_MEDIAN_LINES} are expected; "
               f"shorter: {', '.join(sorted(path for path in lines if lines[path] < median))}")


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

    def test_classes_have_one_source(self):
        source_tree.expect_none(self, classes_in_several_sources(self.tree))

    def test_sources_are_not_fragments(self):
        source_tree.expect_none(self, fragmented_sources(self.tree))

    def test_a_class_in_two_sources_is_noticed(self):
        begin, end = "namespace a::b {\n", "\n}  // namespace a::b\n"
        first = begin + "Result<int> Worker::Run() {\n}" + end
        for member in ("void Worker::Stop(int n) {", "Worker::Worker() : n_(1) {}", "Worker::~Worker() {}",
                       "const T& Worker::operator=(T other) {", "Worker::Slot& Worker::Find(",
                       "void Worker::Slot::Free() {"):
            tree = {"core/a.cc": first, "core/b.cc": begin + member + end}
            self.assertEqual(len(list(classes_in_several_sources(tree))), 1, member)
        for other in ("void Ledger::Worker::Stop() {", "Worker::Slot Free(int n) {", "  Worker::Run();",
                      "const auto n = Worker::Count();", "int n = 0;\n}  // namespace a::b\n"
                      "namespace c {\nvoid Worker::Run() {\n}  // namespace c\nnamespace a::b {"):
            tree = {"core/a.cc": first, "core/b.cc": begin + other + end}
            self.assertEqual(list(classes_in_several_sources(tree)), [], other)
        anonymous = begin + "namespace {\nvoid Local::Run() {\n}  // namespace\n" + end
        self.assertEqual(list(classes_in_several_sources({"core/a.cc": anonymous, "core/b.cc": anonymous})), [])

    def test_fragments_are_noticed(self):
        short, typical = "\n" * (MIN_MEDIAN_LINES - 1), "\n" * MIN_MEDIAN_LINES
        tests = {f"tests/{n}.cc": short for n in range(9)}
        self.assertEqual(len(list(fragmented_sources({"core/a.cc": short, **tests}))), 1)
        self.assertEqual(list(fragmented_sources({"core/a.cc": typical, **tests})), [])
        self.assertEqual(list(fragmented_sources(
            {"core/a.cc": short, "core/b.cc": typical, "core/c.cc": typical})), [])

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
