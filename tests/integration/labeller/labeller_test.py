"""The real evenkeel-labeller on boards made of files: what it prints, writes, and how it ends."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

LABELLER = os.environ["EVENKEEL_LABELLER"]
PATIENCE = 60  # seconds that anything may take which should happen soon


class LabellerTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="evenkeel-labeller-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.board, self.features = self.root / "host", self.root / "features.d"
        self.features.mkdir()
        self.write("sys/firmware/devicetree/base/model", "Raspberry Pi 4 Model B Rev 1.4\0")
        self.write("proc/meminfo", "MemTotal:        1929216 kB\n")
        self.write("proc/uptime", "86400.00 1.00\n")

    def write(self, name, text):
        path = self.board / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def start(self, *arguments, environment=()):
        clean = {key: value for key, value in os.environ.items()
                 if not key.startswith("KUBERNETES_") and key != "NODE_NAME"}
        process = subprocess.Popen([LABELLER, "--root", str(self.board), *arguments], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**clean, **dict(environment)})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def run_labeller(self, *arguments, code=0, environment=()):
        process = self.start(*arguments, environment=environment)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def test_print(self):
        out, _ = self.run_labeller("--print", "--no-probe")
        self.assertIn('machine: "Raspberry Pi 4 Model B Rev 1.4"\n', out)
        self.assertIn('  hardware.evenkeel.dev/model: "raspberry-pi-4b"\n', out)
        self.assertIn('  hardware.evenkeel.dev/ram-mib: "/proc/meminfo, MemTotal"\n', out)
        self.assertNotIn("probe", out)

    def test_probe(self):
        out, _ = self.run_labeller("--print")
        self.assertRegex(out, r'probe-score: "\d+"|too noisy')
        self.write("proc/uptime", "5.00 1.00\n")
        out, _ = self.run_labeller("--print")
        self.assertNotIn("probe-score:", out)
        self.assertIn("no speed probe now: the machine has just started", out)

    def test_feature_file_once(self):
        path = self.features / "evenkeel"
        self.run_labeller("--once", "--no-probe", "--nfd-file", str(path))
        lines = path.read_text().splitlines()
        self.assertIn("hardware.evenkeel.dev/model=raspberry-pi-4b", lines)
        self.assertTrue(all(line.startswith(("#", "hardware.evenkeel.dev/")) for line in lines))
        self.assertEqual([entry.name for entry in self.features.iterdir()], ["evenkeel"])

    def test_signals_end_it_at_once(self):
        for number, code in ((signal.SIGTERM, 0), (signal.SIGINT, 130)):
            with self.subTest(number=number):
                path = self.features / f"evenkeel{number}"
                process = self.start("--no-probe", "--nfd-file", str(path))
                end = time.monotonic() + PATIENCE
                while not path.exists():
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.01)
                self.assertIn("# +expiry-time=", path.read_text())
                process.send_signal(number)
                self.assertEqual(process.wait(PATIENCE), code)

    def test_a_folder_that_cannot_be_written_to(self):
        process = self.start("--no-probe", "--nfd-file", str(self.root / "missing" / "file"))
        for line in process.stderr:
            if "missing/file: cannot be written" in line:
                break
        else:
            self.fail("it did not complain")
        self.assertIsNone(process.poll())  # it tries again later
        process.kill()
        process.communicate()

    def test_bad_usage(self):
        for arguments in (["--once", "--interval", "60"], ["--interval", "1"], ["--fly"], [],
                          ["--node", "No Node"]):
            with self.subTest(arguments=arguments):
                out, err = self.run_labeller(*arguments, code=2)
                self.assertEqual(out, "")
                self.assertTrue(err)

    def test_outside_of_a_cluster(self):
        _, err = self.run_labeller("--once", "--no-probe", code=2,
                                   environment={"NODE_NAME": "pi4"}.items())
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertTrue(err.startswith("evenkeel-labeller: "), err)


if __name__ == "__main__":
    unittest.main(verbosity=2)
