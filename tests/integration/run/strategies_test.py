"""Every strategy finds the same numbers, with one worker, three and sixteen."""

import evenkeel
from evenkeel import RunTest, job, node, nodes, primes, synthetic

STRATEGIES = ("TailStealing", "DomainDecomposition", "MasterSlave", "ModifiedMasterSlave",
              "AdaptiveIterative", "Compensated", "Interleaved")

# Chunks of 20 tasks.
CHUNKS = {"MasterSlave": {"masterSlave": {"chunkTasks": 20}},
          "ModifiedMasterSlave": {"modifiedMasterSlave": {"chunkTasks": 20}}}


def workers(count):
    return nodes(*(node(f"node-{i:02}", cpu_mhz=str(600 + 300 * (i % 4))) for i in range(count)))


class StrategiesTest(RunTest):
    def check(self, workload, count, options=None):
        """Runs the workload under every strategy and gives each summary to the caller. `options`:
        of spec.balancing by strategy."""
        for strategy in STRATEGIES:
            with self.subTest(strategy=strategy, workers=count):
                self.output = self.folder / f"{strategy}-{count}"
                balancing = {"strategy": strategy, **(options or {}).get(strategy, {})}
                manifest = job("same", workload, balancing=balancing)
                self.run_to_end(self.command(manifest, workers(count), "--strategy", strategy))
                summary = self.summary()
                self.assertEqual((summary["strategy"], summary["state"]), (strategy, "Complete"))
                self.assertEqual(sum(row["completed"] for row in summary["nodes"]),
                                 summary["tasks"]["total"])
                self.assertAlmostEqual(sum(row["share"] for row in summary["nodes"]), 1)
                self.check_covered_once(summary["tasks"]["total"])
                yield summary

    def test_sieve(self):
        for count in (1, 3, 16):
            for summary in self.check(primes(10_000_000), count):
                self.assertEqual(summary["result"], {"count": 664579, "largest": 9999991})

    def test_trial_division(self):
        for count in (1, 3, 16):
            workload = primes(30000, "TrialDivision", candidatesPerTask=50)
            for summary in self.check(workload, count):
                self.assertEqual(summary["result"], {"count": 3245, "largest": 29989})

    def test_synthetic_results(self):
        checksums = set()
        for count in (3, 16):
            for summary in self.check(synthetic(2000, {"constant": 0}, mode="None"), count,
                                      CHUNKS):
                checksums.add(summary["result"]["checksum"])
        self.assertEqual(len(checksums), 1)


class MasterTest(RunTest):
    LISTED = nodes(*(node(name, 2) for name in ("first", "second", "third")))

    def work_of_first(self, strategy, **balancing):
        self.output = self.folder / f"{strategy}-{len(balancing)}"
        manifest = job("master", synthetic(60, {"constant": 0.05}),
                       balancing={"strategy": strategy, **balancing})
        self.run_to_end(self.command(manifest, self.LISTED))
        return self.summary()["nodes"][0]["completed"]

    def test_published_master_does_not_compute(self):
        self.assertEqual(self.work_of_first("MasterSlave"), 0)
        self.assertIn("master", {line["kind"] for line in self.timeline()})
        self.assertGreater(self.work_of_first("MasterSlave", masterSlave={"dedicatedCoordinator": True}), 5)

    def test_stages_of_modified_master_slave_are_in_the_time_line(self):
        self.assertGreater(self.work_of_first("ModifiedMasterSlave"), 0)
        stages = {line["detail"] for line in self.timeline() if line["kind"] == "stage"}
        self.assertLessEqual(stages, {"1", "2", "3"})
        self.assertIn("1", stages)


if __name__ == "__main__":
    evenkeel.main()
