"""kubectl evenkeel results: all files arrive complete, or none does and one line has the reason."""

import json
import os
import signal
import urllib.parse

import plugin
from plugin import JOBS, PluginTest, job, pod


class ResultsTest(PluginTest):
    def test_everything_arrives(self):
        big = os.urandom(3_000_000)
        self.pages["results/primes.npy"] = big
        out, err = self.run_plugin("results", "primes")
        self.assertEqual(err, "")
        self.assertEqual(self.files(), {
            "primes.npy": big, "summary.json": self.pages["summary.json"].encode(),
            "timeline.jsonl": b"{}\n", "report.html": b"<html>", "metrics.prom": b"up 1\n"})
        self.assertEqual(out.splitlines()[0], "evenkeel-primes/primes.npy  3.00 MB")
        self.assertEqual(out.splitlines()[-1].split()[0], "evenkeel-primes/summary.json")

    def test_flags_reach_kubectl(self):
        self.run_plugin("-n", "lab", "--context", "pi lab", "results", "primes", "--output", "here",
                        "--kubeconfig", "x;y", "--as=me")
        flags = {"--context=pi lab", "--kubeconfig=x;y", "--as=me", "--namespace=lab"}
        for call in self.calls():
            self.assertTrue(flags <= set(call), call)
        forward = [call for call in self.calls() if call[0] == "port-forward"]
        self.assertEqual(len(forward), 1)
        self.assertEqual(forward[0][1:5], ["--address=127.0.0.1", "--namespace=lab",
                                           "pod/primes-coordinator-1", ":7403"])
        self.assertIn("primes.npy", self.files("here"))

    def test_sizes_in_the_list_are_checked(self):
        self.pages["index.json"] = json.dumps([{"name": "primes.npy", "bytes": 7}])
        self.run_plugin("results", "primes")
        for size in (6, 8):
            with self.subTest(size=size):
                self.pages["index.json"] = json.dumps([{"name": "primes.npy", "bytes": size}])
                self.check_refused("results", "primes", "--output", f"wrong{size}", code=1)
                self.assertEqual(self.files(f"wrong{size}"), {})

    def test_a_connection_that_breaks_is_made_again(self):
        self.pages["results/primes.npy"] = os.urandom(2_000_000)
        self.forwards = [{"break": "/results/primes.npy"}, {"break": "/report.html"}, "serve"]
        _, err = self.run_plugin("results", "primes")
        self.assertEqual(self.files()["primes.npy"], self.pages["results/primes.npy"])
        self.assertEqual(err.count("lost connection to pod"), 2, err)
        self.assertEqual(err.count("trying again"), 2, err)

    def test_a_connection_that_always_breaks_is_given_up(self):
        self.forwards = ["refuse"]
        _, err = self.run_plugin("results", "primes", code=1)
        self.assertEqual(err.count("trying again"), 4)
        self.assertIn("unable to forward port", err.splitlines()[-1])
        self.assertIsNone(self.files())

    def test_hostile_lists_write_nothing(self):
        for names in (["../../evil"], ["/etc/evil"], ["a/b"], ["..\\evil"], ["summary.json"],
                      [".bashrc"], ["ok", "ok"], ["\x1b[2J"], {"a": 1}, "x"):
            with self.subTest(names=names):
                self.pages["index.json"] = json.dumps(names)
                self.check_refused("results", "primes", code=1, says=["list of results"])
                self.assertIsNone(self.files())
        self.pages["index.json"] = "[" * 900_000
        self.check_refused("results", "primes", code=1, says=["list of results"])
        self.pages["index.json"] = " " * 2_000_000
        self.check_refused("results", "primes", code=1, says=["larger than allowed"])
        self.assertEqual(sorted(path.name for path in self.root.iterdir()), ["bin", "cluster", "work"])

    def test_a_job_that_is_not_complete(self):
        self.objects[f"{JOBS} primes"] = job(complete=False)
        self.check_refused("results", "primes", code=1,
                           says=["not complete: Progressing, 25% done (1 of 4 tasks)", "--partial"])
        self.assertIsNone(self.files())
        (self.cluster / "pages.json").write_text(json.dumps({"/report.html": 503}))
        self.pages["index.json"] = "[]"
        self.run_plugin("results", "primes", "--partial")
        self.assertEqual(sorted(self.files()), ["metrics.prom", "summary.json", "timeline.jsonl"])

    def test_a_page_that_is_missing(self):
        (self.cluster / "pages.json").write_text(json.dumps({"/summary.json": 404}))
        self.check_refused("results", "primes", code=1, says=["/summary.json"])
        (self.cluster / "pages.json").write_text(json.dumps({"/results/primes.npy": 404}))
        self.check_refused("results", "primes", code=1, says=["/results/primes.npy"])

    def test_the_coordinator_has_gone(self):
        self.objects["pods"] = {"items": []}
        self.check_refused("results", "primes", code=1, says=[
            "no coordinator pod", "without a claim (spec.resultStorage) its results went with it"])
        self.objects[f"{JOBS} primes"]["spec"] = {
            "resultStorage": {"persistentVolumeClaim": "my-claim"}}
        self.check_refused("results", "primes", code=1, says=["in the claim my-claim"])

    def test_the_coordinator_of_the_latest_attempt_is_asked(self):
        self.objects["pods"] = {"items": [pod("primes-coordinator-1"),
                                          pod("primes-coordinator-2", attempt="2")]}
        self.run_plugin("results", "primes")
        self.assertIn("pod/primes-coordinator-2", self.calls()[-1])

    def test_bad_input(self):
        for arguments, says in ((["results", "../primes"], "JOB"), (["results", "Primes"], "JOB"),
                                (["results"], "job"), ([], "results, top, explain, ui"),
                                (["fly", "primes"], "results, top, explain, ui"),
                                (["results", "a", "b"], "b"), (["top", "-n", "a b"], "amespace"),
                                (["results", "missing"], "not found")):
            with self.subTest(arguments=arguments):
                self.check_refused(*arguments, code=2, says=[says])
        (self.folder / "file").write_text("")
        self.check_refused("results", "primes", "--output", "file", code=2, says=["not a folder"])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["file"])

    def test_a_folder_of_another_job(self):
        self.run_plugin("results", "primes")
        self.objects[f"{JOBS} other"] = job("other")
        self.check_refused("results", "other", "--output", "evenkeel-primes", code=2,
                           says=["that of the job primes"])

    def test_kubectl_in_trouble(self):
        for answer, says in (
                ("Error from server (Forbidden): weightedjobs is forbidden", "is forbidden"),
                ("Unable to connect to the server: dial tcp: i/o timeout", "Unable to connect"),
                ("error: the server doesn't have a resource type \"x\"", "Evenkeel installed"),
                ("warning\n\x1b[31merror: red", "?[31merror"), ([], "JSON")):
            with self.subTest(answer=answer):
                self.objects[f"{JOBS} primes"] = answer
                self.check_refused("results", "primes", code=1, says=[says])
        self.environment["PATH"] = str(self.folder)
        self.check_refused("results", "primes", code=1, says=["kubectl cannot be started"])

    def test_signals_end_it_with_its_children(self):
        self.forwards = ["silent"]
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                process = self.start("results", "primes")
                before = len(self.calls())
                plugin.eventually(lambda: len(self.calls()) == before + 3 and plugin.children_of(process),
                                  "the port is being forwarded")
                children = plugin.children_of(process)
                process.send_signal(number)
                _, err = process.communicate(timeout=plugin.PATIENCE)
                self.assertEqual((process.returncode, err), (130, ""))
                for child in children:
                    self.assertFalse(os.path.exists(f"/proc/{child}"))
        self.assertIsNone(self.files())


class OutputFilesTest(PluginTest):
    """kubectl evenkeel results JOB --files DIR"""

    NAMES = {0: [b"a.txt", b"sub/deep/b c%.txt"], 2: [b"na\xc3\xafve", b"\xff\x01?#&", b".hidden", b"x" * 255],
             3: [b"empty"]}

    def setUp(self):
        super().setUp()
        self.objects[f"{JOBS} primes"] = job(tasks={"total": 9, "completed": 9})
        self.objects[f"{JOBS} primes"]["spec"] = {"workload": {"command": {"outputs": ["*"]}}}
        self.list_tasks([[0, 0], [2, 3]])
        for task, names in self.NAMES.items():
            for name in names:
                self.pages[f"files/{task}/{os.fsdecode(name)}"] = self.content(name)
            self.list_files(task, [(name, len(self.content(name))) for name in names])

    @staticmethod
    def content(name):
        return b"" if name == b"empty" else name * 7

    def list_tasks(self, ranges, **more):
        self.pages["files/list.json"] = json.dumps({"tasks": ranges, **more})

    def list_files(self, task, files):
        self.pages[f"files/{task}/list.json"] = json.dumps(
            [{"path": urllib.parse.quote(name), "bytes": size} for name, size in files])

    def brought(self, folder="out"):
        root = os.fsencode(self.folder / folder)
        found = {}
        for path, _, names in os.walk(root):
            for name in names:
                with open(os.path.join(path, name), "rb") as file:
                    found[os.path.relpath(os.path.join(path, name), root)] = file.read()
        return found

    def expected(self, tasks=(0, 2, 3)):
        return {b"%d/%s" % (task, name): self.content(name) for task in tasks for name in self.NAMES[task]}

    def test_all_files_arrive(self):
        out, err = self.run_plugin("results", "primes", "--files", "out")
        self.assertEqual((out, err), ("7 files of 3 tasks, 2.06 kB, in out\n", ""))
        self.assertEqual(self.brought(), self.expected())

    def test_some_tasks(self):
        self.pages["files/list-from=1.json"] = json.dumps({"tasks": [[2, 3]]})
        out, _ = self.run_plugin("results", "primes", "--files", "out", "--indexes", "1-2")
        self.assertEqual(out, "4 files of 1 task, 1.91 kB, in out; there are none of task 1\n")
        self.assertEqual(self.brought(), self.expected([2]))

    def test_tasks_may_be_listed_in_parts(self):
        self.objects[f"{JOBS} primes"]["status"]["tasks"] = {"total": 3_000_000, "completed": 3_000_000}
        self.list_tasks([[0, 0], [3, 3]], next=2_000_002)
        self.pages["files/list-from=2000002.json"] = json.dumps({"tasks": [[2_000_002, 2_000_002]]})
        self.list_files(2_000_002, [(b"last", 4)])
        self.pages["files/2000002/last"] = b"last"
        out, _ = self.run_plugin("results", "primes", "--files", "out")
        self.assertEqual(out, "4 files of 3 tasks, 158 bytes, in out\n")
        self.assertEqual(self.brought(), {**self.expected([0, 3]), b"2000002/last": b"last"})

    def test_files_are_replaced_and_others_stay(self):
        (self.folder / "out" / "0").mkdir(parents=True)
        (self.folder / "out" / "0" / "a.txt").write_text("x" * len(self.content(b"a.txt")))
        (self.folder / "out" / "0" / "mine").write_text("mine")
        self.run_plugin("results", "primes", "--files", "out")
        self.assertEqual(self.brought(), {**self.expected(), b"0/mine": b"mine"})

    def test_a_connection_that_breaks_is_made_again(self):
        self.pages["files/0/a.txt"] = os.urandom(2_000_000)
        self.list_files(0, [(b"a.txt", 2_000_000)])
        self.list_tasks([[0, 0]])
        self.forwards = [{"break": "/files/0/a.txt"}, "serve"]
        _, err = self.run_plugin("results", "primes", "--files", "out")
        self.assertEqual(err.count("trying again"), 1, err)
        self.assertEqual(self.brought(), {b"0/a.txt": self.pages["files/0/a.txt"]})

    def test_hostile_lists_write_nothing(self):
        wrong = [[(name, 1)] for name in (
            b"../evil", b"/etc/evil", b"a/../../evil", b"", b".", b"a//b", b"a\nb", b"a\0b", b"x" * 256)]
        for files in wrong + [[(b"a", 1), (b"a", 1)], [(b"a", -1)], [(b"a", "many")], [(str(n), 1) for n in range(1001)]]:
            with self.subTest(files=files[:2]):
                self.list_files(0, files)
                self.check_refused("results", "primes", "--files", "out", code=1, says=["list of output files"])
                self.assertEqual(self.brought(), {})
        for ranges in ([["../x", 1]], [[3, 2]], [[0, 1], [1, 2]], [[-1, 0]], [[0]], [0], "x", [[0, 1_000_000]]):
            with self.subTest(ranges=ranges):
                self.list_tasks(ranges)
                self.check_refused("results", "primes", "--files", "out", code=1, says=["list of output files"])
        self.list_tasks([], next=0)
        self.check_refused("results", "primes", "--files", "out", code=1, says=["list of output files"])
        self.pages["files/list.json"] = "[" * 900_000
        self.check_refused("results", "primes", "--files", "out", code=1, says=["list of output files"])
        self.pages["files/list.json"] = " " * 20_000_000
        self.check_refused("results", "primes", "--files", "out", code=1, says=["larger than allowed"])
        self.assertEqual(self.brought(), {})
        self.assertEqual(sorted(path.name for path in self.root.iterdir()), ["bin", "cluster", "work"])

    def test_sizes_are_checked(self):
        for size in (34, 36):
            with self.subTest(size=size):
                self.list_files(0, [(b"a.txt", size)])
                self.check_refused("results", "primes", "--files", "out", code=1)
                self.assertEqual(self.brought(), {})

    def test_links_are_not_followed(self):
        outside = self.root / "outside"
        outside.mkdir()
        (outside / "secret").write_text("secret")
        (self.folder / "out" / "0").mkdir(parents=True)
        (self.folder / "out" / "0" / "a.txt").symlink_to(outside / "secret")
        (self.folder / "out" / "0" / "sub").symlink_to(outside)
        self.check_refused("results", "primes", "--files", "out", code=2,
                           says=["out/0/sub: is a link or a file, must be a folder"])
        self.assertEqual({path.name: path.read_text() for path in outside.iterdir()}, {"secret": "secret"})
        self.assertFalse((self.folder / "out" / "0" / "a.txt").is_symlink())
        self.assertEqual([path.name for path in (self.folder / "out").iterdir()], ["0"])

    def test_files_that_vanish(self):
        (self.cluster / "pages.json").write_text(json.dumps({"/files/0/a.txt": 404}))
        self.check_refused("results", "primes", "--files", "out", code=1, says=["files of task 0 have just gone"])
        running = job(complete=False, tasks={"total": 9, "completed": 3})
        running["spec"] = self.objects[f"{JOBS} primes"]["spec"]
        self.objects[f"{JOBS} primes"] = running
        self.check_refused("results", "primes", "--files", "out", code=1, says=["not complete", "--partial"])
        out, err = self.run_plugin("results", "primes", "--files", "out", "--partial")
        self.assertIn("files of task 0 have just gone: it runs again", err)
        self.assertEqual(out, "5 files of 2 tasks, 1.91 kB, in out\n")
        self.assertEqual(self.brought(), self.expected([2, 3]))

    def test_an_earlier_coordinator(self):
        (self.cluster / "pages.json").write_text(json.dumps({"/files/?from=0": 404}))
        self.check_refused("results", "primes", "--files", "out", code=1, says=["does not have /files/"])

    def test_the_coordinator_has_gone(self):
        self.objects["pods"] = {"items": []}
        self.objects[f"{JOBS} primes"]["spec"]["resultStorage"] = {"persistentVolumeClaim": "my-claim"}
        self.check_refused("results", "primes", "--files", "out", code=1, says=[
            "in the claim my-claim, the output files of tasks in files/ there"])

    def test_bad_input(self):
        (self.folder / "file").write_text("")
        for arguments, says in (
                (["--files", ""], "--files"), (["--files", "file"], "file is not a folder"),
                (["--indexes", "3"], "--files"), (["--files", "x", "--output", "y"], "excludes"),
                (["--files", "x", "--indexes", "9"], "--indexes: must be below 9, is 9"),
                (["--files", "x", "--indexes", "1,x"], "--indexes: must be")):
            with self.subTest(arguments=arguments):
                self.check_refused("results", "primes", *arguments, code=2, says=[says])
        self.objects[f"{JOBS} primes"] = job()
        self.check_refused("results", "primes", "--files", "x", code=2, says=[
            "primes declares no output files (spec.workload.command.outputs)"])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["file"])


if __name__ == "__main__":
    plugin.main()
