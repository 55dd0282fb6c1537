"""Includes between rooms follow their order, and workloads do not include each other."""

import re
import unittest

import rooms
import source_tree

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def includes(text):
    for number, line in source_tree.numbered(text):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def from_the_root(path, included):
    """What a file includes, as a path from the root. Examples that are projects of their own start at
    examples/PROJECT; those that are rooms start at the root."""
    parts = path.split("/")
    own_project = parts[0] == "examples" and "/".join(parts[:2]) not in rooms.ALLOWED
    return "/".join([*parts[:2], included]) if own_project else included


def forbidden_includes(tree):
    """Includes of a room that the including room may not know."""
    parsing = rooms.parsing_stems(tree)
    for path, text in source_tree.cpp_files(tree).items():
        here = rooms.room_of(path, parsing)
        if here is None:
            continue
        for number, included in includes(text):
            there = rooms.room_of(included, parsing)
            if there not in (None, here) and there not in rooms.ALLOWED[here]:
                yield f"{path}:{number}: {here} must not include {included} ({there})"


def workloads_that_know_each_other(tree):
    """A workload is one folder: only the registry knows them all."""
    for path, text in source_tree.cpp_files(tree).items():
        parts = path.split("/")
        if parts[0] != "workloads":
            continue
        for number, included in includes(text):
            other = included.split("/")
            if len(other) < 3 or other[0] != "workloads" or path == "workloads/built_in.cc":
                continue
            if len(parts) < 3 or parts[1] != other[1]:
                yield f"{path}:{number}: must not include another workload, {included}"


# Libraries for HTTP, and the files that may know them. cpprestsdk is archived: all else speaks to
# kubernetes/transport.h and http/http_server.h, so that both can be replaced.
HTTP_LIBRARIES = {
    "cpprest": r"kubernetes/cpprest_transport\.cc",
    "pplx": r"kubernetes/cpprest_transport\.cc",
    "boost": r"tests/support/in_memory_api_server\.cc|kubernetes/cpprest_transport\.cc|http/(endpoint|http_client|http_server|http_session|tls_context)\.(cc|h)",
}


def http_library_outside_of_its_place(tree):
    for path, text in source_tree.cpp_files(tree).items():
        for number, line in source_tree.numbered(text):
            found = re.match(r"\s*#\s*include\s+[<\"](cpprest|pplx|boost)/", line)
            if found and not re.fullmatch(HTTP_LIBRARIES[found[1]], path):
                yield f"{path}:{number}: {found[1]} belongs in {HTTP_LIBRARIES[found[1]]}"


def includes_not_from_the_root(tree):
    """Include paths start at the root, so that the room can be seen; generated files excepted."""
    for path, text in source_tree.cpp_files(tree).items():
        for number, included in includes(text):
            if from_the_root(path, included) not in tree and not included.endswith(".pb.h"):
                yield f"{path}:{number}: {included} is no path from the root of the project"


class Layers(unittest.TestCase):
    tree = source_tree.load()

    def test_rooms_include_only_what_they_may(self):
        source_tree.expect_none(self, forbidden_includes(self.tree))

    def test_workloads_are_apart(self):
        source_tree.expect_none(self, workloads_that_know_each_other(self.tree))

    def test_the_http_library_stays_in_its_place(self):
        source_tree.expect_none(self, http_library_outside_of_its_place(self.tree))

    def test_includes_start_at_the_root(self):
        source_tree.expect_none(self, includes_not_from_the_root(self.tree))

    def test_an_include_against_the_order_is_noticed(self):
        for path, included in [("core/scheduling/a.cc", "core/engine/worker.h"),
                               ("core/base/a.h", "core/model/range_set.h"),
                               ("report/a.cc", "core/engine/progress.h"),
                               ("worker/a.cc", "operator/plan/plan.h"),
                               ("kubernetes/a.cc", "worker/run.h"),
                               ("kubernetes/a.cc", "operator/plan/plan.h"),
                               ("worker/a.cc", "coordinator/journal.h"),
                               ("simulator/a.cc", "coordinator/journal.h"),
                               ("coordinator/coordinator_loop.cc", "coordinator/journal.h"),
                               ("worker/worker_loop.cc", "worker/batch_runner.h"),
                               ("simulator/a.cc", "worker/worker_process.h"),
                               ("cli/a.cc", "kubernetes/client.h"),
                               ("operator/plan/a.cc", "cluster/node_and_pod_json.h"),
                               ("cluster/a.h", "operator/manifests/pod_parts.h"),
                               ("cluster/a_json.cc", "operator/plan/plan.h"),
                               ("operator/plan/a.cc", "operator/controller.h")]:
            with self.subTest(path=path, included=included):
                tree = {path: f'#pragma once\n#include "{included}"\n'}
                self.assertEqual(len(list(forbidden_includes(tree))), 1)

    def test_the_model_does_not_know_its_parsing(self):
        tree = {"core/CMakeLists.txt": "evenkeel_library(model_parsing SOURCES model/document.cc)",
                "core/model/cost.cc": '#include "core/model/document.h"\n',
                "core/model/document.h": '#include "core/model/cost.h"\n'}
        self.assertEqual(len(list(forbidden_includes(tree))), 1)

    def test_a_workload_that_knows_another_is_noticed(self):
        include = '#include "workloads/synthetic/task_costs.h"\n'
        self.assertTrue(list(workloads_that_know_each_other({"workloads/primes/a.cc": include})))
        self.assertTrue(list(workloads_that_know_each_other({"workloads/npy.cc": include})))
        self.assertFalse(list(workloads_that_know_each_other({"workloads/built_in.cc": include})))

    def test_the_http_library_elsewhere_is_noticed(self):
        include = "#include <cpprest/http_client.h>\n"
        for path, count in [("kubernetes/cpprest_transport.cc", 0),
                            ("kubernetes/cpprest_transport.h", 1),
                            ("kubernetes/client.cc", 1), ("cli/a.cc", 1)]:
            with self.subTest(path=path):
                self.assertEqual(len(list(http_library_outside_of_its_place({path: include}))), count)
        beast = "#include <boost/beast/core.hpp>\n"
        self.assertFalse(list(http_library_outside_of_its_place({"http/http_session.h": beast})))
        self.assertTrue(list(http_library_outside_of_its_place({"coordinator/main.cc": beast})))

    def test_an_include_beside_the_file_is_noticed(self):
        tree = {"core/model/a.cc": '#include "b.h"\n', "core/model/b.h": ""}
        self.assertEqual(len(list(includes_not_from_the_root(tree))), 1)

    def test_an_example_has_a_root_of_its_own(self):
        tree = {"examples/own/rows/a.cc": '#include "rows/a.h"\n', "examples/own/rows/a.h": ""}
        self.assertEqual(list(includes_not_from_the_root(tree)), [])
        self.assertTrue(list(includes_not_from_the_root({"examples/own/a.cc": '#include "rows/a.h"\n'})))


if __name__ == "__main__":
    unittest.main()
