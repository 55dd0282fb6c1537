"""evenkeel-range, alone and as a command, and the examples of programs that follow its protocol."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

import launcher
from launcher import LAUNCHER, LauncherTest, alive, children, eventually

RANGE = str(pathlib.Path(LAUNCHER).parent / "evenkeel-range")
EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
MOST = 10**12
FOREVER = 1000  # seconds
# Stands for ffmpeg: completes a file for each second of a video that ends before second 5, or never ends at all.
FFMPEG = f"""#!{sys.executable}
import sys, time
first, count, source = (sys.argv[sys.argv.index(word) + 1] for word in ("-segment_start_number", "-t", "-i"))
for second in range(int(first), int(first) + int(count)):
    if second == 5 and source == "short": break
    while second == 5 and source == "stuck": time.sleep({FOREVER})
    open(sys.argv[-1] % second, "w").close()
    print("%06d.ts" % second, flush=True)
"""


class RangeTest(LauncherTest):
    def begin(self, first, last, *words, program=(RANGE,), **popen):
        return self.started(*program, str(first), str(last), "--", *words, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **popen)

    def end(self, process):
        """(exit code, stdout, stderr)"""
        output, error = process.communicate(timeout=launcher.PATIENCE)
        return process.returncode, output, error

    def check_cut(self, worker, most):
        """Limits the range 0 to `most` once item 3 is done; it ends well before its end."""
        number = worker.start()
        worker.await_progress(3)
        worker.send(launcher.limit(number, 2))
        ended = worker.ended()
        self.assert_exited(ended)
        self.assertEqual(ended.error, b"")
        self.assertLess(worker.progress[-1], most)

    def range(self, *arguments, **more):
        return self.end(self.begin(*arguments, **more))

    def pipe(self):
        """(reading, writing)"""
        ends = os.pipe()
        files = [os.fdopen(end, mode, buffering=0) for end, mode in zip(ends, ("rb", "wb"))]
        for file in files:
            self.addCleanup(file.close)
        return files

    def followed(self, first, last, *words, limits=(), **popen):
        """(process, pipe of its progress, pipe for limits) with these limits given beforehand"""
        progress, progress_end = self.pipe()
        control_end, control = self.pipe()
        control.write(b"".join(b"last %d\n" % limit for limit in limits))
        numbers = {"EVENKEEL_PROGRESS": progress_end.fileno(), "EVENKEEL_CONTROL": control_end.fileno()}
        process = self.begin(first, last, *words, pass_fds=list(numbers.values()),
                             env={**os.environ, **{name: str(number) for name, number in numbers.items()}}, **popen)
        progress_end.close()
        control_end.close()
        return process, progress, control


class Alone(RangeTest):
    def test_items_run_one_after_the_other(self):
        self.assertEqual(self.range(3, 12, "echo", "item"),
                         (0, "".join(f"item {n}\n" for n in range(3, 13)), ""))
        self.assertEqual(self.range(0, 0, "echo"), (0, "0\n", ""))
        self.assertEqual(self.range(MOST, MOST, "echo"), (0, f"{MOST}\n", ""))

    def test_each_placeholder_is_the_item(self):
        self.assertEqual(self.range(1, 2, "printf", "%s|", "{}", "a{}b{}", "{{}}", "{ }"),
                         (0, "1|a1b1|{1}|{ }|2|a2b2|{2}|{ }|", ""))
        program = self.folder / "tool-7"
        program.symlink_to("/bin/echo")
        self.assertEqual(self.range(7, 7, f"{self.folder}/tool-{{}}", "x"), (0, "x\n", ""))

    def test_the_launcher_has_it_as_a_verb(self):
        self.assertEqual(self.range(1, 2, "echo", program=(LAUNCHER, "range")), (0, "1\n2\n", ""))

    def test_it_stops_at_the_first_item_that_fails(self):
        self.assertEqual(self.range(5, 9, "sh", "-c", "echo {}; test {} != 7 || exit 3"),
                         (3, "5\n6\n7\n", "item 7: exit code 3\n"))
        self.assertEqual(self.range(5, 9, "sh", "-c", "kill -9 $$"), (137, "", "item 5: signal 9\n"))

    def test_what_cannot_be_run_says_why(self):
        plain = self.folder / "plain"
        plain.write_text("no program")
        for word, code, reason in (("/no/such/program", 127, "No such file or directory"),
                                   ("no-such-program", 127, "No such file or directory"),
                                   ("/dev/null/x", 127, "Not a directory"), (str(plain), 126, "Permission denied"),
                                   ("", 127, "No such file or directory")):
            self.assertEqual(self.range(4, 5, word), (code, "", f"item 4: cannot run {word}: {reason}\n"))

    def test_bad_usage(self):
        usage = "must be called as evenkeel-range FIRST LAST -- COMMAND [WORD...]"
        whole = "must be a whole number from {} to 1000000000000, is {}"
        for arguments, complaint in (
                ([], usage), (["1"], usage), (["1", "2"], usage), (["1", "2", "--"], usage),
                (["1", "2", "echo"], usage), (["1", "2", "echo", "--"], usage), (["--", "1", "2", "echo"], usage),
                (["--help", "1"], usage), (["-v"], usage),
                (["x", "2", "--", "echo"], "FIRST: " + whole.format(0, "x")),
                (["", "2", "--", "echo"], "FIRST: " + whole.format(0, "")),
                (["-1", "2", "--", "echo"], "FIRST: " + whole.format(0, "-1")),
                (["1.5", "2", "--", "echo"], "FIRST: " + whole.format(0, "1.5")),
                (["3", "2", "--", "echo"], "LAST: " + whole.format(3, "2")),
                (["3", "1e3", "--", "echo"], "LAST: " + whole.format(3, "1e3")),
                (["3", str(MOST + 1), "--", "echo"], "LAST: " + whole.format(3, MOST + 1)),
                (["3", "9" * 30, "--", "echo"], "LAST: " + whole.format(3, "9" * 30))):
            with self.subTest(arguments=arguments):
                done = subprocess.run([RANGE, *arguments], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (2, "", f"evenkeel-range: {complaint}\n"))

    def test_bad_descriptors(self):
        for name in ("EVENKEEL_PROGRESS", "EVENKEEL_CONTROL"):
            for value in ("", "x", "1", "-4", "99", "1000001", "99999999999"):
                with self.subTest(name=name, value=value):
                    self.assertEqual(
                        self.range(1, 2, "echo", env={**os.environ, name: value}),
                        (2, "", f"evenkeel-range: {name}: must be the number of an open descriptor from 3, "
                                f"is {value}\n"))

    def test_help(self):
        for option in ("--help", "-h"):
            done = subprocess.run([RANGE, option], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "")
            self.assertTrue(done.stdout.startswith("Usage: evenkeel-range "))

    def test_standard_input_is_that_of_each_item(self):
        (self.folder / "lines").write_text("a\nb\nc\n")
        with open(self.folder / "lines", encoding="utf-8") as lines:
            done = subprocess.run([RANGE, "1", "2", "--", "sh", "-c", "read -r line; echo {} $line"], stdin=lines,
                                  capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "1 a\n2 b\n")


class Signals(RangeTest):
    def sleeper(self, trap=""):
        """A command that writes its number into a file and sleeps."""
        return f"{trap} echo $$ >{self.folder}/own.part; mv {self.folder}/own.part {self.folder}/own; " \
               "while :; do sleep 0.01; done"

    def test_it_ends_with_its_command(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number=number):
                process = self.begin(4, 9, "sh", "-c", self.sleeper())
                pid = self.pid_in("own")
                process.send_signal(number)
                self.assertEqual(self.end(process), (128 + number, "", f"item 4: signal {number}\n"))
                self.assertFalse(alive(pid))
                (self.folder / "own").unlink()

    def test_the_command_may_tidy_up(self):
        process = self.begin(4, 9, "sh", "-c", self.sleeper("trap 'echo tidy; exit 5' TERM;"))
        self.pid_in("own")
        process.terminate()
        self.assertEqual(self.end(process), (5, "tidy\n", "item 4: exit code 5\n"))

    def test_an_item_that_is_done_all_the_same_is_the_last(self):
        process, progress, _ = self.followed(4, 9, "sh", "-c", self.sleeper("trap 'exit 0' TERM;"),
                                             start_new_session=True)
        self.pid_in("own")
        os.killpg(process.pid, signal.SIGTERM)
        code, _, error = self.end(process)
        self.assertEqual((code, error.splitlines()[-1]), (143, "stopped by signal 15 before item 5"))
        self.assertEqual(progress.read(), b"done 4\n")

    def test_a_group_gets_its_signal_once(self):
        heard = self.folder / "heard"
        trap = f"trap 'echo TERM >>{heard}' TERM; trap 'exit 7' USR1;"
        process, _, _ = self.followed(4, 9, "sh", "-c", self.sleeper(trap), start_new_session=True)
        pid = self.pid_in("own")
        os.killpg(process.pid, signal.SIGTERM)
        eventually(heard.exists, "the command has it")
        eventually(lambda: not self.pending(process.pid), "evenkeel-range has taken it")
        os.kill(pid, signal.SIGUSR1)
        code, _, error = self.end(process)
        self.assertEqual((code, error.splitlines()[-1]), (7, "item 4: exit code 7"))
        self.assertEqual(heard.read_text(), "TERM\n")

    @staticmethod
    def pending(pid):
        lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
        return any(int(line.split()[1], 16) for line in lines if line.startswith(("SigPnd", "ShdPnd")))

    def test_a_killed_one_leaves_no_command(self):
        process = self.begin(4, 9, "sh", "-c", self.sleeper())
        pid = self.pid_in("own")
        process.kill()
        eventually(lambda: not alive(pid), "the command is dead")
        self.assertEqual(self.end(process)[0], -signal.SIGKILL)

    def test_ignored_signals_stay_ignored(self):
        def ignore():
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGCHLD):
                signal.signal(number, signal.SIG_IGN)
        script = f"touch {self.folder}/here-{{}}; while ! [ -e {self.folder}/go ]; do sleep 0.01; done; echo {{}}"
        process = self.begin(1, 2, "sh", "-c", script, preexec_fn=ignore)
        eventually((self.folder / "here-1").exists, "it runs")
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGINT)
        (self.folder / "go").touch()
        self.assertEqual(self.end(process), (0, "1\n2\n", ""))

    def test_commands_have_the_usual_signals(self):
        code, output, _ = self.range(1, 1, "sh", "-c", "cat /proc/self/status")
        self.assertEqual(code, 0)
        fields = dict(line.split(":\t", 1) for line in output.splitlines())
        self.assertEqual({int(fields[name], 16) for name in ("SigBlk", "SigCgt", "SigPnd")}, {0})


class Followed(RangeTest):
    def test_each_item_that_is_done_is_reported(self):
        process, progress, _ = self.followed(5, 9, "sh", "-c", "test {} != 8")
        self.assertEqual(self.end(process), (1, "", "item 8: exit code 1\n"))
        self.assertEqual(progress.read(), b"done 5\ndone 6\ndone 7\n")

    def test_it_stops_after_the_last_item_that_it_is_told(self):
        for limits, last in (((7,), 7), ((8, 6), 6), ((6, 8), 6), ((20,), 9), ((5,), 5)):
            with self.subTest(limits=limits):
                process, progress, _ = self.followed(5, 9, "echo", limits=limits)
                self.assertEqual(self.end(process), (0, "".join(f"{n}\n" for n in range(5, last + 1)), ""))
                self.assertEqual(progress.read().splitlines()[-1], b"done %d" % last)

    def test_a_limit_before_the_first_item_leaves_nothing_to_do(self):
        process, progress, _ = self.followed(5, 9, "echo", limits=(3,))
        self.assertEqual(self.end(process), (0, "", ""))
        self.assertEqual(progress.read(), b"")

    def test_a_limit_may_come_while_an_item_runs(self):
        process, progress, control = self.followed(
            5, MOST, "sh", "-c", f"test {{}} != 6 || while ! [ -e {self.folder}/go ]; do sleep 0.01; done")
        self.assertEqual(progress.read(7), b"done 5\n")
        control.write(b"nonsense\nlast\nlast x\nlast 6\n")
        (self.folder / "go").touch()
        self.assertEqual(self.end(process), (0, "", ""))
        self.assertEqual(progress.read(), b"done 6\n")

    def test_commands_inherit_neither_descriptors_nor_variables(self):
        process, _, _ = self.followed(1, 1, "sh", "-c", "env | grep -c 'EVENKEEL_[PC]'; : {}; ls /proc/self/fd")
        self.assertEqual(self.end(process)[1], "0\n0\n1\n2\n3\n")  # the last is the folder

    def test_ends_that_others_close_change_nothing(self):
        process, progress, control = self.followed(
            1, 3, "sh", "-c", f"while ! [ -e {self.folder}/go ]; do sleep 0.01; done; echo {{}}")
        progress.close()
        control.close()
        (self.folder / "go").touch()
        self.assertEqual(self.end(process), (0, "1\n2\n3\n", ""))


class AsCommand(RangeTest):
    """Through the launcher, which finds it although no folder of PATH has it."""

    def followed_worker(self, *words, **more):
        return self.worker(["evenkeel-range", *words], follows=True, **more)

    def test_progress_and_output(self):
        worker = self.followed_worker("3", "9", "--", "echo", "item")
        ended = worker.run()
        self.assert_exited(ended)
        self.assertEqual(ended.output, b"".join(b"item %d\n" % n for n in range(3, 10)))
        self.assertEqual(worker.progress[-1], 9)

    def test_without_progress_it_is_a_loop(self):
        self.assertEqual(self.worker(["evenkeel-range", "1", "2", "--", "echo"]).run().output, b"1\n2\n")

    def test_a_range_is_cut(self):
        worker = self.followed_worker("0", str(MOST), "--", "true")
        number = worker.start()
        worker.await_progress(5)
        worker.send(launcher.limit(number, 3))
        self.assert_exited(worker.ended())
        self.assertGreaterEqual(worker.progress[-1], 5)

    def test_a_failing_item_is_named(self):
        worker = self.followed_worker("5", "9", "--", "sh", "-c", "test {} != 7 || exit 3")
        ended = worker.run()
        self.assert_exited(ended, 3)
        self.assertEqual((ended.error, worker.progress[-1:]), (b"item 7: exit code 3\n", [6]))

    def test_stop_ends_the_item_which_may_tidy_up(self):
        script = f"trap 'echo tidy; sleep 0.2; echo done; exit 5' TERM; echo $$ >{self.folder}/own; " \
                 "while :; do sleep 0.01; done"
        worker = self.followed_worker("5", "9", "--", "sh", "-c", script, grace_ms=60_000)
        number = worker.start()
        self.pid_in("own")
        worker.send(launcher.stop(number))
        ended = worker.ended()
        self.assert_exited(ended, 5)
        self.assertEqual(ended.output, b"tidy\ndone\n")
        self.assertEqual(ended.error.splitlines()[-1], b"item 5: exit code 5")

    def test_what_does_not_stop_is_killed_after_the_grace(self):
        script = f"trap '' TERM; echo $$ >{self.folder}/own; while :; do sleep {FOREVER}; done"
        process, worker = self.over_socketpair(["evenkeel-range", "5", "9", "--", "sh", "-c", script],
                                               follows=True, grace_ms=100)
        number = worker.start()
        pid = self.pid_in("own")
        worker.send(launcher.stop(number))
        self.assert_killed(worker.ended())
        eventually(lambda: not alive(pid), "the item is dead")
        eventually(lambda: not children(process.pid), "everything is collected")

    def test_another_program_of_this_name_goes_first(self):
        program = self.folder / "evenkeel-range"
        program.write_text("#!/bin/sh\necho mine\n")
        program.chmod(0o755)
        worker = self.worker(["evenkeel-range", "1"], variables=[f"PATH={self.folder}:/bin"])
        self.assertEqual(worker.run().output, b"mine\n")


class Examples(RangeTest):
    def programs(self):
        shells = [["dash"], ["bash"], ["busybox", "sh"]]
        for shell in shells:
            if shutil.which(shell[0]):
                yield [*shell, str(EXAMPLES / "range-shell.sh")]
        yield ["python3", str(EXAMPLES / "range-python.py")]
        yield [str(EXAMPLES / "range-shell.sh")]
        yield [str(EXAMPLES / "range-python.py")]

    def test_whole_ranges(self):
        for words in self.programs():
            with self.subTest(words=words):
                worker = self.worker([*words, "3", "9"], follows=True)
                for _ in range(2):
                    ended = worker.run()
                    self.assert_exited(ended)
                    self.assertEqual(ended.output, b"".join(b"item %d\n" % n for n in range(3, 10)))
                    self.assertEqual((worker.progress[-1], ended.error), (9, b""))

    def test_ranges_that_are_cut(self):
        for words in self.programs():
            with self.subTest(words=words):
                self.check_cut(self.worker([*words, "0", str(MOST)], follows=True), MOST)


class FfmpegExample(RangeTest):
    def setUp(self):
        super().setUp()
        ffmpeg = self.folder / "ffmpeg"
        ffmpeg.write_text(FFMPEG)
        ffmpeg.chmod(0o755)
        self.parts = self.folder / "parts"
        self.parts.mkdir()

    def transcoder(self, source, first, last):
        return self.worker([sys.executable, str(EXAMPLES / "ffmpeg-range.py"), source, str(self.parts), str(first), str(last)],
                           follows=True, variables=[f"PATH={self.folder}:{os.environ['PATH']}"])

    def assert_parts(self, first, last):
        """The complete files, and no unfinished ones."""
        self.assertEqual(sorted(part.name for part in self.parts.iterdir()),
                         [f"{second:06d}.ts" for second in range(first, last + 1)])

    def test_whole_range(self):
        worker = self.transcoder("long", 3, 9)
        ended = worker.run()
        self.assert_exited(ended)
        self.assertEqual((worker.progress[-1], ended.error), (9, b""))
        self.assert_parts(3, 9)

    def test_range_that_is_cut(self):
        worker = self.transcoder("long", 0, 10**6)
        self.check_cut(worker, 10**6)
        self.assert_parts(0, worker.progress[-1])

    def test_video_that_is_too_short(self):
        worker = self.transcoder("short", 3, 9)
        ended = worker.run()
        self.assert_exited(ended, 1)
        self.assertEqual((worker.progress[-1], ended.error), (4, b"ffmpeg ended before second 5\n"))
        self.assert_parts(3, 4)

    def test_stop_leaves_no_unfinished_files(self):
        worker = self.transcoder("stuck", 3, 9)
        number = worker.start()
        worker.await_progress(4)
        worker.send(launcher.stop(number))
        self.assert_exited(worker.ended(), 128 + signal.SIGTERM)
        self.assert_parts(3, 4)


if __name__ == "__main__":
    unittest.main()
