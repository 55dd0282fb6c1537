"""Where the launcher has to live: images with nothing in them, as process 1, put there by a copy."""

import os
import pathlib
import shutil
import signal
import subprocess
import unittest

import launcher
from launcher import LAUNCHER, LauncherTest, alive, children, eventually

ROOT = os.geteuid() == 0


class Installing(LauncherTest):
    def install(self, folder):
        return subprocess.run([LAUNCHER, "install", str(folder)], capture_output=True, text=True,
                              timeout=launcher.PATIENCE)

    def test_it_copies_itself_as_often_as_it_is_told(self):
        for _ in range(2):
            self.assertEqual(self.install(self.folder / "bin").returncode, 0)
            self.assertEqual(sorted(os.listdir(self.folder / "bin")),
                             ["evenkeel-launcher", "evenkeel-range"])
        copy = self.folder / "bin" / "evenkeel-launcher"
        self.assertEqual(copy.read_bytes(), pathlib.Path(LAUNCHER).read_bytes())
        self.assertEqual(copy.stat().st_mode & 0o777, 0o755)
        done = subprocess.run([self.folder / "bin" / "evenkeel-range", "1", "2", "--", "echo"],
                              capture_output=True, text=True, timeout=launcher.PATIENCE)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "1\n2\n", ""))

    def test_it_makes_the_folder_of_the_directories_of_tasks(self):
        tasks = self.folder / "tasks"
        for _ in range(2):
            done = subprocess.run([LAUNCHER, "install", str(self.folder / "bin"), str(tasks)],
                                  capture_output=True, text=True, timeout=launcher.PATIENCE)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(tasks.stat().st_mode & 0o7777, 0o711)
            tasks.chmod(0o777)
        done = subprocess.run([LAUNCHER, "install", str(self.folder / "bin"), "/no/such/tasks"],
                              capture_output=True, text=True, timeout=launcher.PATIENCE)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))

    def test_it_says_where_it_cannot(self):
        (self.folder / "file").write_text("")
        done = self.install(self.folder / "file")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^evenkeel-launcher: .*/file.*: Not a directory\n$")
        (self.folder / "bin" / "evenkeel-range").mkdir(parents=True)
        done = self.install(self.folder / "bin")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^evenkeel-launcher: .*/bin/evenkeel-range: Is a directory\n$")
        self.assertEqual(sorted(os.listdir(self.folder / "bin")),
                         ["evenkeel-launcher", "evenkeel-range"])

    def test_help(self):
        for option in ("--help", "-h"):
            done = subprocess.run([LAUNCHER, option], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith("Usage: evenkeel-launcher "))

    def test_bad_usage(self):
        for arguments in ([], ["serve"], ["install"], ["serve", "--fd", "3", "x"], ["help"]):
            done = subprocess.run([LAUNCHER, *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertTrue(done.stderr.startswith("Usage: "))
        done = subprocess.run([LAUNCHER, "serve", "--fd", "none"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        done = subprocess.run([LAUNCHER, "serve", "/no/such/folder/s"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))


@unittest.skipIf(launcher.SANITIZED, "with sanitizers it is no static program")
class FromScratch(LauncherTest):
    @unittest.skipUnless(ROOT, "only root may change the root of a process")
    def test_it_needs_nothing_of_the_image(self):
        root = self.folder / "root"
        root.mkdir()
        shutil.copy(LAUNCHER, root / "program")

        def enter():
            os.chroot(root)
            os.chdir("/")
        process, worker = self.over_socketpair(["/program", "serve"], program="/program",
                                               popen={"preexec_fn": enter, "env": {}})
        for _ in range(3):
            ended = worker.run()
            self.assert_exited(ended, 2)
            self.assertTrue(ended.error.startswith(b"Usage: "))
        self.assertEqual(worker.run(words={0: "/bin/sh"}).ending, launcher.NO_PROGRAM)
        self.assertEqual(worker.run(words={0: "sh"}).ending, launcher.NO_PROGRAM)
        worker.close()
        self.assertEqual(process.wait(launcher.PATIENCE), 0)
        self.assertEqual(os.listdir(root), ["program"])

    def test_it_is_small(self):
        self.assertLess(pathlib.Path(LAUNCHER).stat().st_size, 2 << 20)


@unittest.skipUnless(ROOT, "only root may make a namespace of processes")
class AsProcessOne(LauncherTest):
    def start_in_namespace(self):
        path = self.folder / "run.sock"
        outer = self.started("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", LAUNCHER,
                             "serve", str(path))
        eventually(path.is_socket, "a socket")
        (one,) = children(outer.pid)
        return outer, one, path

    def test_it_collects_orphans_and_ends_when_told_to(self):
        outer, one, path = self.start_in_namespace()
        asleep = self.folder / "asleep"
        worker = self.connected(path, ["/bin/sh", "-c", f"(true &); "
                                       f"(setsid sh -c 'echo >{asleep}; exec sleep 1000' &); "
                                       f"while ! [ -s {asleep} ]; do sleep 0.01; done"])
        self.assert_exited(worker.run())
        (service,) = children(one)
        eventually(lambda: len(children(service)) == 1, "only what sleeps is left")
        (sleeper,) = children(service)
        worker.close()
        eventually(lambda: not alive(sleeper), "that is killed when the worker has left")
        eventually(lambda: not children(one), "so has what served it")
        os.kill(one, signal.SIGTERM)
        self.assertEqual(outer.wait(launcher.PATIENCE), 0)

    def test_what_a_lost_service_leaves_is_killed_too(self):
        _, one, path = self.start_in_namespace()
        asleep = self.folder / "asleep"
        worker = self.connected(path, ["/bin/sh", "-c", f"setsid sh -c 'echo >{asleep}; exec sleep 1000'"])
        worker.start()
        eventually(asleep.exists, "it sleeps")
        (service,) = children(one)
        (shell,) = children(service)
        os.kill(service, signal.SIGKILL)
        eventually(lambda: not children(one), "nothing is left")
        self.assertFalse(alive(shell))


if __name__ == "__main__":
    unittest.main()
