"""No command and nothing that it started outlives what asked for it."""

import os
import signal
import struct
import unittest

import launcher
from launcher import LauncherTest, alive, children, eventually

FOREVER = 1000  # seconds


class Endings(LauncherTest):
    def family(self, name="grandchild", trap=""):
        """A shell with a child and a grandchild; the grandchild's number goes into a file."""
        grandchild = f"{trap} echo $$ >{self.folder}/{name}.part; mv {self.folder}/{name}.part " \
                     f"{self.folder}/{name}; while :; do sleep {FOREVER}; done"
        return f"{trap} (sh -c '{grandchild}'; :) & wait"

    def test_stop_ends_the_whole_group(self):
        process, worker = self.over_socketpair(["/bin/sh", "-c", self.family()])
        number = worker.start()
        pid = self.pid_in("grandchild")
        worker.send(launcher.stop(number))
        self.assert_killed(worker.ended(), signal.SIGTERM)
        eventually(lambda: not alive(pid), "the grandchild is dead")
        eventually(lambda: not children(process.pid), "everything is collected")

    def test_who_ignores_the_friendly_signal_is_killed_after_the_grace(self):
        worker = self.shell(self.family(trap='trap "" TERM;'), grace_ms=200)
        number = worker.start()
        pid = self.pid_in("grandchild")
        worker.send(launcher.stop(number) * 3)
        ended = worker.ended()
        self.assert_killed(ended)
        self.assertGreater(ended.wall_ns, 200_000_000)
        eventually(lambda: not alive(pid), "the grandchild is dead")

    def test_a_command_may_end_well_within_the_grace(self):
        worker = self.shell("trap 'echo tidy; exit 5' TERM; echo $$ >$FILE; while :; do sleep 0.01; done",
                            variables=[f"FILE={self.folder}/own"], grace_ms=60_000)
        number = worker.start()
        self.pid_in("own")
        worker.send(launcher.stop(number))
        ended = worker.ended()
        self.assert_exited(ended, 5)
        self.assertEqual(ended.output, b"tidy\n")

    def test_a_stopped_process_hears_it_too(self):
        worker = self.shell(f"echo $$ >{self.folder}/own; kill -STOP $$; sleep {FOREVER}",
                            grace_ms=60_000)
        number = worker.start()
        self.pid_in("own")
        worker.send(launcher.stop(number))
        self.assert_killed(worker.ended(), signal.SIGTERM)

    def test_stop_for_a_run_that_is_over_changes_nothing(self):
        worker = self.shell("echo $N", variables=["N="])
        number = worker.start()
        worker.ended()
        worker.send(launcher.stop(number))
        self.assertEqual(worker.run(variables={0: "N=2"}).output, b"2\n")

    def test_what_runs_on_in_the_background_ends_with_its_command(self):
        worker = self.shell(f"sh -c 'echo $$ >{self.folder}/left; exec sleep {FOREVER}' & "
                            f"while ! [ -s {self.folder}/left ]; do sleep 0.01; done; echo done")
        ended = worker.run()
        self.assert_exited(ended)
        self.assertEqual(ended.output, b"done\n")
        eventually(lambda: not alive(self.pid_in("left")), "the background is dead")

    def test_a_session_of_its_own_ends_with_the_worker(self):
        process, worker = self.over_socketpair(
            ["/bin/sh", "-c", f"setsid sh -c 'echo $$ >{self.folder}/left; exec sleep {FOREVER}' & "
             f"while ! [ -s {self.folder}/left ]; do sleep 0.01; done"])
        self.assert_exited(worker.run())
        pid = self.pid_in("left")
        self.assertTrue(alive(pid))
        worker.close()
        self.assertEqual(process.wait(launcher.PATIENCE), 0)
        self.assertFalse(alive(pid))

    def test_orphans_are_collected(self):
        process, worker = self.over_socketpair(["/bin/sh", "-c", "(sleep 0.05 & sleep 0.05 &) ; sleep 0.2"])
        for _ in range(3):
            self.assert_exited(worker.run())
        eventually(lambda: not children(process.pid), "no zombie is left")

    def test_a_lost_worker_ends_its_command(self):
        process, worker = self.over_socketpair(["/bin/sh", "-c", self.family()])
        worker.start()
        pid = self.pid_in("grandchild")
        worker.close()
        self.assertEqual(process.wait(launcher.PATIENCE), 0)
        self.assertFalse(alive(pid))

    def test_the_command_dies_with_the_launcher(self):
        process, worker = self.over_socketpair(
            ["/bin/sh", "-c", f"echo $$ >{self.folder}/own; exec sleep {FOREVER}"])
        worker.start()
        pid = self.pid_in("own")
        process.kill()
        eventually(lambda: not alive(pid), "the command is dead")


class Listening(LauncherTest):
    def test_several_workers_run_side_by_side(self):
        process, path = self.listening()
        meeting = f"touch {self.folder}/here-$N; while [ $(ls {self.folder} | grep -c here) -lt 4 ]; " \
                  "do sleep 0.01; done; echo $N"
        workers = [self.connected(path, ["/bin/sh", "-c", meeting], variables=["N="])
                   for _ in range(4)]
        for n, worker in enumerate(workers):
            worker.start(variables={0: f"N={n}"})
        self.assertEqual([worker.ended().output for worker in workers],
                         [b"0\n", b"1\n", b"2\n", b"3\n"])
        self.assertEqual(path.stat().st_mode & 0o777, 0o666)
        self.assertIsNone(process.poll())

    def test_a_worker_that_leaves_takes_nobody_elses_command_along(self):
        _, path = self.listening()
        script = f"echo $$ >{self.folder}/$NAME; trap 'exit 4' USR1; while :; do sleep 0.01; done"
        leaving = self.connected(path, ["/bin/sh", "-c", script], variables=["NAME=leaving"])
        staying = self.connected(path, ["/bin/sh", "-c", script], variables=["NAME=staying"])
        leaving.start()
        staying.start()
        gone, there = self.pid_in("leaving"), self.pid_in("staying")
        leaving.close()
        eventually(lambda: not alive(gone), "its command is dead")
        os.kill(there, signal.SIGUSR1)
        self.assert_exited(staying.ended(), 4)

    def test_it_ends_when_told_to_and_idle(self):
        process, path = self.listening()
        process.terminate()
        self.assertEqual(process.wait(launcher.PATIENCE), 0)
        self.assertFalse(path.exists())

    def test_told_to_end_it_lets_a_worker_finish(self):
        process, path = self.listening()
        worker = self.connected(path, ["/bin/sh", "-c", "echo $$ >$F; sleep 0.3; echo whole"],
                                variables=[f"F={self.folder}/own"])
        worker.start()
        self.pid_in("own")
        process.terminate()
        self.assertEqual(worker.ended().output, b"whole\n")
        worker.close()
        self.assertEqual(process.wait(launcher.PATIENCE), 0)

    def test_told_twice_it_kills(self):
        process, path = self.listening()
        worker = self.connected(path, ["/bin/sh", "-c", f"echo $$ >{self.folder}/own; sleep {FOREVER}"])
        worker.start()
        pid = self.pid_in("own")
        process.terminate()
        eventually(lambda: not path.exists(), "it listens no more")
        process.terminate()
        self.assertEqual(process.wait(launcher.PATIENCE), 0)
        self.assertFalse(alive(pid))

    def test_a_socket_that_was_left_is_replaced(self):
        process, path = self.listening()
        process.kill()
        process.wait()
        self.assertTrue(path.is_socket())
        self.started(launcher.LAUNCHER, "serve", str(path))
        self.assert_exited(self.connected(path, ["/bin/true"]).run())

    def test_who_talks_nonsense_is_let_go_alone(self):
        _, path = self.listening()
        honest = self.connected(path, ["/bin/true"])
        run, job = launcher.run, launcher.job
        for nonsense in (b"GET / HTTP/1.1\r\n\r\n", struct.pack("<IB", 0, 1),
                         struct.pack("<IB", 0xFFFFFFFF, 1), launcher.frame(99, b""),
                         launcher.hello(version=77) + job(["/bin/true"]), job(["/bin/true"]),
                         launcher.hello() + run(1), launcher.hello() + job([]),
                         launcher.hello() + job(["/bin/true"]) + job(["/bin/true"]),
                         launcher.hello() + job(["/bin/true"]) + run(1, words={7: "x"}),
                         launcher.hello() + job(["/bin/true"], limit=(1 << 20) + 1),
                         launcher.hello() + job(["/bin/\0true"]),
                         launcher.hello() + job(["x" * 131072]),
                         launcher.hello() + job(["/bin/true"]) + launcher.limit(1, -1),
                         launcher.hello() + job(["/bin/true"]) + launcher.limit(1, 10**12 + 1),
                         launcher.hello() + job(["/bin/true"])
                         + launcher.frame(launcher.PROGRESS, struct.pack("<Qq", 1, 1))):
            with self.subTest(nonsense=nonsense[:40]):
                connection = launcher.socket.socket(launcher.socket.AF_UNIX)
                connection.connect(str(path))
                stranger = launcher.Worker(connection)
                stranger.receive()
                stranger.send(nonsense)
                with self.assertRaises((EOFError, ConnectionResetError)):
                    stranger.receive()
                stranger.close()
        self.assert_exited(honest.run())


if __name__ == "__main__":
    unittest.main()
