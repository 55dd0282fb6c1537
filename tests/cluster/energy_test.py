"""Objective Energy on real nodes: nodes that need too many joules get no work, and a job waits while no
power is known."""

import cluster_case
import jobs
import kube
import node_facts

END = 300_000
# Joules a unit of work: a Pi 3B needs more than three times those of a Pi 4B.
TRIO = {"pi4-a": {"power-watts": "6.4", "idle-power-watts": "2.7"},
        "pi4-b": {"power-watts": "6.4", "idle-power-watts": "2.7"},
        "pi3": {"power-watts": "3.7", "idle-power-watts": "1.4"}}
UNREADABLE = {node: {"power-watts": "plenty"} for node in cluster_case.NODES}
FRUGAL = {"pi4-a", "pi4-b"}


class EnergyTest(cluster_case.ClusterTest):
    def submit_frugal(self, name):
        return self.submit(jobs.manifest(
            name, jobs.primes(END), weighting={"policy": "paper", "mode": "Fuzzy"},
            balancing={"objective": "Energy", "energy": {"timeFactor": 1.5}}))

    def check_left_out(self, job):
        """The slow board got no worker; the summary and an event report that."""
        self.check_primes(job, END)
        summary = job.summary()
        self.assertEqual({row["name"] for row in summary["nodes"]}, FRUGAL)
        self.assertEqual(summary["energy"]["leftOut"], ["pi3"])
        self.assertEqual(summary["energy"]["timeFactor"], 1.5)
        notes = [event["note"] for event in job.events() if event["reason"] == "NodesLeftOut"]
        self.assertIn("pi3", " ".join(notes))
        return summary

    def test_the_board_that_needs_most_is_left_out(self):
        with node_facts.changed(TRIO):
            job = self.submit_frugal("frugal")
            job.wait_workers(len(FRUGAL))
            self.assertEqual(set(job.workers()), FRUGAL)
            job.wait_complete()
            summary = self.check_left_out(job)
        rows = summary["nodes"]
        for row in rows:  # a worker has one thread: its part of what all cores would draw
            cores = int(kube.get("node", row["name"])["status"]["capacity"]["cpu"])
            self.assertAlmostEqual(row["dynamicJoules"], (6.4 - 2.7) * row["busySeconds"] / cores,
                                   places=3)
        self.assertAlmostEqual(summary["energy"]["joules"], sum(row["dynamicJoules"] for row in rows),
                               places=3)

    def test_it_waits_while_no_power_is_known(self):
        with node_facts.changed(UNREADABLE):
            job = self.submit_frugal("waits")
            job.until(lambda thing: jobs.condition(thing, "Progressing").get("reason") == "PowerUnknown",
                      what="it reports that no node's power is known")
            self.assertEqual(job.workers(), {})
            with node_facts.changed(TRIO):  # it continues when the first node is changed
                job.wait_complete()
                self.check_primes(job, END)
                self.assertGreater(job.summary()["energy"]["joules"], 0)


if __name__ == "__main__":
    cluster_case.main()
