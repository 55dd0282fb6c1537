"""The headers that are installed are there, and with them all headers that they include."""

import re
import unittest

import source_tree

LIST = "cmake/EvenkeelInstall.cmake"
HEADERS = re.compile(r"set\(public_headers(.*?)\)", re.DOTALL)
COMMENT = re.compile(r"#.*")
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def holes(tree):
    """Headers that installed headers include but that are not installed."""
    installed = COMMENT.sub("", HEADERS.search(tree[LIST]).group(1)).split()
    for header in installed:
        if header not in tree:
            yield f"{LIST}: there is no {header}"
            continue
        for number, line in source_tree.numbered(tree[header]):
            included = OWN_INCLUDE.match(line)
            if included and included.group(1) not in installed:
                yield f"{header}:{number}: {included.group(1)} is not among the headers in {LIST}"


class InstalledHeaders(unittest.TestCase):
    def test_they_are_closed_under_inclusion(self):
        source_tree.expect_none(self, holes(source_tree.load()))

    def test_a_header_that_is_left_out_is_found(self):
        tree = {LIST: "set(public_headers\n  # all\n  core/a.h core/gone.h)\n",
                "core/a.h": '#pragma once\n#include <vector>\n#include "core/b.h"\n'}
        self.assertEqual(list(holes(tree)), [
            f"core/a.h:3: core/b.h is not among the headers in {LIST}", f"{LIST}: there is no core/gone.h"])


if __name__ == "__main__":
    unittest.main()
