"""Builds the images for a board's architecture, and runs what is in them under qemu.

Usage: images_test.py arm64|armhf
"""

import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

import emulation

ARCHITECTURE = sys.argv[1]
# Docker's names: for the platform, in file names, in the image's own description.
PLATFORM, FILE, DESCRIBED = {"arm64": ("arm64", "arm64", ("arm64",)),
                             "armhf": ("arm/v7", "armv7", ("arm", "v7"))}[ARCHITECTURE]
MACHINE = {"arm64": 183, "armhf": 40}[ARCHITECTURE]  # e_machine of ELF: AArch64, ARM


class Image:
    """A docker-archive, unpacked."""

    def __init__(self, name, folder):
        self.root = folder / name
        self.root.mkdir()
        archive = emulation.ROOT / "build" / "images" / f"evenkeel-{name}-{FILE}.tar"
        with tarfile.open(archive) as tar:
            manifest, = json.load(tar.extractfile("manifest.json"))
            self.config = json.load(tar.extractfile(manifest["Config"]))
            for layer in manifest["Layers"]:
                with tarfile.open(fileobj=tar.extractfile(layer)) as files:
                    files.extractall(self.root)

    def programs(self):
        return sorted(path.name for path in (self.root / "usr" / "bin").iterdir())


def machine_of(program):
    with open(program, "rb") as file:
        return int.from_bytes(file.read(20)[18:20], "little")


class ImagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run(["bash", str(emulation.ROOT / "scripts" / "images.sh"), "--arch", PLATFORM],
                       check=True, stdin=subprocess.DEVNULL)
        cls.place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.place.cleanup)
        cls.images = {name: Image(name, pathlib.Path(cls.place.name))
                      for name in ("operator", "worker")}
        cls.there = {name: emulation.Emulation(ARCHITECTURE, image.root)
                     for name, image in cls.images.items()}

    def test_they_say_for_whom_they_are(self):
        for image in self.images.values():
            found = tuple(filter(None, (image.config["architecture"], image.config.get("variant"))))
            self.assertEqual(found, DESCRIBED)
            self.assertEqual(image.config["config"]["User"], "65532:65532")

    def test_every_program_starts(self):
        for name, image in self.images.items():
            self.assertTrue(image.programs())
            for program in image.programs():
                with self.subTest(program):
                    path = image.root / "usr" / "bin" / program
                    self.assertEqual(machine_of(path), MACHINE)
                    self.assertIn("Usage", self.there[name].run(path, "--help"))

    def test_every_program_is_hardened(self):
        for image in self.images.values():
            folder = image.root / "usr" / "bin"
            emulation.check_hardening("Programs", [str(folder / name) for name in image.programs()])

    def test_there_is_nothing_else_to_run(self):
        """The images have no shell and no package manager."""
        for image in self.images.values():
            for folder in ("bin", "sbin", "usr/sbin"):
                self.assertFalse((image.root / folder).exists(), folder)
        self.assertEqual(self.images["operator"].programs(), ["evenkeel-operator"])

    def test_primes_to_ten_thousand(self):
        there = self.there["worker"]
        self.assertEqual(there.result_of_primes(self.images["worker"].root / "usr" / "bin", 10_000),
                         emulation.PRIMES_TO_10000)


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: building images takes root", file=sys.stderr)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
