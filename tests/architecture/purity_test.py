"""Rooms that decide have no threads, files, sockets, clocks, chance and no formats of files."""

import re
import unittest

import rooms
import source_tree

FORMATS = r"nlohmann/|yaml-cpp/"
OUTSIDE = (r"thread|stop_token|mutex|shared_mutex|atomic|condition_variable|future|semaphore|latch|"
           r"barrier|fstream|iostream|filesystem|random|csignal|ctime|unistd\.h|fcntl\.h|pthread\.h|"
           r"signal\.h|time\.h|sys/.*|netinet/.*|arpa/.*|netdb\.h|linux/.*|cpprest/.*|grpc.*|"
           r"google/.*|sqlite3\.h|prometheus/.*|curl/.*|spdlog/.*|openssl/.*")
OWN_CLOCK_AND_LOG = {"core/base/clock.h", "core/base/log.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]')
OUTSIDE_CALL = re.compile(
    r"\b(steady_clock|system_clock|high_resolution_clock|clock_gettime|gettimeofday|getenv|"
    r"sleep_for|sleep_until|usleep|nanosleep|random_device|mt19937\w*|srand|fopen|popen|"
    r"this_thread|jthread|cout|cerr)\b|\bstd::(rand|time|system|printf|puts|thread|async)\b|"
    r"(?<![\w.:>])(sleep|rand|time|system|printf|puts|open|socket)\(")
# Functions of <cmath> whose last bits depend on the standard library. sqrt, floor, ceil, round, abs,
# frexp and ldexp are exact everywhere.
INEXACT_MATH = re.compile(
    r"(?<![\w.:>])(?:std::)?(log|log2|log10|log1p|exp|exp2|expm1|pow|sin|cos|tan|asin|acos|atan|atan2|sinh|"
    r"cosh|tanh|asinh|acosh|atanh|cbrt|hypot|[tl]gamma|erfc?)[fl]?\(")
DECIDES = {"scheduling", "techniques", "engine"}
COMMENT_OR_TEXT = re.compile(r'//.*|/\*.*?\*/|"(?:[^"\\]|\\.)*"')


def impurities(tree):
    """Headers and calls that reach out of a pure room."""
    parsing = rooms.parsing_stems(tree)
    for path, text in source_tree.cpp_files(tree).items():
        reads_formats = rooms.room_of(path, parsing) == "model_parsing"
        if not reads_formats and not rooms.is_pure(path, parsing):
            continue
        for number, line in source_tree.numbered(text):
            found = impure_include(line, reads_formats) or impure_call(line)
            if found:
                yield f"{path}:{number}: {found} has no place in a room that only decides"


def inexact_math(tree):
    """Calls in rooms that decide whose result is not the same on every architecture."""
    for path, text in source_tree.cpp_files(tree).items():
        if rooms.room_of(path) not in DECIDES:
            continue
        for number, line in source_tree.numbered(text):
            match = INEXACT_MATH.search(COMMENT_OR_TEXT.sub("", line))
            if match:
                yield f"{path}:{number}: {match.group(0)}) differs between architectures; " \
                      "use core/base/portable_math.h"


def impure_include(line, reads_formats):
    match = INCLUDE.match(line)
    if not match:
        return None
    header = match.group(1)
    if header in OWN_CLOCK_AND_LOG or re.fullmatch(OUTSIDE, header):
        return header
    return header if re.match(FORMATS, header) and not reads_formats else None


def impure_call(line):
    match = OUTSIDE_CALL.search(COMMENT_OR_TEXT.sub("", line))
    return match.group(0) if match and not INCLUDE.match(line) else None


class Purity(unittest.TestCase):
    LISTS = {"core/CMakeLists.txt": "evenkeel_library(model_parsing SOURCES model/document.cc)"}

    def count(self, path, line):
        return len(list(impurities({**self.LISTS, path: line + "\n"})))

    def test_rooms_that_decide_are_pure(self):
        source_tree.expect_none(self, impurities(source_tree.load()))

    def test_headers_that_reach_out_are_noticed(self):
        for header in ("<thread>", "<mutex>", "<atomic>", "<fstream>", "<filesystem>", "<random>",
                       "<sys/socket.h>", "<cpprest/http_client.h>", "<grpcpp/grpcpp.h>",
                       "<nlohmann/json.hpp>", "<yaml-cpp/yaml.h>", '"core/base/clock.h"'):
            for folder in ("core/engine/", "core/scheduling/fuzzy/", "core/model/", "operator/plan/",
                           "cluster/"):
                with self.subTest(header=header, folder=folder):
                    self.assertEqual(self.count(folder + "a.h", "#include " + header), 1)

    def test_calls_that_reach_out_are_noticed(self):
        for call in ("auto t = std::chrono::steady_clock::now();", "if (getenv(name)) return;",
                     "std::this_thread::sleep_for(d);", "int r = rand();", "std::mt19937 g;"):
            with self.subTest(call=call):
                self.assertEqual(self.count("core/engine/a.cc", call), 1)

    def test_parsing_may_read_formats_but_not_files(self):
        self.assertEqual(self.count("core/model/document.cc", "#include <nlohmann/json.hpp>"), 0)
        self.assertEqual(self.count("core/model/document.cc", "#include <fstream>"), 1)

    def test_decisions_are_the_same_on_every_architecture(self):
        source_tree.expect_none(self, inexact_math(source_tree.load()))

    def test_math_that_differs_between_architectures_is_noticed(self):
        for call in ("std::log(x)", "std::exp2(x)", "pow(x, 2)", "std::sin(x)", "logf(x)"):
            with self.subTest(call=call):
                tree = {"core/scheduling/energy/a.cc": f"double y = {call};\n"}
                self.assertEqual(len(list(inexact_math(tree))), 1)
        for call in ("std::sqrt(x)", "std::floor(x)", "PortableLog(x)", "std::ldexp(x, 2)", "log.pow(x)"):
            with self.subTest(call=call):
                tree = {"core/engine/a.cc": f"double y = {call};\n"}
                self.assertEqual(list(inexact_math(tree)), [])

    def test_words_in_comments_and_texts_are_no_calls(self):
        self.assertEqual(self.count("core/engine/a.cc", '// no rand() here'), 0)
        self.assertEqual(self.count("core/engine/a.cc", 'Say("sleep(1)");'), 0)

    def test_other_rooms_may_reach_out(self):
        self.assertEqual(self.count("worker/a.cc", "#include <thread>"), 0)


if __name__ == "__main__":
    unittest.main()
