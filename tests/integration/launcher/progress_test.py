"""Commands that report progress, and limits for them."""

import errno
import os
import pathlib
import resource
import signal
import unittest

import launcher
from launcher import EXITED, NO_PROCESS, LauncherTest, alive

FOREVER = 1000  # seconds
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def cpu_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def peak_memory_bytes(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no VmHWM")


def descriptors(process):
    return sorted(os.listdir(f"/proc/{process.pid}/fd"))


class ProgressTest(LauncherTest):
    def following(self, script, **more):
        """(launcher, worker) of a shell that follows progress."""
        return self.over_socketpair(["/bin/sh", "-c", script], follows=True, **more)

    def waiting(self, name):
        """Shell: waits until the test lets it go on."""
        return f"while ! [ -e {self.folder}/{name} ]; do sleep 0.01; done"

    def let(self, name):
        (self.folder / name).touch()


class Descriptors(ProgressTest):
    def test_a_command_finds_them_by_its_variables(self):
        for own in ({}, {"EVENKEEL_PROGRESS": "77", "EVENKEEL_CONTROL": ""}):
            with self.subTest(own=own):
                _, worker = self.following("echo $EVENKEEL_PROGRESS $EVENKEEL_CONTROL; ls /proc/self/fd",
                                           popen={"env": {**os.environ, **own}})
                self.assertEqual(worker.run().output, b"3 4\n" + b"".join(b"%d\n" % n for n in range(6)))

    def test_others_get_neither_descriptors_nor_variables(self):
        worker = self.shell("env | grep -c 'EVENKEEL_[PC]'; ls /proc/self/fd", popen={
            "env": {**os.environ, "EVENKEEL_PROGRESS": "3", "EVENKEEL_CONTROL": "4"}})
        number = worker.start()
        worker.send(launcher.limit(number, 1))
        self.assertEqual(worker.ended().output, b"0\n0\n1\n2\n3\n")  # the last is the folder

    def test_they_end_with_their_command(self):
        process, worker = self.following("echo done 1 >&3")
        before = descriptors(process)
        for _ in range(200):
            self.assert_exited(worker.run())
            self.assertEqual(worker.progress, [1])
        self.assertEqual(descriptors(process), before)

    def test_commands_side_by_side_have_their_own(self):
        _, path = self.listening()
        script = f"readlink /proc/self/fd/3 /proc/self/fd/4; set -- /proc/$$/fd/*; echo $#; touch $MINE; " \
                 f"while ! [ -e $OTHER ]; do sleep 0.01; done; echo done $N >&3; read -r _ last <&4; echo $last"
        workers = []
        for n in range(2):
            names = [f"MINE={self.folder}/{n}", f"OTHER={self.folder}/{1 - n}", f"N={n}"]
            workers.append(self.connected(path, ["/bin/sh", "-c", script], variables=names, follows=True))
        for worker in workers:
            worker.start()
        for n, worker in enumerate(workers):
            worker.await_progress(n)
            worker.send(launcher.limit(worker.runs, n + 10))
        lines = [worker.ended().output.decode().split() for worker in workers]
        self.assertEqual(len({*lines[0][:2], *lines[1][:2]}), 4, lines)
        # One of the six is the folder.
        self.assertEqual([line[2:] for line in lines], [["6", "10"], ["6", "11"]])
        self.assertEqual([worker.progress for worker in workers], [[0], [1]])

    def test_too_few_descriptors_end_the_run(self):
        endings = set()
        for most in range(9, 18):
            def limited(most=most):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
            process, worker = self.following("echo done 1 >&3", popen={"preexec_fn": limited})
            before = descriptors(process)
            for _ in range(2):
                ended = worker.run()
                endings.add(ended.ending)
                self.assertIn((ended.ending, ended.value), {(NO_PROCESS, errno.EMFILE), (EXITED, 0)}, most)
                self.assertEqual(worker.progress, [1] if ended.ending == EXITED else [])
            self.assertEqual(descriptors(process), before)
        self.assertEqual(endings, {NO_PROCESS, EXITED})


class Progress(ProgressTest):
    def test_it_arrives_while_the_command_runs_and_before_its_end(self):
        _, worker = self.following(f"echo done 1 >&3; {self.waiting('go')}; echo done 2 >&3; echo done 7 >&3")
        for _ in range(3):
            number = worker.start()
            worker.await_progress(1)
            self.assertEqual(worker.progress, [1])
            self.let("go")
            ended = worker.ended()
            self.assert_exited(ended)
            self.assertEqual(ended.id, number)
            self.assertEqual(worker.progress[-1], 7)
            (self.folder / "go").unlink()

    def test_it_only_rises(self):
        _, worker = self.following("for n in 4 2 4 9 0; do echo done $n >&3; sleep 0.02; done")
        self.assert_exited(worker.run())
        self.assertEqual(worker.progress, [4, 9])

    def test_malformed_lines_are_ignored(self):
        _, worker = self.following("printf 'done 1\n\ndone x\ndone -3\nlast 9\ndone 1000000000001\n"
                                   "done %070d\ndone 2\ndone 3' 8 >&3")
        self.assert_exited(worker.run())
        self.assertEqual(worker.progress, [2])
        # The part of a line is not continued by the next run.
        self.assert_exited(worker.run(words={2: "echo 4 >&3"}))
        self.assertEqual(worker.progress, [])

    def test_a_failed_command_has_reported_its_progress(self):
        _, worker = self.following("echo done 5 >&3; kill -9 $$")
        self.assert_killed(worker.run())
        self.assertEqual(worker.progress, [5])

    def test_a_flood_is_read_cheaply(self):
        process, worker = self.following("seq -f 'done %.0f' 1 1000000 >&3")
        ended = worker.run()
        self.assert_exited(ended)
        self.assertEqual(worker.progress[-1], 1_000_000)
        self.assertEqual(worker.progress, sorted(set(worker.progress)))
        self.assertLessEqual(len(worker.progress), ended.wall_ns / 5_000_000 + 2)
        if not launcher.SANITIZED:
            self.assertLess(peak_memory_bytes(process), 8 << 20)

    def test_a_flood_without_lines_is_read_cheaply(self):
        process, worker = self.following("head -c 10000000 /dev/zero >&3; echo >&3; echo done 5 >&3")
        self.assert_exited(worker.run())
        self.assertEqual(worker.progress, [5])
        if not launcher.SANITIZED:
            self.assertLess(peak_memory_bytes(process), 8 << 20)

    def test_a_flood_delays_nobody_else(self):
        _, path = self.listening()
        flooding = self.connected(path, ["/bin/sh", "-c", "while :; do echo done 1; done >&3"], follows=True)
        number = flooding.start()
        flooding.await_progress(1)
        other = self.connected(path, ["/bin/true"])
        for _ in range(100):
            self.assert_exited(other.run())
        flooding.send(launcher.stop(number))
        self.assert_killed(flooding.ended(), signal.SIGTERM)

    def test_a_command_may_close_its_descriptors(self):
        process, worker = self.following("exec 3>&- 4<&-; sleep 0.5; exit 3")
        before = cpu_seconds(process)
        ended = worker.run()
        self.assert_exited(ended, 3)
        self.assertGreater(ended.wall_ns, 500_000_000)
        self.assertLess(cpu_seconds(process) - before, 0.25)  # it waits, and does not ask again and again
        self.assertEqual(worker.progress, [])

    def test_what_keeps_a_descriptor_does_not_delay_the_end(self):
        process, worker = self.following(
            f"setsid sh -c 'echo $$ >{self.folder}/left; exec sleep {FOREVER}' & "
            f"while ! [ -s {self.folder}/left ]; do sleep 0.01; done; echo done 1 >&3")
        self.assert_exited(worker.run())
        self.assertEqual(worker.progress, [1])
        pid = self.pid_in("left")
        self.assertTrue(alive(pid))
        worker.close()
        self.assertEqual(process.wait(launcher.PATIENCE), 0)
        self.assertFalse(alive(pid))

    def test_a_command_that_exits_at_once(self):
        process, worker = self.over_socketpair(["/bin/true"], follows=True)
        for _ in range(200):
            number = worker.start()
            worker.send(launcher.limit(number, 1))
            self.assert_exited(worker.ended())
            worker.send(launcher.limit(number, 0))
        self.assertIsNone(process.poll())


class Limits(ProgressTest):
    def test_a_limit_reaches_the_command(self):
        _, worker = self.following("echo done 3 >&3; read -r word last <&4; echo $word $last; echo done $last >&3")
        for last in (5, 0, 10**12):
            number = worker.start()
            worker.await_progress(3)
            worker.send(launcher.limit(number, last))
            self.assertEqual(worker.ended().output, b"last %d\n" % last)
            self.assertEqual(worker.progress, [3] if last < 3 else [3, last])

    def test_only_lower_ones_are_passed_on(self):
        _, worker = self.following(f"{self.waiting('go')}; for n in 1 2 3; do read -r _ last <&4; echo $last; done")
        for _ in range(2):  # each run begins anew
            number = worker.start()
            for last in (9, 9, 12, 5, 7, 5):
                worker.send(launcher.limit(number, last))
            worker.send(launcher.limit(number + 1, 1) + launcher.limit(number - 1, 1))
            worker.send(launcher.limit(number, 4))
            self.let("go")
            self.assertEqual(worker.ended().output, b"9\n5\n4\n")
            (self.folder / "go").unlink()

    def fill(self, worker, number, most=20_000):
        """Sends more limits than the pipe holds; the last one is 0."""
        worker.send(b"".join(launcher.limit(number, last) for last in range(most, -1, -1)))

    def test_a_command_that_ignores_them_is_not_harmed(self):
        process, worker = self.following(f"{self.waiting('go')}; echo done 1 >&3; exit 6")
        before = cpu_seconds(process)
        number = worker.start()
        self.fill(worker, number)
        self.let("go")
        self.assert_exited(worker.ended(), 6)
        self.assertEqual(worker.progress, [1])
        self.assertLess(cpu_seconds(process) - before, 5)

    def test_the_newest_one_waits_for_room(self):
        _, worker = self.following(
            f"{self.waiting('go')}; while read -r _ last <&4; do [ $last != 0 ] || exit 9; done")
        number = worker.start()
        self.fill(worker, number)
        worker.send(launcher.limit(number, 0))  # not lower: changes nothing
        self.let("go")
        self.assert_exited(worker.ended(), 9)

    def test_a_command_may_close_the_descriptor(self):
        for closed_when_full in (False, True):
            with self.subTest(closed_when_full=closed_when_full):
                process, worker = self.following(
                    f"{self.waiting('close')}; exec 4<&-; echo done 1 >&3; {self.waiting('go')}; exit 3")
                number = worker.start()
                if closed_when_full:
                    self.fill(worker, number)
                self.let("close")
                worker.await_progress(1)
                worker.send(launcher.limit(number, 8) + launcher.limit(number, 7))
                self.let("go")
                self.assert_exited(worker.ended(), 3)
                self.assertIsNone(process.poll())
                for name in ("close", "go"):
                    (self.folder / name).unlink()

    def test_commands_have_the_usual_signals(self):
        _, worker = self.over_socketpair(["cat", "/proc/self/status"], follows=True)
        lines = worker.run().output.decode().splitlines()
        fields = dict(line.split(":\t", 1) for line in lines)
        self.assertEqual({int(fields[name], 16) for name in ("SigBlk", "SigIgn", "SigCgt", "SigPnd")}, {0})

    def test_a_stopped_command_ends_with_its_pipes_full(self):
        _, worker = self.following(f"echo done 1 >&3; while :; do sleep {FOREVER}; done")
        number = worker.start()
        worker.await_progress(1)
        self.fill(worker, number)
        worker.send(launcher.stop(number))
        self.assert_killed(worker.ended(), signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
