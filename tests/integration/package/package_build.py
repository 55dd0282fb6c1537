"""Installs Evenkeel from a build folder, and builds the projects in examples/ with what is installed.

Usage: package_build.py BUILD FOLDER    into FOLDER/prefix, FOLDER/own-workload/build, ...

The projects are copied before, so that nothing of the source tree is found beside them."""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROJECTS = ("own-workload", "balancer-alone")


def environment():
    """With a compiler cache if there is one: the tests on the cluster build the same project."""
    if shutil.which("ccache") is None:
        return None
    return {**os.environ, "CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_BASEDIR": str(ROOT),
            "CCACHE_NOHASHDIR": "1"}


def run(*command):
    """Runs the command. Prints its output only if it fails."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=environment())
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")


def install(build, folder):
    """The prefix."""
    shutil.rmtree(folder, ignore_errors=True)
    prefix = folder / "prefix"
    run("cmake", "--install", build, "--prefix", prefix)
    return prefix


def build_project(name, folder):
    """The folder of the project, with its programs in build/."""
    project = folder / name
    shutil.copytree(ROOT / "examples" / name, project)
    run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    run("cmake", "--build", project / "build")
    return project


def main():
    build, folder = map(pathlib.Path, sys.argv[1:])
    install(build, folder)
    for name in PROJECTS:
        build_project(name, folder)


if __name__ == "__main__":
    main()
