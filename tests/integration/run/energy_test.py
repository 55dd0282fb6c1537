"""Joules of a run, and objective Energy: the frugal nodes do the work within the time allowed."""

import re

import evenkeel
from evenkeel import RunTest, job, node, nodes, synthetic


def board(name, speed, watts, idle=None):
    labels = {"power_watts": str(watts)} if watts else {}
    if idle is not None:
        labels["idle_power_watts"] = str(idle)
    return node(name, speed, **labels)


SPEEDS = {"pi4-a": 8, "pi4-b": 8, "pi3": 2}
TRIO = nodes(board("pi4-a", 8, 6.4, 2.4), board("pi4-b", 8, 6.4, 2.4), board("pi3", 2, 5.1, 2))
WORK = synthetic(300, {"constant": 0.2})  # 3.3 s for all, dynamic: 0.5 J a second at speed 1, pi3 1.55
WEIGHTS = {"mode": "Explicit", "weights": SPEEDS}


class EnergyTest(RunTest):
    def energy_of(self, balancing=None, node_list=TRIO):
        self.output = self.folder / f"out-{len(list(self.folder.iterdir()))}"
        manifest = job("joules", WORK, weighting=WEIGHTS, balancing=balancing or {})
        self.process = self.run_to_end(self.command(manifest, node_list))
        summary = self.summary()
        self.assertEqual(summary["tasks"]["completed"], 300)
        return summary

    def rows(self, summary):
        return {row["name"]: row for row in summary["nodes"]}

    def test_joules_follow_from_busy_seconds(self):
        summary = self.energy_of()
        energy = summary["energy"]
        self.assertFalse(energy["partial"])
        self.assertEqual((energy["idlePower"], "leftOut" in energy), ("Ignored", False))
        total = idle = 0
        for name, row in self.rows(summary).items():
            full, least = (5.1, 2) if name == "pi3" else (6.4, 2.4)
            self.assertEqual((row["powerWatts"], row["idlePowerWatts"]), (full, least))
            self.assertAlmostEqual(row["dynamicJoules"], (full - least) * row["busySeconds"], 6)
            self.assertAlmostEqual(row["idleJoules"], least * row["finishSeconds"], 6)
            total += row["dynamicJoules"]
            idle += row["idleJoules"]
        self.assertAlmostEqual(energy["joules"], total, 6)
        self.assertAlmostEqual(energy["dynamicJoules"], total, 6)
        self.assertAlmostEqual(energy["idleJoules"], idle, 6)
        self.assertRegex(self.process.out, r"energy: [\d.]+ k?J above the idle draw of the boards")
        metrics = (self.output / "metrics.prom").read_text()
        for name, row in self.rows(summary).items():
            found = re.search(rf'^evenkeel_energy_joules_total{{node="{name}",.*}} (\S+)$', metrics, re.M)
            self.assertAlmostEqual(float(found[1]), row["dynamicJoules"], 6)

    def test_the_frugal_nodes_do_the_work(self):
        time = self.energy_of()
        energy = self.energy_of({"objective": "Energy", "energy": {"timeFactor": 1.5}})
        self.assertEqual(energy["energy"]["leftOut"], ["pi3"])
        self.assertEqual(energy["energy"]["timeFactor"], 1.5)
        self.assertEqual(set(self.rows(energy)), {"pi4-a", "pi4-b"})
        self.assertIn("pi3: gets no work; objective Energy: 3.1 times the joules", self.process.out)
        # A ninth of the work is done at a third of the joules: 19 % less.
        self.assertLess(energy["energy"]["joules"], 0.9 * time["energy"]["joules"])
        # The bound is that of all nodes.
        self.assertAlmostEqual(energy["lowerBoundSeconds"], 60 / 18, 3)

    def test_at_factor_one_all_nodes_work(self):
        summary = self.energy_of({"objective": "Energy", "energy": {"timeFactor": 1}})
        self.assertEqual(set(self.rows(summary)), set(SPEEDS))
        self.assertEqual(summary["energy"]["leftOut"], [])

    def test_idle_and_standing_power_count_if_asked_for(self):
        summary = self.energy_of({"energy": {"idlePower": "Counted", "standingWatts": 10}})
        energy = summary["energy"]
        self.assertAlmostEqual(energy["standingJoules"], 10 * summary["makespanSeconds"], 6)
        self.assertAlmostEqual(energy["joules"], sum(
            energy[part] for part in ("dynamicJoules", "idleJoules", "standingJoules")), 6)
        self.assertIn("with the idle draw of the boards", self.process.out)

    def test_what_is_not_known_is_null(self):
        some = nodes(board("pi4-a", 8, 6.4), board("pi4-b", 8, None), board("pi3", 2, None))
        summary = self.energy_of({"objective": "Energy"}, some)
        self.assertTrue(summary["energy"]["partial"])
        rows = self.rows(summary)
        self.assertIsNone(rows["pi4-b"]["dynamicJoules"])
        self.assertAlmostEqual(rows["pi4-a"]["idlePowerWatts"], 0.4 * 6.4)
        self.assertIn("power is not known", self.process.out)
        none = nodes(*(board(name, speed, None) for name, speed in SPEEDS.items()))
        self.assertIsNone(self.energy_of(node_list=none)["energy"])
        self.assertNotIn("energy:", self.process.out)

    def test_one_node_leaves_no_choice(self):
        manifest = job("alone", synthetic(4, {"constant": 0.01}), balancing={"objective": "Energy"})
        process = self.run_to_end(self.command(manifest))
        self.assertIn("this machine is the one node", process.out)
        self.assertIsNone(self.summary()["energy"])

    def test_without_power_the_objective_is_refused(self):
        none = nodes(*(board(name, speed, None) for name, speed in SPEEDS.items()))
        manifest = job("joules", WORK, weighting=WEIGHTS, balancing={"objective": "Energy"})
        process = self.run_to_end(self.command(manifest, none), 2)
        self.assertEqual(process.err.count("\n"), 1)
        self.assertIn("hardware.evenkeel.dev/power-watts", process.err)
        self.assertFalse(self.output.exists())
        process = self.run_to_end(self.command(manifest, TRIO, "--strategy", "MasterSlave"), 2)
        self.assertIn("objective Energy, which needs TailStealing", process.err)
        self.assertFalse(self.output.exists())


if __name__ == "__main__":
    evenkeel.main()
