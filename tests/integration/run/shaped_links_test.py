"""AdaptiveIterative over links of 100, 10 and 2 Mbit/s: rows of a product go to nodes in network namespaces,
whose links are shaped. Shows what does not depend on how busy the machine is; bench/adaptive_links.py
measures times."""

import json
import pathlib
import sys

import evenkeel
import numpy
from evenkeel import EVENKEEL, RunTest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench"))
import shaped_links  # noqa: E402
from shaped_links import LinkedCluster, LinkedNode  # noqa: E402

SKIPPED = 77
PROGRAMS = pathlib.Path(EVENKEEL).parent
# As in the paper, but for what each can do: the central node, which computes, and one a kind of link.
NODES = (LinkedNode("central", None, 0.1), LinkedNode("wired", 100, 0.12), LinkedNode("old", 10, 0.08),
         LinkedNode("wireless", 2, 0.08))


class ShapedLinksTest(RunTest):
    def multiply(self, cluster, rows, edge, balancing, block=1):
        """The summary, the rounds, and whether the product is NumPy's to the bit."""
        generator = numpy.random.default_rng(edge)
        a, b = (generator.integers(-2**31, 2**31, shape, numpy.int64)
                for shape in ((rows, edge), (edge, edge)))
        numpy.save(cluster.folder / "a.npy", a)
        numpy.save(cluster.folder / "b.npy", b)
        product = {"a": {"file": "a.npy"}, "b": {"file": "b.npy"},
                   "aggregation": {"pattern": "ByRows", "block": block},
                   "transfer": {"betweenWorkers": "Disabled"}}
        output = cluster.run(evenkeel.job(shaped_links.JOB, {"matmul": product}, balancing=balancing))
        self.assertTrue((numpy.load(output / "c.npy") == a @ b).all())
        summary = json.loads((output / "summary.json").read_text())
        self.assertEqual(summary["tasks"]["completed"], summary["tasks"]["total"])
        return summary, shaped_links.rounds(output)

    def cluster(self, *nodes):
        cluster = LinkedCluster(PROGRAMS, self.folder / "links", nodes)
        cluster.__enter__()
        self.addCleanup(cluster.__exit__)
        return cluster

    def test_rows_go_where_links_and_processors_take_them(self):
        cluster = self.cluster(*NODES)
        # The first round is 100 of 2000 tasks; the second, the first that knows the nodes, is about 800.
        balancing = {"strategy": "AdaptiveIterative", "adaptiveIterative": {"rounds": 20}}
        _, aware = self.multiply(cluster, 8000, 400, balancing, block=4)
        _, blind = self.multiply(cluster, 8000, 400, {**balancing, "adaptiveIterative": {"rounds": 20, "communication": "Disabled"}}, block=4)
        first, second = aware[:2]
        self.assertEqual({tasks for _, tasks in first.values()}, {25}, "the first round is equal")
        self.assertEqual(set(second), {node.name for node in NODES}, "all take part, the central one too")
        # Four rows take the wireless link 50 ms each way, and its processor a tenth of that.
        self.assertLess(second["wireless"][1], 0.5 * second["old"][1], second)
        share = {name: rounds[1]["wireless"][1] / sum(tasks for _, tasks in rounds[1].values())
                 for name, rounds in (("aware", aware), ("blind", blind))}
        self.assertLess(share["aware"], 0.6 * share["blind"], "calculation alone does not see the link")
        # The second round is too early: a throttled processor begins the first one with saved quota, and looks too fast.
        self.assertLess(shaped_links.spread(aware[2]), 0.3 * shaped_links.spread(first), aware)

    def test_a_node_that_cannot_balance_is_dropped_and_nothing_is_lost(self):
        # A task is 32 kB each way: 0.03 s over 10 Mbit/s, but 1.3 s over 0.2. With one task a node in the
        # first round, a quarter of that is the mean, so less than half a task would be right for it.
        slow = LinkedNode("slow", 0.2, 0.1)
        summary, rounds = self.multiply(self.cluster(*NODES[:3], slow), 4000, 100,
                                        {"strategy": "AdaptiveIterative", "adaptiveIterative": {"rounds": 25}}, block=40)
        of_round = [each.get("slow", (0, 0))[1] for each in rounds]
        self.assertEqual(of_round[0], 1)
        self.assertEqual(sum(of_round[1:]), 0, rounds)
        completed = {node["name"]: node["completed"] for node in summary["nodes"]}
        self.assertEqual(completed["slow"], 1)
        self.assertEqual(sum(completed.values()), 100)

    def test_tail_stealing_runs_beside_it(self):
        summary, _ = self.multiply(self.cluster(*NODES), 2400, 400, {"strategy": "TailStealing"}, block=4)
        completed = {node["name"]: node["completed"] for node in summary["nodes"]}
        self.assertLess(completed["wireless"], completed["wired"])


if __name__ == "__main__":
    reason = shaped_links.unavailable()
    if reason:
        print("skipped: " + reason, file=sys.stderr)
        sys.exit(SKIPPED)
    evenkeel.main()
