"""Bad input: exit code 2, one line with the place, the error and the allowed values; no effect."""

import sqlite3

import evenkeel
from evenkeel import RunTest, job, node, nodes, primes, synthetic

GOOD = job("good", primes(1000))
TWO = nodes(node("one", 0.5), node("two", 0.5))


def changed(path, value):
    """GOOD with one field set; `path` as in a message: "spec.taskPolicy.idempotent"."""
    manifest = job("good", primes(1000))
    place = manifest
    *way, last = path.split(".")
    for name in way:
        place = place.setdefault(name, {})
    place[last] = value
    return manifest


class BadInputTest(RunTest):
    def snapshot(self):
        """Everything in the folder, with its bytes and its time of change."""
        return {path: (path.read_bytes(), path.stat().st_mtime_ns) if path.is_file() else None
                for path in self.folder.rglob("*")}

    def check_refused(self, arguments, *parts):
        """`parts` must be in the one line on stderr."""
        before = self.snapshot()
        process = self.start(arguments)
        self.assertEqual(process.wait(20), 2, process.out + process.err)
        self.assertEqual(process.out, "")
        self.assertEqual(len(process.err.splitlines()), 1, process.err)
        self.assertTrue(process.err.startswith("evenkeel: "), process.err)
        self.assertLess(len(process.err), 600)
        for part in parts:
            self.assertIn(str(part), process.err)
        self.assertEqual(self.snapshot(), before)

    def check_job(self, manifest, *parts):
        self.check_refused(self.command(manifest), self.folder / "job.yaml", *parts)

    def check_nodes(self, node_list, *parts):
        self.check_refused(self.command(GOOD, node_list), self.folder / "nodes.yaml", *parts)


class BadJobTest(BadInputTest):
    CASES = (
        # field, value, what the line must say beside file and field
        ("spec.colour", "red", "unknown"),
        ("spec.balancing.strategie", "TailStealing", "unknown"),
        ("spec.balancing.strategy", "Lottery", "TailStealing", "Lottery"),
        ("spec.balancing.strategy", 3, "must be"),
        ("spec.balancing.strategy", "SS", "one of TailStealing", "SS"),
        ("spec.balancing.tailStealing.stealing", True, "Enabled"),
        ("spec.balancing.masterSlave", {}, "strategy MasterSlave only"),
        ("spec.balancing.compensation", "First", "compensated.compensation"),
        ("spec.balancing.leaseSeconds", 0, "0.1"),
        ("spec.after", [], "1 to 32"),
        ("spec.after", ["earlier", "good"], "spec.after[1]", "itself"),
        ("spec.after", ["earlier", "earlier"], "spec.after[1]", "twice"),
        ("spec.after", ["Earlier"], "spec.after[0]", "1 to 50", "Earlier"),
        ("spec.balancing.leaseSeconds", "soon", "must be a number"),
        ("spec.balancing.stealing", "Disabled", "tailStealing.stealing"),
        ("spec.taskPolicy.idempotent", "maybe", "true or false"),
        ("spec.taskPolicy.backoffLimitPerTask", -1, "0"),
        ("spec.taskPolicy.timeoutSeconds", 1e300, "at most"),
        ("spec.taskPolicy.verify", 1, "must be text"),
        ("spec.taskPolicy.verify", "1", "percentage such as 1% or 0.25%", '"1"'),
        ("spec.taskPolicy.verify", "1%", "at least 2 nodes", "there is 1"),
        ("spec.nodes.maxWorkers", 0, "from 1 to"),
        ("spec.nodes.selector", [], "must be an object"),
        ("spec.activeDeadlineSeconds", -5, "1"),
        ("spec.activeDeadlineSeconds", 10 ** 30, "1"),
        ("spec.suspend", True, "suspended"),
        ("spec.weighting.mode", "Guess", "Fuzzy"),
        ("spec.weighting.policy", "no-such-policy", "default, paper"),
        ("metadata.name", "No_Name!", "must be"),
        ("kind", "Job", "WeightedJob"),
        ("apiVersion", "batch/v1", "batch.evenkeel.dev/v1alpha1"),
        ("spec.workload.primes.end", 0, "1"),
        ("spec.workload.primes.end", -7, "1"),
        ("spec.workload.primes.end", 10 ** 19, "1"),
        ("spec.workload.primes.end", 1.5, "whole number"),
        ("spec.workload.primes.end", "many", "whole number"),
        ("spec.workload.primes.end", None, "end"),
        ("spec.workload.primes.method", "Magic", "Sieve"),
        ("spec.workload.primes.candidatesPerTask", 0, "1"),
        ("spec.workload.primes.speed", 9, "unknown"),
    )

    def test_fields(self):
        for field, value, *parts in self.CASES:
            with self.subTest(field=field, value=value):
                self.check_job(changed(field, value), field, *parts)

    def test_synthetic_fields(self):
        good = {"tasks": 4, "cost": {"constant": 0.1}, "mode": "Sleep"}
        for field, value, *parts in (("tasks", 0, "1"), ("tasks", -1, "1"), ("tasks", 10 ** 15, "1"),
                                     ("cost", {"constant": -1}, "0"), ("cost", {}, "exactly one"),
                                     ("cost", {"uniform": [2, 1]}, "a <= b"),
                                     ("cost", {"list": []}, "list"), ("failing", [9], "failing"),
                                     ("mode", "Dance", "Sleep, Spin")):
            with self.subTest(field=field, value=value):
                self.check_job(job("bad", {"synthetic": {**good, field: value}}), field, *parts)

    def test_not_exactly_one_workload(self):
        for workload, found in (({}, "none"), (primes(10) | synthetic(1, {"constant": 0}), "primes, synthetic"),
                                ([], "must be"), (None, "must be"), ("primes", "must be")):
            with self.subTest(workload=workload):
                self.check_job(changed("spec.workload", workload), "spec.workload", found)

    def test_workload_that_there_is_not(self):
        self.check_job(job("bad", {"telepathy": {}}), "telepathy", "primes", "synthetic")

    def test_no_spec(self):
        self.check_job({key: GOOD[key] for key in ("apiVersion", "kind", "metadata")}, "spec")

    def test_files_that_are_no_manifest(self):
        for name, content in (("empty", ""), ("text", "hello"), ("list", "[1, 2]"), ("open", "{a: ["),
                              ("tabs", "\t- x\n\t"), ("bytes", bytes(range(256)) * 40),
                              ("zeros", bytes(4096)), ("deep", "[" * 5000), ("two", "a: 1\n---\nb: 2\n"),
                              ("repeated", "kind: WeightedJob\nkind: WeightedJob\n")):
            with self.subTest(name):
                path = self.write("job.yaml", content)
                self.check_refused(["run", path, "--output", self.output], path)

    def test_missing_file_and_folder_instead_of_one(self):
        missing = self.folder / "missing.yaml"
        self.check_refused(["run", missing], missing)
        self.check_refused(["run", self.folder], self.folder, "folder")
        path = self.write("job.yaml", GOOD)
        self.check_refused(["run", path, "--nodes", self.folder], self.folder, "folder")
        self.check_refused(["weights", "--nodes", self.folder], self.folder)


class IgnoredFieldsTest(RunTest):
    def test_other_jobs_are_not_waited_for(self):
        process = self.run_to_end(self.command(changed("spec.after", ["earlier"])))
        self.assertIn("note: spec.after: is ignored; only jobs of a cluster wait for each other", process.out)


class BadNodesTest(BadInputTest):
    def test_lists(self):
        for listed, *parts in ((nodes(), "items", "at least 1"),
                               (nodes(node("a"), node("b"), node("a")), "metadata.name", "\"a\"", "twice"),
                               (nodes(node("No_Name")), "metadata.name"),
                               (nodes({"kind": "Pod", "metadata": {"name": "a"}}), "kind", "Node"),
                               ({"apiVersion": "v1", "kind": "PodList", "items": []}, "kind", "List"),
                               ({"apiVersion": "v1", "kind": "List"}, "items"),
                               ({"apiVersion": "v1", "kind": "List", "items": 3}, "items"),
                               ("", ""), ("nodes", ""), (b"\xff\xfe\0\1" * 99, "")):
            with self.subTest(listed=listed):
                self.check_nodes(listed, *parts)

    def test_speeds(self):
        for speed in ("0", "-1", "fast", "nan", "inf", "1e9", "", "0.4x"):
            with self.subTest(speed=speed):
                self.check_nodes(nodes(node("a", speed)), "emulated-speed", speed, "at most 1000")

    def test_speed_below_what_can_be_held(self):
        self.check_nodes(nodes(node("a", "0.0001")), "emulated-speed", "0.001")

    def test_speed_above_one_core_counts_as_one(self):
        process = self.run_to_end(self.command(GOOD, nodes(node("a", 4.3))))
        self.assertIn("note: a: speed 4.3 is more than one core; it runs at 1", process.out)
        self.assertEqual(self.summary()["nodes"][0]["declaredSpeed"], 1)

    def test_missing_file(self):
        missing = self.folder / "missing.yaml"
        self.check_refused(["run", self.write("job.yaml", GOOD), "--nodes", missing], missing)

    def test_affinity_that_fits_no_node(self):
        term = {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}
        manifest = changed("spec.worker.template.affinity.nodeAffinity", {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}})
        self.check_refused(self.command(manifest, TWO), self.folder / "job.yaml",
                           "spec.worker.template.affinity", "none of the 2 nodes")

    def test_selector_that_fits_no_node(self):
        manifest = changed("spec.nodes.selector.matchLabels", {"disk": "ssd"})
        self.check_refused(self.command(manifest, TWO), self.folder / "job.yaml", "spec.nodes.selector",
                           self.folder / "nodes.yaml")

    def test_node_without_its_explicit_weight(self):
        manifest = changed("spec.weighting", {"mode": "Explicit", "weights": {"one": 2}})
        self.check_refused(self.command(manifest, TWO), "spec.weighting.weights", "two")

    def test_labels_that_are_all_nonsense_weigh_the_same(self):
        nonsense = {"cpu_mhz": "quick", "ram_mib": "-", "os_bits": "x", "cpu": "none.of-these"}
        listed = nodes(node("one", 0.5, **nonsense), node("two", 0.5, **nonsense))
        process = self.run_to_end(self.command(GOOD, listed))
        self.assertEqual([row["ratio"] for row in self.summary()["nodes"]], [1, 1])
        self.assertIn("one, two: nothing that can be read tells the nodes apart, so all weigh the same",
                      process.out)
        self.assertIn("none.of-these", process.out)


class BadFlagsTest(BadInputTest):
    def test_flags(self):
        path = self.write("job.yaml", GOOD)
        for arguments, *parts in ((["--strategy", "Lottery"], "--strategy", "TailStealing", "Lottery"),
                                  (["--colour", "red"], "--colour"), (["-o", "xml"], "-o", "json"),
                                  (["--seed", "one"], "--seed", "whole number"), (["--seed", "-4"], "--seed"),
                                  (["--seed", str(10 ** 30)], "--seed"),
                                  (["--nodes"], "--nodes"), (["another.yaml"], "another.yaml")):
            with self.subTest(arguments):
                self.check_refused(["run", path, *arguments], *parts)

    def test_a_seed_that_nothing_would_use(self):
        self.check_refused(self.command(job("counting", primes(100)), None, "--seed", "3"),
                           "--seed", "synthetic", "primes")

    def test_commands(self):
        for arguments in ([], ["dance"], ["run"], ["report"], ["weights"]):
            with self.subTest(arguments):
                self.check_refused(arguments)


class BadFolderTest(BadInputTest):
    def run_good(self):
        self.run_to_end(self.command(GOOD))

    def test_output_is_a_file(self):
        self.write("out", "mine")
        self.check_refused(self.command(GOOD), "--output", self.output)

    def test_output_below_a_file_or_below_nothing(self):
        self.write("file", "mine")
        for parent in ("file", "nothing/at/all"):
            with self.subTest(parent):
                output = self.folder / parent / "out"
                self.check_refused(["run", self.write("job.yaml", GOOD), "--output", output],
                                   "--output", output)

    def test_another_jobs_journal(self):
        self.run_good()
        for manifest, difference in ((job("other", primes(1000)), "name"),
                                     (job("good", primes(1001)), "parameters"),
                                     (job("good", synthetic(9, {"constant": 0})), "workload")):
            with self.subTest(difference):
                self.check_refused(self.command(manifest), self.output / "journal.db", difference,
                                   "another folder")

    def test_another_jobs_journal_that_was_cut_short(self):
        process = self.start(self.command(job("good", synthetic(400, {"constant": 0.05}))))
        self.wait_for_tasks(process, 20)
        process.signal(9)
        process.wait()
        done = self.durable_tasks()
        self.check_refused(self.command(job("other", primes(1000))), self.output / "journal.db")
        self.assertEqual(self.durable_tasks(), done)

    def test_journal_of_a_newer_format(self):
        self.run_good()
        database = sqlite3.connect(self.output / "journal.db")
        database.execute("PRAGMA user_version = 99")
        database.close()
        self.check_refused(self.command(GOOD), self.output / "journal.db", "format 99", "newer")

    def test_journal_that_is_none(self):
        for content in (b"", b"not a database", bytes(8192)):
            with self.subTest(content[:10]):
                self.output.mkdir(exist_ok=True)
                (self.output / "journal.db").write_bytes(content)
                self.check_refused(self.command(GOOD), self.output / "journal.db")

    def test_database_of_somebody_else(self):
        self.output.mkdir()
        database = sqlite3.connect(self.output / "journal.db")
        database.execute("CREATE TABLE precious(x)")
        database.close()
        self.check_refused(self.command(GOOD), self.output / "journal.db", "not a journal")

    def test_report_of_nothing(self):
        self.check_refused(["report", self.folder / "nothing"], self.folder / "nothing")


if __name__ == "__main__":
    evenkeel.main()
