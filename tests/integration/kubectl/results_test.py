"""kubectl evenkeel results: all files arrive complete, or none does and one line has the reason."""

import json
import os
import signal

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


if __name__ == "__main__":
    plugin.main()
