"""Files have no open ends, no dead code and no paths of one machine."""

import posixpath
import re
import unittest

import source_tree

# Split so that this file does not break its own rules.
OPEN_END = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b(?!\(#\d+\))")
MACHINE_PATH = re.compile(r"(?<![\w.}$*)-])/(work|home|root|Users|mnt)/[\w.]")
TEMPORARY_PATH = re.compile(r"(?<![\w.}$*)-])/tmp/\w")
REGISTRY = re.compile(
    r"\b(pypi\.org|pythonhosted\.org|registry\.npmjs\.org|(proxy|sum)\.golang\.org|crates\.io|"
    r"[\w-]+\.pkg\.dev|gcr\.io|snapshot\.debian\.org|deb\.debian\.org|security\.debian\.org)\b")
RELATIVE_LINK = re.compile(r"\]\(([^):#]+)(#[^)]*)?\)")
C_COMMENT = re.compile(r"^\s*//(?!/)\s?(.*)$")
DEAD_C = re.compile(
    r"^\s*(#\s*(include|if|define|endif)\b.*|[})\]]+[;,]?|.*[\w)\]}\"']\s*;|.*\)\s*(const\s*)?\{|"
    r"(if|for|while|switch)\s*\(.*\)\s*\{?|(const\s+)?auto\s+\w+\s*=.*)$")
# A semicolon also ends a part of a sentence: only what looks like a call, a member or a value is code.
CODE_MARK = re.compile(
    r"\w\(.*\)|->|::|\w\s[-+*/]?=\s|^\s*[#})]|^\s*(if|for|while|switch)\s*\(|"
    r"^\s*(return|break|continue|delete)\b")
DEAD_SCRIPT = re.compile(
    r"^\s*#\s*((def|class)\s+\w+.*:|return\b.*|(import|from)\s+\w+(\s+import\s+\w+)?|\w+\s=\s\S+|"
    r"[\w.]+\([^<>]*\)|(if|for|while)\s.*(:|; then|; do)|add_\w+\(.*)$")


def lines_with(pattern, tree, keep=lambda path: True):
    for path, text in tree.items():
        if keep(path):
            for number, line in source_tree.numbered(text):
                for match in pattern.finditer(line):
                    yield path, number, match.group(0).strip()


def open_ends(tree):
    """A marker of unfinished work must be followed by the number of its issue, as in (#12)."""
    for path, number, found in lines_with(OPEN_END, tree):
        yield f"{path}:{number}: {found} without the number of an issue"


def machine_places(tree):
    """Paths and hosts that only one machine or network knows."""
    for pattern in (MACHINE_PATH, TEMPORARY_PATH, REGISTRY):
        for path, number, found in lines_with(pattern, tree):
            yield f"{path}:{number}: {found} is a place of one machine or network"


def is_script(path):
    return path.endswith((".py", ".sh", ".cmake", "CMakeLists.txt"))


def commented_out_code(tree):
    """Comments that look like code; old code is in version control."""
    for path, text in tree.items():
        for number, line in source_tree.numbered(text):
            if source_tree.is_cpp(path) or path.endswith((".js", ".proto")):
                comment = C_COMMENT.match(line)
                inside = comment.group(1) if comment else ""
                dead = DEAD_C.match(inside) and CODE_MARK.search(inside)
            else:
                dead = is_script(path) and DEAD_SCRIPT.match(line)
            if dead:
                yield f"{path}:{number}: commented-out code: {line.strip()}"


def broken_links(tree, everything):
    """Links and pictures in documents that lead nowhere in the project."""
    for path, number, found in lines_with(RELATIVE_LINK, tree, lambda path: path.endswith(".md")):
        there = RELATIVE_LINK.search(found).group(1)
        if posixpath.normpath(posixpath.join(posixpath.dirname(path), there)) not in everything:
            yield f"{path}:{number}: {there} is not there"


class Text(unittest.TestCase):
    tree = source_tree.load()

    def notices(self, rule, text, path="core/a.cc"):
        self.assertEqual(len(list(rule({path: text}))), 1, text)

    def accepts(self, rule, text, path="core/a.cc"):
        self.assertEqual(list(rule({path: text})), [], text)

    def test_nothing_is_left_open(self):
        source_tree.expect_none(self, open_ends(self.tree))

    def test_no_machine_is_special(self):
        source_tree.expect_none(self, machine_places(self.tree))

    def test_no_code_is_commented_out(self):
        source_tree.expect_none(self, commented_out_code(self.tree))

    def test_links_lead_somewhere(self):
        source_tree.expect_none(self, broken_links(self.tree, set(source_tree.paths())))

    def test_broken_links_are_noticed(self):
        tree = {"docs/a.md": "[b](b.md) ![c](images/c.png) [d](../d.md#e) [web](https://x.example)"}
        self.assertEqual(len(list(broken_links(tree, {"docs/b.md"}))), 2)
        self.assertEqual(list(broken_links(tree, {"docs/b.md", "docs/images/c.png", "d.md"})), [])

    def test_open_ends_are_noticed(self):
        self.notices(open_ends, "// TO" "DO: later")
        self.notices(open_ends, "# FIX" "ME", "scripts/a.sh")
        self.accepts(open_ends, "// TO" "DO(#12): later")

    def test_machine_places_are_noticed(self):
        for place in ("/wo" "rk/main", "/ho" "me/me/src", "/ro" "ot/.cache", "/t" "mp/evenkeel"):
            self.notices(machine_places, f'open("{place}")')
        self.notices(machine_places, "see https://py" "pi.org/simple", "docs/a.md")
        self.notices(machine_places, "FROM a." "gc" "r.io/image", "docker/a")
        self.accepts(machine_places, "see docs/work/flow.md and ${root}/work/x")

    def test_commented_out_code_is_noticed(self):
        for code in ("// foo(bar);", "  // return x;", "// auto x = 3;", "// #include <map>",
                     "// if (a) {", "// }", "// a->b = c;"):
            self.notices(commented_out_code, code)
        for code in ("# foo(bar)", "# return x", "# x = 3", "# import os"):
            self.notices(commented_out_code, code, "tests/a.py")

    def test_sentences_are_no_code(self):
        for text in ("// A lease that expired (see above);", "// Others' code; ours comes later.",
                     "/// `foo();` says so", "// The finish: work / speed;"):
            self.accepts(commented_out_code, text)
        self.accepts(commented_out_code, "# usage: foo [bar]", "scripts/a.sh")


if __name__ == "__main__":
    unittest.main()
