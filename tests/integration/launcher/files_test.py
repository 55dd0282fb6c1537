"""The directory of a task: files are opened and found without following links, and all is removed."""

import os
import shutil
import socket
import unittest

import launcher
from launcher import LauncherTest

ROOT = os.geteuid() == 0


class FilesTest(LauncherTest):
    def setUp(self):
        super().setUp()
        self.tasks = self.folder / "tasks"
        self.directory = self.tasks / "1"
        self.directory.mkdir(parents=True)
        self.outside = self.folder / "outside"
        self.outside.mkdir()
        (self.outside / "secret").write_text("secret")

    def write(self, name, content=b"x"):
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path


class Opening(FilesTest):
    def open(self, path):
        return self.worker(["true"]).open(self.directory, path)

    def test_a_regular_file(self):
        self.write("out/a b.txt", b"content")
        status, _, descriptor = self.open("out/a b.txt")
        self.assertEqual(status, launcher.FILE)
        self.addCleanup(os.close, descriptor)
        self.assertEqual(os.pread(descriptor, 100, 0), b"content")

    def test_anything_else_is_told_apart(self):
        (self.directory / "folder").mkdir()
        os.mkfifo(self.directory / "fifo")
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(self.directory / "socket"))
        for target, name in ((self.outside / "secret", "absolute"), ("../../outside/secret", "above"),
                             ("missing", "dangling"), ("regular", "inside"), ("loop", "loop")):
            (self.directory / name).symlink_to(target)
        self.write("regular")
        (self.directory / "way").symlink_to(self.outside)
        expected = {"folder": launcher.FOLDER, "fifo": launcher.FIFO, "socket": launcher.SOCKET,
                    **dict.fromkeys(("absolute", "above", "dangling", "inside", "loop"), launcher.LINK)}
        if ROOT:
            os.mknod(self.directory / "null", 0o20666, os.makedev(1, 3))
            expected["null"] = launcher.DEVICE
        for name, status in expected.items():
            self.assertEqual(self.open(name), (status, 0, None), name)
        for name in ("none", "way/secret", "regular/x", "none/x"):
            status, error, descriptor = self.open(name)
            self.assertEqual((status, descriptor), (launcher.FAILED, None), name)
            self.assertGreater(error, 0)

    def test_several_one_after_the_other(self):
        worker = self.worker(["true"])
        for n in range(300):
            self.write(f"{n}", str(n).encode())
        for n in range(300):
            status, _, descriptor = worker.open(self.directory, str(n))
            self.assertEqual((status, os.read(descriptor, 10)), (launcher.FILE, str(n).encode()))
            os.close(descriptor)
        self.assert_exited(worker.run())

    def test_requests_out_of_turn_end_the_connection(self):
        self.write("a")
        busy = self.shell("sleep 1000")
        busy.start()
        busy.send(launcher.frame(launcher.OPEN, launcher.text(str(self.directory)) + launcher.text("a")))
        with self.assertRaises(EOFError):
            busy.receive()
        for path in ("../outside/secret", "/etc/passwd", "", "a//b", "."):
            worker = self.worker(["true"])
            worker.send(launcher.frame(launcher.OPEN,
                                       launcher.text(str(self.directory)) + launcher.text(path)))
            with self.assertRaises(EOFError):
                worker.receive()


class Finding(FilesTest):
    def names(self, glob, **more):
        status, _, names = self.worker(["true"]).find(self.directory, glob, **more)
        self.assertEqual(status, launcher.FILE)
        return [name.decode() for name in names]

    def test_globs_match_within_a_component(self):
        for name in ("a.txt", "b.txt", "c.jpg", ".hidden.txt", "out/x.txt", "out/deep/y.txt",
                     "log-1/z.txt", "log-22/z.txt", "a*b", "axb"):
            self.write(name)
        for glob, expected in (("*.txt", ["a.txt", "b.txt"]), ("*/*.txt", ["log-1/z.txt", "log-22/z.txt",
                                                                           "out/x.txt"]),
                               ("log-?/*", ["log-1/z.txt"]), ("[a-b].txt", ["a.txt", "b.txt"]),
                               (".*", [".hidden.txt"]), ("out/*", ["out/x.txt"]), ("none/*", []),
                               ("a\\*b*", ["a*b"]), ("out/deep/*", ["out/deep/y.txt"])):
            self.assertEqual(self.names(glob), expected, glob)

    def test_links_are_found_and_never_followed(self):
        (self.directory / "way").symlink_to(self.outside)
        (self.directory / "x").symlink_to(self.outside / "secret")
        self.assertEqual(self.names("*"), ["way", "x"])
        self.assertEqual(self.names("*/*"), [])
        self.assertEqual(self.names("way/*"), [])

    def test_the_number_is_bounded(self):
        for n in range(11):
            self.write(str(n))
        self.assertEqual(len(self.names("*", max_files=11)), 11)
        self.assertEqual(self.worker(["true"]).find(self.directory, "*", 10),
                         (launcher.TOO_MANY, 0, []))
        status, error, _ = self.worker(["true"]).find(self.directory / "none", "*")
        self.assertEqual((status, error), (launcher.FAILED, 2))


class Removing(FilesTest):
    def check_removed(self, worker=None):
        self.assertEqual((worker or self.worker(["true"])).remove(self.directory), 0)
        self.assertFalse(os.path.lexists(self.directory))
        self.assertEqual((self.outside / "secret").read_text(), "secret")

    def test_whatever_is_in_it(self):
        self.write("a/b/c")
        (self.directory / "way").symlink_to(self.outside)
        (self.directory / "a" / "file").symlink_to(self.outside / "secret")
        os.mkfifo(self.directory / "fifo")
        self.write("a/line\nbreak")
        self.write("a/" + "n" * 255)
        self.write("locked/inner/file")
        os.chmod(self.directory / "locked" / "inner", 0)
        os.chmod(self.directory / "locked", 0)
        os.chmod(self.directory, 0o500)
        self.check_removed()

    def test_names_that_the_removal_uses(self):
        for n in range(1, 5):
            self.write(f".removed-{n}", b"file")
        self.write("a/b/c/d/e/f/g")
        self.write("b/.removed-1/x")
        self.check_removed()

    def test_a_deep_tree(self):
        # Paths are longer than the kernel takes, and more folders than a process may have open.
        script = "import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')\nopen('x', 'w')"
        worker = self.worker(["python3", "-c", script])
        self.assert_exited(worker.run(folder=self.directory))
        self.check_removed(worker)

    def test_what_is_not_there(self):
        self.assertEqual(self.worker(["true"]).remove(self.tasks / "none"), 0)
        link = self.tasks / "link"
        link.symlink_to(self.outside)
        self.assertNotEqual(self.worker(["true"]).remove(link), 0)
        self.assertEqual((self.outside / "secret").read_text(), "secret")

    @unittest.skipUnless(ROOT, "only root may become another user")
    def test_a_directory_in_that_of_another_user(self):
        """As on a cluster: the worker has made the directory, and the command runs as another user."""
        os.chmod(self.folder, 0o755)
        os.chmod(self.tasks, 0o711)
        self.write("inputs/model.bin")
        os.chmod(self.directory, 0o777)
        os.chmod(self.directory / "inputs", 0o777)

        def become_nobody():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        program = self.folder / "launcher"
        shutil.copy(launcher.LAUNCHER, program)
        _, worker = self.over_socketpair(
            ["/bin/sh", "-c", "mkdir -p a/b && echo x > a/b/c && chmod 0 a/b && echo y > inputs/own"],
            program=program, popen={"preexec_fn": become_nobody})
        self.assert_exited(worker.run(folder=self.directory))
        self.assertEqual(worker.remove(self.directory), 0)
        self.assertEqual(os.listdir(self.directory), [])


class Running(FilesTest):
    def test_each_run_has_a_directory_of_its_own(self):
        other = self.tasks / "2"
        other.mkdir()
        worker = self.shell("pwd", folder=str(self.folder))
        for folder in (self.directory, other, self.directory):
            ended = worker.run(folder=folder)
            self.assertEqual(ended.output.decode().strip(), str(folder))
        self.assertEqual(worker.run().output.decode().strip(), str(self.folder))
        self.assertEqual(worker.run(folder=self.tasks / "none").ending, launcher.NO_FOLDER)


if __name__ == "__main__":
    unittest.main()
