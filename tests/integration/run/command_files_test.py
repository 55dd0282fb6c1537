"""Input and output files of tasks: exact whatever happens, and nothing outside of a task's directory."""

import json
import os
import signal
import subprocess
import unittest

import evenkeel
from bad_input_test import BadInputTest
from evenkeel import RunTest, eventually, job, node, nodes

THREE = nodes(node("a"), node("b"), node("c"))
ROOT = os.geteuid() == 0
PATIENT = {"maxFailedTasks": 100, "backoffLimitPerTask": 0}


def with_files(script, sections=None, **command):
    words = ["/bin/sh", "-c", "set -e; " + script, "sh"] + ["{}"] * ("arguments" in command)
    return job("files", {"command": {"image": "example.com/tool:1", "command": words, **command}},
               **(sections or {}))


class FilesTest(RunTest):
    def files(self):
        """The content of each output file by its path."""
        root = self.output / "files"
        return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*")
                if not path.is_dir()}

    def rows(self):
        return [json.loads(line) for line in (self.output / "results.jsonl").read_text().splitlines()]

    def reasons(self):
        """Why tasks failed, by index."""
        return {row["index"]: row["reason"] for row in self.rows() if row["status"] == "failed"}

    def check_nothing_else(self):
        """Neither directories of tasks nor unfinished files are left."""
        self.assertFalse((self.output / ".tasks").exists())
        self.assertEqual([name for name in os.listdir(self.output / "files") if not name.isdigit()], [])

    def pictures(self, count):
        (self.folder / "pictures").mkdir()
        for n in range(count):
            self.write(f"pictures/{n}.png", f"picture {n}\n")
        (self.folder / "model").mkdir()
        self.write("model/weights.bin", "weights\n")
        self.write("model/labels.txt", "labels\n")
        self.write("tool.sh", "#!/bin/sh\ncat \"$@\"\n").chmod(0o755)
        return [f"pictures/{n}.png" for n in range(count)]

    def thumbnails(self, count, script="", **sections):
        return with_files(
            script + 'mkdir out log; ./tool.sh "$1" model/*.bin > out/$EVENKEEL_TASK_INDEX.jpg; '
            'echo "$1" > log/1.txt; echo other > log/other',
            arguments=self.pictures(count), inputs=["{}", "model/*", "tool.sh"],
            outputs=["out/{index}.jpg", "log/*.txt"], sections=sections)

    def check_thumbnails(self, count):
        expected = {}
        for n in range(count):
            expected[f"{n}/out/{n}.jpg"] = f"picture {n}\nweights\n"
            expected[f"{n}/log/1.txt"] = f"pictures/{n}.png\n"
        self.assertEqual(self.files(), expected)
        self.check_nothing_else()


class ExactFilesTest(FilesTest):
    def test_each_task_has_its_files(self):
        self.run_to_end(self.command(self.thumbnails(40), THREE))
        self.check_thumbnails(40)
        self.check_covered_once(40)

    def test_a_task_has_exactly_its_inputs_read_only(self):
        self.pictures(3)
        self.run_to_end(self.command(with_files(
            'pwd; echo "$EVENKEEL_TASK_DIRECTORY"; find . -type f | sort; '
            'stat -c %a pictures/1.png tool.sh; find . -type l | wc -l',
            arguments=["pictures/1.png"], inputs=["model/*.bin", "{}", "tool.sh", "pictures/1.png"])))
        lines = self.rows()[0]["stdout"].splitlines()
        self.assertEqual(lines[0], lines[1])
        self.assertTrue(lines[0].startswith(str(self.output / ".tasks")), lines[0])
        self.assertEqual(lines[2:], ["./model/weights.bin", "./pictures/1.png", "./tool.sh", "444",
                                     "555", "0"])

    def test_a_task_cannot_change_a_source(self):
        before = {name: (self.folder / name).read_text() for name in self.pictures(6)}
        self.run_to_end(self.command(with_files(
            'chmod -R u+w .; echo damaged > "$1"; echo damaged > model/weights.bin; rm model/labels.txt',
            arguments=list(before), inputs=["{}", "model/*"])))
        self.assertEqual({name: (self.folder / name).read_text() for name in before}, before)
        self.assertEqual((self.folder / "model/weights.bin").read_text(), "weights\n")
        self.assertTrue((self.folder / "model/labels.txt").exists())

    def test_arguments_are_never_globs(self):
        names = ["a*", "ab", "[x]", "x", "{index}", "b c", "ä"]
        for name in names:
            self.write(name, name)
        self.run_to_end(self.command(with_files(
            'ls -A | wc -l; mkdir "d$1"; cp "$1" "d$1/copy"', arguments=names, inputs=["{}"],
            outputs=["d{}/*"])))
        self.assertEqual(self.files(), {f"{n}/d{name}/copy": name for n, name in enumerate(names)})
        self.assertEqual({row["stdout"].strip() for row in self.rows()}, {"1"})

    def test_globs_of_outputs_may_match_nothing_and_leave_out_inputs(self):
        self.write("in.txt", "input")
        self.run_to_end(self.command(with_files(
            'mkdir folder; [ $EVENKEEL_TASK_INDEX = 0 ] || echo new > out.txt', tasks=2, inputs=["in.txt"],
            outputs=["*", "none-*"])))
        self.assertEqual(self.files(), {"1/out.txt": "new\n"})

    def test_large_and_empty_files(self):
        self.run_to_end(self.command(with_files(
            "head -c 40000000 /dev/urandom > big; : > empty; sha256sum < big", tasks=2,
            outputs=["big", "empty"])))
        for row in self.rows():
            path = self.output / "files" / str(row["index"])
            self.assertEqual((path / "empty").stat().st_size, 0)
            self.assertEqual((path / "big").stat().st_size, 40_000_000)

    def test_names_of_255_bytes(self):
        name = "n" * 251 + ".txt"
        self.write(name, "long")
        self.run_to_end(self.command(with_files(
            f'cp {name} {"m" * 255}; cp {name} {"o" * 255}', tasks=1, inputs=["n*.txt"],
            outputs=["m" * 255, "o*"])))
        self.assertEqual(sorted(self.files()), ["0/" + "m" * 255, "0/" + "o" * 255])

    def test_links_below_the_folder_are_followed(self):
        self.pictures(1)
        (self.folder / "current").symlink_to("model")
        (self.folder / "model" / "latest").symlink_to("weights.bin")
        self.run_to_end(self.command(with_files("cat current/* > out; test ! -L current/latest", tasks=1,
                                                inputs=["current/latest", "current/w*"], outputs=["out"])))
        self.assertEqual(self.files(), {"0/out": "weights\nweights\n"})

    def test_without_files_nothing_changes(self):
        self.run_to_end(self.command(with_files("pwd", tasks=1, inputs=[], outputs=[])))
        self.assertEqual(self.rows()[0]["stdout"].strip(), str(self.folder))
        self.assertFalse((self.output / "files").exists())


class FailingFilesTest(FilesTest):
    def run_failing(self, manifest, node_list=None):
        manifest["spec"]["taskPolicy"] = PATIENT
        self.run_to_end(self.command(manifest, node_list))
        self.check_nothing_else()
        return self.reasons()

    def test_outputs_that_are_no_regular_files(self):
        self.write("secret", "secret")
        kinds = ["ln -s /etc/passwd out", f"ln -s {self.folder}/secret out", "ln -s none out",
                 "mkdir out", "mkfifo out",
                 "exec python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"out\")'",
                 "true", "echo good > out", "touch out; chmod 0 out"]
        if ROOT:
            kinds.append("mknod out c 1 3")
        expected = {0: "output out is a symbolic link, must be a regular file",
                    1: "output out is a symbolic link, must be a regular file",
                    2: "output out is a symbolic link, must be a regular file",
                    3: "output out is a directory, must be a regular file",
                    4: "output out is a named pipe, must be a regular file",
                    5: "output out is a socket, must be a regular file",
                    6: "output out was not written",
                    9: "output out is a device, must be a regular file"}
        if not ROOT:
            expected[8] = "output out cannot be read: Permission denied"
        reasons = self.run_failing(with_files('eval "$1"', arguments=kinds, outputs=["out"]))
        self.assertEqual(reasons, {n: why for n, why in expected.items() if n < len(kinds)})
        self.assertEqual(self.files()["7/out"], "good\n")
        self.assertTrue(all("secret" not in text for text in self.files().values()))

    def test_links_on_the_way_are_not_followed(self):
        (self.folder / "way").mkdir()
        self.write("way/file", "secret")
        reasons = self.run_failing(with_files('[ "$1" = no ] || ln -s "$1" way; : > x',
                                              arguments=[str(self.folder / "way"), "/etc", "no"],
                                              outputs=["way/file", "w*/*"]))
        self.assertEqual(reasons, {
            0: "output way/file is not in a directory: a part of its path is a link or a file",
            1: "output way/file is not in a directory: a part of its path is a link or a file",
            2: "output way/file was not written"})
        self.assertEqual(self.files(), {})

    def test_globs_that_match_links(self):
        reasons = self.run_failing(with_files("ln -s /etc/passwd x.txt", tasks=1, outputs=["*.txt"]))
        self.assertEqual(reasons, {0: "output x.txt is a symbolic link, must be a regular file"})

    def test_a_name_with_a_line_break_is_one_line(self):
        reasons = self.run_failing(with_files("touch 'a\nb.txt'", tasks=1, outputs=["*.txt"]))
        self.assertEqual(reasons, {0: "output a?b.txt must not contain a line break or a NUL"})

    def test_limits(self):
        reasons = self.run_failing(with_files(
            "printf 12345 > a; printf 678901 > b", tasks=1, outputs=["a", "b"], outputFilesLimitBytes=10))
        self.assertEqual(reasons, {0: "outputs: more than outputFilesLimitBytes, 10 bytes, with b"})

    def test_a_limit_of_nothing(self):
        reasons = self.run_failing(with_files('printf "$1" > a', arguments=["", "x"], outputs=["a"],
                                              outputFilesLimitBytes=0))
        self.assertEqual(reasons, {1: "outputs: more than outputFilesLimitBytes, 0 bytes, with a"})
        self.assertEqual(self.files(), {"0/a": ""})

    def test_the_number_of_files_is_bounded(self):
        reasons = self.run_failing(with_files(
            'i=0; while [ $i -lt "$1" ]; do : > f$i; i=$((i+1)); done', arguments=["1000", "1001", "10000"],
            outputs=["f*"]))
        why = "outputs: more than 1000 files, which is the limit of a task"
        self.assertEqual(reasons, {1: why, 2: why})
        self.assertEqual(len(self.files()), 1000)

    def test_a_failed_command_leaves_no_files(self):
        self.run_failing(with_files('echo "$1" > out; exit "$1"', arguments=["0", "3"], outputs=["out"]))
        self.assertEqual(self.files(), {"0/out": "0\n"})
        self.assertEqual(self.rows()[1]["exitCode"], 3)

    def test_a_later_attempt_has_no_files_of_an_earlier_one(self):
        self.run_to_end(self.command(with_files(
            'ls -A | wc -l; echo $EVENKEEL_ATTEMPT > a-$EVENKEEL_ATTEMPT; [ $EVENKEEL_ATTEMPT = 2 ]',
            tasks=1, outputs=["a-*"], sections={"taskPolicy": {"backoffLimitPerTask": 3}})))
        self.assertEqual(self.files(), {"0/a-2": "2\n"})
        self.assertEqual(self.rows()[0]["stdout"], "0\n")

    def test_inputs_that_are_missing_or_wrong(self):
        self.write("there", "x")
        (self.folder / "folder").mkdir()
        os.mkfifo(self.folder / "fifo")
        (self.folder / "way").symlink_to("/etc")
        (self.folder / "dangling").symlink_to("none")
        names = ["there", "none", "folder", "fifo", "way/passwd", "dangling"]
        reasons = self.run_failing(with_files("true", arguments=names, inputs=["{}"]))
        self.assertEqual(reasons, {1: "input none: there is no such file",
                                   2: "input folder: is no ordinary file",
                                   3: "input fifo: is no ordinary file",
                                   4: "input way/passwd: leads out of the folder of the job's inputs",
                                   5: "input dangling: there is no such file"})

    def test_an_input_that_changes_while_the_job_runs(self):
        self.write("common", "before")
        manifest = with_files("cat common > out; [ $EVENKEEL_TASK_INDEX != 1 ] || "
                              f"echo after > {self.folder}/common", tasks=4, inputs=["common"],
                              outputs=["out"])
        reasons = self.run_failing(manifest, nodes(node("a", cpu="1")))
        self.assertTrue(reasons)
        self.assertEqual(set(reasons.values()), {"input common: changed while the job ran"})
        self.assertEqual(set(self.files().values()), {"before"})

    def test_what_a_task_leaves_is_removed(self):
        self.run_to_end(self.command(with_files(
            'mkdir -p a/b; : > a/b/c; ln -s / root; ln -s . self; mkfifo p; chmod 0 a/b a; '
            'i=0; while [ $i -lt 500 ]; do mkdir d; cd d; i=$((i+1)); done; chmod 0 .', tasks=3,
            outputs=["none*"])))
        self.check_nothing_else()


class InterruptedFilesTest(FilesTest):
    def test_killed_and_resumed(self):
        manifest = self.thumbnails(60, script="sleep 0.05; ")
        for at_least in (5, 25, 40):
            process = self.start(self.command(manifest, THREE))
            self.wait_for_tasks(process, at_least)
            workers = process.workers()
            process.signal(signal.SIGKILL)
            process.wait()
            self.check_no_worker_of(workers)
            durable = {index for row in self.journal_rows() for index in range(row[0], row[1])}
            stored = self.files()
            for n in durable:  # the files were there before the task counted
                self.assertEqual(stored[f"{n}/out/{n}.jpg"], f"picture {n}\nweights\n")
        self.run_to_end(self.command(manifest, THREE))
        self.check_thumbnails(60)
        self.check_covered_once(60)

    def test_a_worker_is_killed(self):
        manifest = self.thumbnails(60, script="mkdir -p x/y; chmod 0 x/y x; sleep 0.05; ")
        process = self.start(self.command(manifest, THREE))
        for at_least in (5, 20):
            self.wait_for_tasks(process, at_least)
            os.kill(next(iter(self.wait_for_workers(process, 3).values())), signal.SIGKILL)
        self.assertEqual(process.wait(), 0, process.err)
        self.check_thumbnails(60)
        self.check_covered_once(60)

    def test_an_interrupted_job_keeps_the_files_of_its_tasks(self):
        manifest = self.thumbnails(60, script="sleep 0.05; ")
        process = self.start(self.command(manifest, THREE))
        self.wait_for_tasks(process, 10)
        process.signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130, process.err)
        self.check_nothing_else()
        done = evenkeel.indexes(row[:2] for row in self.journal_rows())
        self.assertEqual({path.split("/")[0] for path in self.files()}, set(map(str, done)))
        self.run_to_end(self.command(manifest, THREE))
        self.check_thumbnails(60)

    def test_what_an_earlier_run_has_left_is_removed_without_following_links(self):
        precious = self.write("precious", "x")
        for folder in (".tasks/a/1-1", "files/.staged/7-1"):
            left = self.output / folder
            (left / "deep" / "er").mkdir(parents=True)
            (left / "way").symlink_to(self.folder)
            (left / "deep" / "er" / "file").symlink_to(precious)
            os.chmod(left / "deep", 0o500 if folder.startswith("files") else 0)
        self.run_to_end(self.command(self.thumbnails(3), THREE))
        self.assertEqual(precious.read_text(), "x")
        self.check_thumbnails(3)

    def test_a_rerun_replaces_the_files_of_its_tasks(self):
        self.write("version", "1")
        manifest = with_files('cat version > out; [ "$1" != 3 ] || [ "$(cat version)" = 2 ]',
                              arguments=[str(n) for n in range(6)], inputs=["version"], outputs=["out"],
                              sections={"taskPolicy": PATIENT})
        self.run_to_end(self.command(manifest))
        self.assertEqual(self.files(), {f"{n}/out": "1" for n in range(6) if n != 3})
        self.write("version", "2")
        self.run_to_end(["run", "--rerun-failed", self.output])
        self.assertEqual(self.files(), {f"{n}/out": "2" if n == 3 else "1" for n in range(6)})
        self.run_to_end(["run", "--rerun", self.output, "--indexes", "0,5"])
        self.assertEqual(self.files(), {f"{n}/out": "2" if n in (0, 3, 5) else "1" for n in range(6)})

    @unittest.skipUnless(ROOT, "only root may mount a file system")
    def test_a_full_disk(self):
        """The worker waits for room, and no task is charged with it."""
        self.output.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", self.output],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest("mount is not permitted: " + mounted.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", self.output], check=True)
        self.write("in", "x" * 1_000_000)
        # The command needs no room itself.
        manifest = with_files("ln in out", tasks=10, inputs=["in"], outputs=["out"],
                              sections={"taskPolicy": {"backoffLimitPerTask": 0}})
        process = self.start(self.command(manifest))
        eventually(lambda: "the worker leaves" in process.err or not process.running(), "the disk is full")
        subprocess.run(["mount", "-o", "remount,size=60m", self.output], check=True)
        without_journal = "no space left; run the same command again when there is room"
        if process.wait() != 0:  # there was no room for the journal either
            self.assertIn(without_journal, process.err)
            self.run_to_end(self.command(manifest))
        self.assertRegex(process.err, f"No space left on device; the worker leaves|{without_journal}")
        self.assertEqual({path: len(text) for path, text in self.files().items()},
                         {f"{n}/out": 1_000_000 for n in range(10)})
        self.check_nothing_else()
        self.check_covered_once(10)

    def test_appended_tasks_have_files_too(self):
        self.run_to_end(self.command(with_files("echo x > out", tasks=3, outputs=["out"])))
        self.run_to_end(self.command(with_files("echo x > out", tasks=5, outputs=["out"])))
        self.assertEqual(self.files(), {f"{n}/out": "x\n" for n in range(5)})


class BadFilesTest(BadInputTest):
    def test_each_is_one_line_and_nothing_is_started(self):
        self.write("good", "x")
        os.mkfifo(self.folder / "fifo")
        (self.folder / "way").symlink_to("/etc")
        (self.folder / "link").symlink_to("/etc/passwd")
        for inputs, *parts in ((["none"], "input none: there is no such file"),
                               (["n*"], "input n*: matches no file"),
                               (["fifo"], "input fifo: is no ordinary file"),
                               (["f*"], "input fifo: is no ordinary file"),
                               (["way/passwd"], "input way/passwd: leads out of"),
                               (["way/pass*"], "leads out of"),
                               (["link"], "input link: leads out of"),
                               (["/etc/passwd"], "spec.workload.command.inputs[0]", "must be relative"),
                               (["good", "../good"], "spec.workload.command.inputs[1]", ". or .."),
                               (["good", "good"], "spec.workload.command.inputs[1]", "twice"),
                               (["a\nb"], "spec.workload.command.inputs[0]", "line break"),
                               (["x" * 256], "spec.workload.command.inputs[0]", "255 bytes"),
                               ([""], "spec.workload.command.inputs[0]", "must not be empty")):
            with self.subTest(inputs=inputs):
                self.check_job(with_files("true", tasks=1, inputs=inputs), *parts)

    def test_an_argument_that_leads_out(self):
        self.check_job(with_files("true", arguments=["good", "../secret"], inputs=["{}"]),
                       "spec.workload.command.inputs: task 1", "../secret", "must not contain")


if __name__ == "__main__":
    evenkeel.main()
