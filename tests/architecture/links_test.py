"""CMake targets link what their sources include and their room allows; all sources are listed."""

import posixpath
import re
import unittest

import cmake_files
import layers_test
import rooms
import source_tree

TEXT_USED_BY_CODE = (".cc", ".proto", ".py", ".js", ".css", ".html")


def target_rooms(tree):
    """From the name of each target to the rooms of its sources."""
    parsing = rooms.parsing_stems(tree)
    return {target.name: {rooms.room_of(source, parsing) for source in target.sources} - {None}
            for target in cmake_files.targets(tree)}


def forbidden_links(tree):
    """Targets of one room that link targets of another that it may not know."""
    rooms_of = target_rooms(tree)
    for target in cmake_files.targets(tree):
        for here in rooms_of[target.name]:
            for link in target.links:
                for there in rooms_of.get(link, set()) - {here} - rooms.ALLOWED[here]:
                    yield f"{target.listed_in}: {target.name} ({here}) must not link {link} ({there})"


def reachable(links, start):
    """All targets that `start` links, directly or through others."""
    seen, ahead = set(), [start]
    while ahead:
        for link in links.get(ahead.pop(), []):
            if link not in seen:
                seen.add(link)
                ahead.append(link)
    return seen


def techniques_in_the_product(tree):
    """Targets that link the published techniques, other than through the simulator. Tests and
    benchmarks, whose sources are in no room, may link them."""
    rooms_of = target_rooms(tree)
    simulator = {name for name, found in rooms_of.items() if found & {"simulator", "techniques"}}
    techniques = {name for name, found in rooms_of.items() if "techniques" in found}
    links = {target.name: [] if target.name in simulator else target.links
             for target in cmake_files.targets(tree)}
    for target in cmake_files.targets(tree):
        if target.name in simulator or target.listed_in.startswith(("tests/", "bench/")):
            continue
        direct = set(target.links) & techniques
        reached = {name for name in reachable(links, target.name) - simulator
                   if set(links.get(name, [])) & techniques}
        if direct or reached:
            yield f"{target.listed_in}: {target.name} must not link the techniques of the simulator"


def includes_of_room(tree, source, parsing):
    """(file, line, include) of a source and of the headers of its own folder that it includes."""
    seen, ahead = {source}, [source]
    while ahead:
        path = ahead.pop()
        for number, included in layers_test.includes(tree.get(path, "")):
            yield path, number, included
            same_room = rooms.room_of(included, parsing) == rooms.room_of(source, parsing)
            if same_room and included not in seen:
                seen.add(included)
                ahead.append(included)


def includes_without_a_link(tree):
    """Rooms that a target's sources include but that it does not link, directly or through others."""
    rooms_of = target_rooms(tree)
    links = {target.name: target.links for target in cmake_files.targets(tree)}
    parsing = rooms.parsing_stems(tree)
    for target in cmake_files.targets(tree):
        linked = set().union(rooms_of[target.name],
                             *(rooms_of.get(link, set()) for link in reachable(links, target.name)))
        for source in target.sources:
            for path, number, included in includes_of_room(tree, source, parsing):
                room = rooms.room_of(included, parsing)
                if room is not None and room not in linked:
                    yield f"{path}:{number}: {target.name} includes {included}, links no {room}"


def unnamed_sources(tree):
    """Files with code that no CMakeLists.txt in or above their folder names: dead, or globbed.

    Modules that other Python files import are in use as well, and so are those that a shell script
    beside them runs."""
    imported = {name for path, text in tree.items() if path.endswith(".py")
                for name in re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)}
    words = {}
    for path, text in tree.items():
        if posixpath.basename(path) == "CMakeLists.txt" or path.endswith(".sh"):
            words.setdefault(posixpath.dirname(path), set()).update(re.findall(r"[\w./-]+", text))
    for path in tree:
        if not path.endswith(TEXT_USED_BY_CODE) or path.startswith(("docs/", "scripts/")):
            continue
        if path.endswith(".py") and posixpath.basename(path)[:-3] in imported:
            continue
        if not any(names(path, folder, words[folder]) for folder in words):
            yield f"{path}: named in no CMakeLists.txt"


def names(path, folder, words):
    """Whether a CMakeLists.txt of `folder` with these words names the file: by its path from there,
    from the root (protoc's input), or below a variable (${assets_dir}/report.js)."""
    if folder and not path.startswith(folder + "/"):
        return False
    from_there = posixpath.relpath(path, folder or ".")
    return bool({from_there, path, "/" + posixpath.basename(path)} & words)


def unused_headers(tree):
    """Headers that nothing includes."""
    used = {layers_test.from_the_root(path, included)
            for path, text in source_tree.cpp_files(tree).items()
            for _, included in layers_test.includes(text)}
    return [f"{path}: nothing includes it" for path in tree
            if path.endswith(".h") and path not in used]


def globs(tree):
    """Lists of sources that CMake computes from the folder."""
    for path, text in tree.items():
        if not path.endswith(("CMakeLists.txt", ".cmake")):
            continue
        for number, line in source_tree.numbered(text):
            if re.search(r"\bGLOB(_RECURSE)?\b|aux_source_directory", line.split("#")[0]):
                yield f"{path}:{number}: name the sources, do not glob them"


class Links(unittest.TestCase):
    tree = source_tree.load()
    rooms_lists = {"core/CMakeLists.txt":
                   "evenkeel_library(base SOURCES base/check.cc)\n"
                   "evenkeel_library(model SOURCES model/range_set.cc DEPENDS evenkeel::base)\n"
                   "evenkeel_library(engine SOURCES engine/worker.cc DEPENDS evenkeel::model)\n"}

    def test_targets_link_only_what_their_room_may_know(self):
        source_tree.expect_none(self, forbidden_links(self.tree))

    def test_the_product_does_not_link_the_techniques(self):
        source_tree.expect_none(self, techniques_in_the_product(self.tree))

    def test_techniques_in_the_product_are_noticed(self):
        lists = ("evenkeel_library(techniques SOURCES scheduling/techniques/technique.cc)\n"
                 "evenkeel_library(engine SOURCES engine/worker.cc DEPENDS evenkeel::techniques)\n")
        tree = {"core/CMakeLists.txt": lists,
                "coordinator/CMakeLists.txt":
                "evenkeel_library(coordinator SOURCES job_run.cc DEPENDS evenkeel::engine)",
                "tests/CMakeLists.txt":
                "add_executable(a a.cc)\ntarget_link_libraries(a PRIVATE evenkeel::techniques)"}
        self.assertEqual(len(list(techniques_in_the_product(tree))), 2)

    def test_the_simulator_may_link_the_techniques(self):
        tree = {"core/CMakeLists.txt":
                "evenkeel_library(techniques SOURCES scheduling/techniques/technique.cc)",
                "simulator/CMakeLists.txt":
                "evenkeel_library(simulator SOURCES world.cc DEPENDS evenkeel::techniques)",
                "cli/CMakeLists.txt":
                "evenkeel_library(cli SOURCES main.cc DEPENDS evenkeel::simulator)"}
        self.assertEqual(list(techniques_in_the_product(tree)), [])

    def test_targets_link_what_their_sources_include(self):
        source_tree.expect_none(self, includes_without_a_link(self.tree))

    def test_every_source_is_named(self):
        source_tree.expect_none(self, unnamed_sources(self.tree))

    def test_every_header_is_included(self):
        source_tree.expect_none(self, unused_headers(self.tree))

    def test_nothing_is_globbed(self):
        source_tree.expect_none(self, globs(self.tree))

    def test_a_link_against_the_order_is_noticed(self):
        tree = {**self.rooms_lists, "report/CMakeLists.txt":
                "evenkeel_library(report SOURCES page.cc PRIVATE_DEPENDS evenkeel::engine)"}
        self.assertEqual(len(list(forbidden_links(tree))), 1)

    def test_a_link_added_afterwards_is_noticed(self):
        tree = {**self.rooms_lists, "report/CMakeLists.txt":
                "add_executable(page page.cc)\ntarget_link_libraries(page PRIVATE evenkeel::engine)"}
        self.assertEqual(len(list(forbidden_links(tree))), 1)

    def test_an_include_without_a_link_is_noticed(self):
        tree = {**self.rooms_lists,
                "core/model/range_set.cc": '#include "core/base/check.h"\n',
                "core/base/check.cc": '#include "core/model/range_set.h"\n'}
        self.assertEqual(len(list(includes_without_a_link(tree))), 1)

    def test_a_source_that_is_not_built_is_noticed(self):
        tree = {**self.rooms_lists, "core/base/check.cc": "", "core/base/dead.cc": "",
                "tests/unit/dead_test.cc": ""}
        self.assertEqual(len(list(unnamed_sources(tree))), 2)

    def test_a_header_that_nobody_includes_is_noticed(self):
        self.assertEqual(len(unused_headers({"core/base/a.h": "", "core/base/a.cc": ""})), 1)

    def test_globbing_is_noticed(self):
        tree = {"core/CMakeLists.txt": "file(GLOB sources *.cc)\n"}
        self.assertEqual(len(list(globs(tree))), 1)


if __name__ == "__main__":
    unittest.main()
