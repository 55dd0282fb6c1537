"""Programs are compiled and linked as "Hardened programs" in docs/architecture.md says.

Usage: hardening_test.py Flags       the commands in the build folder $EVENKEEL_BUILD
       hardening_test.py Programs    the files in $EVENKEEL_PROGRAMS, separated by colons

With Flags, $EVENKEEL_PROGRAMS limits the check of linker flags to programs of these names.
"""

import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import unittest

import source_tree

COMPILER_FLAGS = {"-fPIE", "-fstack-protector-strong", "-D_GLIBCXX_ASSERTIONS", "-D_FORTIFY_SOURCE=3"}
# Only some processors have a form of these.
FLAGS_OF_PROCESSOR = {"x86_64": {"-fstack-clash-protection", "-fcf-protection"},
                      "aarch64": {"-fstack-clash-protection", "-mbranch-protection=standard"},
                      "arm": set()}
LINKER_FLAGS = {"relro", "now", "noexecstack"}
# Flags that take back one of those above.
OPPOSITES = re.compile(r"-fno-pi[ec]|-fno-stack-protector|-fno-stack-clash-protection|-fcf-protection=none|"
                       r"-mbranch-protection=none|-U_GLIBCXX_ASSERTIONS|-no-pie|.*-z,(norelro|lazy|execstack)")


def processor(compiler):
    """Which the compiler of that name compiles for."""
    name = os.path.basename(compiler)
    for known in FLAGS_OF_PROCESSOR:
        if name.startswith(known + "-"):
            return known
    return {"armv7l": "arm", "armv6l": "arm"}.get(platform.machine(), platform.machine())


def compiler_of(command):
    """The program that an entry of compile_commands.json runs, without a cache before it."""
    return next(word for word in shlex.split(command["command"])
                if re.search(r"(g\+\+|clang\+\+|c\+\+)(-\d+)?$", word))


def missing_compiler_flags(commands):
    """One line for each flag that a command of compile_commands.json lacks."""
    for command in commands:
        words = shlex.split(command["command"])
        if "-fPIC" in words:  # of a shared library
            words.append("-fPIE")
        wanted = COMPILER_FLAGS | FLAGS_OF_PROCESSOR[processor(compiler_of(command))]
        for flag in sorted(wanted - set(words)):
            yield f"{command['file']}: compiled without {flag}"
        for flag in filter(OPPOSITES.fullmatch, words):
            yield f"{command['file']}: compiled with {flag}"
        levels = [word for word in words if re.fullmatch(r"-O\w*", word)]
        if levels[-1:] in ([], ["-O0"]):
            yield f"{command['file']}: _FORTIFY_SOURCE has no effect without optimization"


def missing_linker_flags(ninja, programs, arm=False):
    """One line for each flag that the rule for a program in build.ninja lacks.

    32-bit ARM has no -static-pie in Debian's C library."""
    rules = dict(re.findall(r"^build bin/(\S+): CXX_EXECUTABLE_LINKER.*?^  LINK_FLAGS = (.*?)$", ninja,
                            re.MULTILINE | re.DOTALL))
    for program in programs:
        words = shlex.split(rules.get(program, ""))
        given = {flag for word in words if word.startswith("-Wl,") for flag in word.split(",")}
        for flag in sorted(LINKER_FLAGS - given):
            yield f"{program}: linked without -z {flag}"
        independent = {"-pie", "-static-pie"} | ({"-static"} if arm else set())
        if not independent & set(words):
            yield f"{program}: linked without -pie"
        for flag in filter(OPPOSITES.fullmatch, words):
            yield f"{program}: linked with {flag}"


def weaknesses(headers):
    """What makes a program with these headers, as `readelf -h -l -d` prints them, easier to exploit.

    32-bit ARM has no -static-pie in Debian's C library: a static program there has a fixed address, and no
    symbols to bind."""
    static_arm = re.search(r"^ *Machine: +ARM$", headers, re.MULTILINE) and "INTERP" not in headers
    if not static_arm and not re.search(r"^ *Type: +DYN ", headers, re.MULTILINE):
        yield "not position-independent"
    segments = re.findall(r"^ *([A-Z]\w+) +0x\w+ 0x\w+ 0x\w+ 0x\w+ 0x\w+ ([R ][W ][E ])", headers,
                          re.MULTILINE)
    if "GNU_RELRO" not in dict(segments):
        yield "tables of the linker stay writable: no RELRO"
    if dict(segments).get("GNU_STACK", "RWE") != "RW ":
        yield "the stack is executable"
    if any("W" in access and "E" in access for kind, access in segments if kind == "LOAD"):
        yield "a segment is both writable and executable"
    if not static_arm and not re.search(r"\(FLAGS\) .*BIND_NOW|\(FLAGS_1\) .*\bNOW\b", headers):
        yield "symbols are bound lazily: no BIND_NOW"
    if "TEXTREL" in headers:
        yield "code is changed when it is loaded: TEXTREL"


def programs_to_check():
    """Names of CMake's targets: by default those in images and those of the user's machine."""
    if "EVENKEEL_PROGRAMS" in os.environ:
        return [os.path.basename(path) for path in os.environ["EVENKEEL_PROGRAMS"].split(":")]
    lines = (source_tree.ROOT / "docker" / "programs.txt").read_text().splitlines()
    images = {line.split()[1] for line in lines if line.strip() and not line.startswith("#")}
    return sorted(images | {"evenkeel", "evenkeel-coordinator", "evenkeel-worker", "kubectl-evenkeel"})


class Flags(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        build = pathlib.Path(os.environ["EVENKEEL_BUILD"])
        cls.commands = json.loads((build / "compile_commands.json").read_text())
        cls.ninja = (build / "build.ninja").read_text()
        cls.compiler = compiler_of(cls.commands[0])

    def test_every_source_is_compiled_with_them(self):
        self.assertTrue(self.commands)
        source_tree.expect_none(self, missing_compiler_flags(self.commands))

    def test_every_program_is_linked_with_them(self):
        source_tree.expect_none(self, missing_linker_flags(
            self.ninja, programs_to_check(), arm=processor(self.compiler) == "arm"))

    def test_a_compiler_flag_that_is_missing_is_noticed(self):
        one = self.commands[0]
        for flag in COMPILER_FLAGS | FLAGS_OF_PROCESSOR[platform.machine()]:
            with self.subTest(flag):
                doctored = {**one, "command": one["command"].replace(f" {flag} ", " ")}
                self.assertEqual(list(missing_compiler_flags([doctored])),
                                 [f"{one['file']}: compiled without {flag}"])

    def test_a_compiler_flag_that_is_taken_back_is_noticed(self):
        one = self.commands[0]
        for flag in ("-fno-stack-protector", "-O0", "-U_GLIBCXX_ASSERTIONS"):
            with self.subTest(flag):
                doctored = {**one, "command": one["command"].replace(" -c ", f" {flag} -c ")}
                self.assertEqual(len(list(missing_compiler_flags([doctored]))), 1)

    def test_a_linker_flag_that_is_missing_is_noticed(self):
        rule = ("build bin/a: CXX_EXECUTABLE_LINKER__a_Release a.o\n  FLAGS = -O2\n"
                "  LINK_FLAGS = -Wl,-z,relro,-z,now,-z,noexecstack -pie -pthread\n")
        self.assertEqual(list(missing_linker_flags(rule, ["a"])), [])
        for flag in ("-z,relro,", "-z,now,", ",-z,noexecstack", " -pie"):
            with self.subTest(flag):
                self.assertEqual(len(list(missing_linker_flags(rule.replace(flag, ""), ["a"]))), 1)
        self.assertEqual(len(list(missing_linker_flags(rule.replace("-pthread", "-no-pie"), ["a"]))), 1)
        self.assertEqual(len(list(missing_linker_flags(rule, ["another"]))), 4)


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.headers = {path: cls.read(path) for path in os.environ["EVENKEEL_PROGRAMS"].split(":")}

    @staticmethod
    def read(path):
        return subprocess.run(["readelf", "-h", "-l", "-d", "-W", path], capture_output=True, text=True,
                              check=True, env={**os.environ, "LC_ALL": "C"}).stdout

    def test_they_are_hardened(self):
        source_tree.expect_none(self, (f"{path}: {weakness}" for path, headers in self.headers.items()
                                       for weakness in weaknesses(headers)))

    def test_what_is_missing_is_noticed(self):
        changes = {"not position-independent": (r"(Type: +)DYN ", r"\1EXEC "),
                   "tables of the linker stay writable: no RELRO": ("GNU_RELRO", "GNU_NOTES"),
                   "the stack is executable": (r"(GNU_STACK .*)RW ", r"\1RWE"),
                   "a segment is both writable and executable": (r"(LOAD .*)RW ", r"\1RWE"),
                   "symbols are bound lazily: no BIND_NOW": (r"BIND_NOW|\bNOW\b", "-"),
                   "code is changed when it is loaded: TEXTREL": (r"\(SYMTAB\)", "(TEXTREL)")}
        headers = next(iter(self.headers.values()))
        for weakness, (pattern, doctored) in changes.items():
            with self.subTest(weakness):
                self.assertEqual(list(weaknesses(re.sub(pattern, doctored, headers))), [weakness])


if __name__ == "__main__":
    unittest.main()
