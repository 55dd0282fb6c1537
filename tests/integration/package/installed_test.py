"""The installed files: self-contained headers, a balancer without other dependencies, versions.

EVENKEEL_PACKAGE names the folder that package_build.py has filled."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

FOLDER = pathlib.Path(os.environ["EVENKEEL_PACKAGE"])
INCLUDE = FOLDER / "prefix" / "include"
HEADERS = sorted(path.relative_to(INCLUDE) for path in INCLUDE.rglob("*.h"))


def compile_alone(header):
    """Returns the compiler's messages for a file that includes only this header."""
    return subprocess.run(
        ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", INCLUDE, "-include",
         header, "-x", "c++", "/dev/null"], capture_output=True, text=True, check=False).stderr


class Headers(unittest.TestCase):
    def test_they_are_all_below_one_folder(self):
        self.assertGreater(len(HEADERS), 40)
        self.assertEqual([path.name for path in INCLUDE.iterdir()], ["evenkeel"])

    def test_they_include_only_what_is_installed(self):
        for header in HEADERS:
            for included in re.findall(r'#\s*include\s+"([^"]+)"', (INCLUDE / header).read_text()):
                self.assertIn(pathlib.Path(included), HEADERS, header)

    def test_each_compiles_alone(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = dict(zip(HEADERS, pool.map(compile_alone, HEADERS)))
        self.assertEqual({header: text for header, text in said.items() if text}, {})


class Balancer(unittest.TestCase):
    def test_it_balances_a_made_up_list_in_virtual_time(self):
        """Speeds of 2, 1 and 0.5, although the second was thought to be as fast as the first."""
        done = subprocess.run([FOLDER / "balancer-alone" / "build" / "balance"], capture_output=True,
                              text=True, check=True, timeout=60)
        rows = re.findall(r"(\w+) +planned +([\d.]+) %  done +(\d+) tasks  ended after ([\d.]+) s",
                          done.stdout)
        self.assertEqual([name for name, *_ in rows], ["fast", "tired", "slow"], done.stdout)
        planned, tasks, ends = zip(*[(float(a), int(b), float(c)) for _, a, b, c in rows])
        for share, expected in zip(planned, (44.4, 44.4, 11.1)):
            self.assertAlmostEqual(share, expected, delta=0.3)
        self.assertEqual(sum(tasks), 2000)
        for share, speed in zip(tasks, (2, 1, 0.5)):
            self.assertAlmostEqual(share / 2000, speed / 3.5, delta=0.02)
        self.assertLess(max(ends) - min(ends), 0.02 * max(ends))

    def test_it_needs_no_library_of_the_processes(self):
        """gRPC, SQLite and their like are for programs: the component balancer asks for none."""
        cache = (FOLDER / "balancer-alone" / "build" / "CMakeCache.txt").read_text()
        self.assertIn("tl-expected", cache)
        for word in ("grpc", "SQLite", "yaml-cpp", "nlohmann", "primesieve"):
            self.assertNotIn(word, cache)


class Programs(unittest.TestCase):
    def test_the_helper_for_ranges_is_beside_the_launcher(self):
        for folder in (FOLDER / "prefix" / "bin", FOLDER / "own-workload" / "build" / "bin"):
            self.assertEqual((folder / "evenkeel-range").resolve(), folder.resolve() / "evenkeel-launcher")
            done = subprocess.run([folder / "evenkeel-range", "1", "2", "--", "echo"], capture_output=True,
                                  text=True, check=True, timeout=60)
            self.assertEqual(done.stdout, "1\n2\n")


class Versions(unittest.TestCase):
    def configure(self, request):
        """Returns (success, output) of CMake for a project with that find_package()."""
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder)
            (project / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(probe LANGUAGES CXX)\n"
                f"find_package(Evenkeel {request} REQUIRED)\n")
            done = subprocess.run(
                ["cmake", "-S", project, "-B", project / "build", "-G", "Ninja",
                 f"-DCMAKE_PREFIX_PATH={FOLDER / 'prefix'}"], capture_output=True, text=True, check=False)
        return done.returncode == 0, " ".join(done.stderr.split())

    def test_another_minor_version_is_another_interface(self):
        content, said = self.configure("0.0")
        self.assertFalse(content)
        self.assertIn('compatible with requested version "0.0"', said)

    def test_an_unknown_component_is_named(self):
        content, said = self.configure("0.1 COMPONENTS telepathy")
        self.assertFalse(content)
        self.assertIn("no component telepathy; there are balancer, workload, programs", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
