"""The input and environment of commands, and the record of their runs."""

import errno
import os
import socket
import tempfile
import unittest

import launcher
from launcher import NO_FOLDER, NO_PROGRAM, LauncherTest


class Commands(LauncherTest):
    def test_output_and_exit_code(self):
        ended = self.shell("echo out; echo err >&2; exit 7").run()
        self.assert_exited(ended, 7)
        self.assertEqual((ended.output, ended.error), (b"out\n", b"err\n"))
        self.assertFalse(ended.output_cut or ended.error_cut)
        self.assertGreater(ended.wall_ns, 0)

    def test_signal(self):
        self.assert_killed(self.shell("kill -9 $$").run())

    def test_many_in_a_row_with_their_own_words_and_variables(self):
        worker = self.worker(["/bin/echo", "task"], variables=["INDEX="])
        for index in range(1000):
            ended = worker.run(words={2: f"argument {index}"}, variables={0: f"INDEX={index}"})
            self.assertEqual(ended.output, f"task argument {index}\n".encode())

    def test_variables_replace_inherited_ones(self):
        worker = self.worker(["env"], variables=["MINE=", "HOME=/elsewhere", "EMPTY="],
                             popen={"env": {"HOME": "/there", "KEPT": "yes", "PATH": os.environ["PATH"]}})
        lines = worker.run(variables={0: "MINE=1"}).output.decode().splitlines()
        self.assertEqual(sorted(line for line in lines if not line.startswith("PATH=")),
                         ["EMPTY=", "HOME=/elsewhere", "KEPT=yes", "MINE=1"])
        self.assertIn("MINE=", worker.run().output.decode().splitlines())

    def test_programs_are_looked_for_in_the_path_of_the_command(self):
        program = self.folder / "greet"
        program.write_text("#!/bin/sh\necho hello\n")
        program.chmod(0o755)
        worker = self.worker(["greet"], variables=[f"PATH=/nowhere:/etc/passwd:{self.folder}"])
        self.assertEqual(worker.run().output, b"hello\n")

    def test_folder_and_empty_input(self):
        ended = self.shell("pwd; cat", folder=str(self.folder)).run()
        self.assertEqual(ended.output.decode(), f"{self.folder}\n")

    def test_nothing_is_open_but_the_usual_three(self):
        ours, theirs = socket.socketpair()
        with tempfile.TemporaryFile() as left_open:
            self.started(launcher.LAUNCHER, "serve", "--fd", str(theirs.fileno()),
                         pass_fds=[theirs.fileno(), left_open.fileno()])
            worker = launcher.Worker(ours).prepare(["/bin/ls", "/proc/self/fd"])
            self.addCleanup(worker.close)
            self.assertEqual(worker.run().output, b"0\n1\n2\n3\n")  # the last is the folder
        theirs.close()

    def test_what_cannot_be_started_says_why(self):
        plain = self.folder / "plain"
        plain.write_text("no program")
        for words, code in ((["/no/such/program"], errno.ENOENT), (["no-such-program"], errno.ENOENT),
                            ([str(plain)], errno.EACCES), ([""], errno.ENOENT),
                            (["/bin/sh", "x" * 131071, *["y" * 131000] * 29], errno.E2BIG)):
            with self.subTest(words=words[0]):
                ended = self.worker(words).run()
                self.assertEqual((ended.ending, ended.value), (NO_PROGRAM, code))
        ended = self.worker(["/bin/true"], folder="/no/such/folder").run()
        self.assertEqual((ended.ending, ended.value), (NO_FOLDER, errno.ENOENT))

    def test_after_one_that_cannot_be_started_others_can(self):
        worker = self.worker(["/no/such/program"])
        for _ in range(3):
            self.assertEqual(worker.run().ending, NO_PROGRAM)
            self.assert_exited(worker.run(words={0: "/bin/true"}))

    def test_signals_are_as_usual(self):
        lines = self.worker(["cat", "/proc/self/status"]).run().output.decode().splitlines()
        fields = dict(line.split(":\t", 1) for line in lines)
        self.assertEqual({int(fields[name], 16) for name in ("SigBlk", "SigIgn", "SigCgt")}, {0})


class Output(LauncherTest):
    def test_as_much_as_the_limit_is_kept_and_the_rest_read(self):
        for size, cut in ((65535, False), (65536, False), (65537, True), (10_000_000, True)):
            with self.subTest(size=size):
                ended = self.shell(f"head -c {size} /dev/zero; head -c {size} /dev/zero >&2").run()
                self.assert_exited(ended)
                self.assertEqual((len(ended.output), len(ended.error)), (min(size, 65536),) * 2)
                self.assertEqual((ended.output_cut, ended.error_cut), (cut, cut))

    def test_nothing_is_kept_with_a_limit_of_nothing(self):
        ended = self.shell("echo x", limit=0).run()
        self.assertEqual((ended.output, ended.output_cut, ended.error_cut), (b"", True, False))

    def test_every_byte_may_be_in_it(self):
        everything = bytes(range(256)) * 4000
        (self.folder / "bytes").write_bytes(everything)
        ended = self.shell(f"cat {self.folder}/bytes", limit=1 << 20).run()
        self.assertEqual(ended.output, everything)

    def test_the_limit_holds_for_each_run_alone(self):
        worker = self.shell("head -c 600 /dev/zero", limit=1000)
        for _ in range(3):
            ended = worker.run()
            self.assertEqual((len(ended.output), ended.output_cut), (600, False))

    def test_a_command_that_closes_its_output_is_waited_for(self):
        ended = self.shell("exec >&- 2>&-; sleep 0.3; exit 3").run()
        self.assert_exited(ended, 3)
        self.assertGreater(ended.wall_ns, 300_000_000)

    def test_time_on_the_processor_is_counted_with_that_of_children(self):
        ended = self.shell("(i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done)").run()
        self.assertGreater(ended.cpu_ns, 10_000_000)


if __name__ == "__main__":
    unittest.main()
