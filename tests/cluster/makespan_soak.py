"""How long jobs take on the trio, from their creation to Complete: at most 1.05 times the shortest time
possible, and three seconds for the start of pods. Whatever weights say."""

import random
import sys
import time

import cluster_case
import command_images
import jobs
import machine

sys.path.insert(0, str(machine.ROOT / "bench"))
import best_schedule  # noqa: E402

END = 1_000_000
COMMANDS = 30
TOLERANCE, START_SECONDS = 1.05, 3.0


class MakespanTest(cluster_case.ClusterTest):
    def measure(self, manifest):
        """Seconds from the creation of the job to its completion, and the job."""
        begun = time.monotonic()
        job = self.submit(manifest)
        job.wait_complete(400)
        return time.monotonic() - begun, job

    def check(self, seconds, best):
        limit = TOLERANCE * best + START_SECONDS
        print(f"  {seconds:.1f} s; the shortest time possible is {best:.1f} s, the limit {limit:.1f} s",
              file=sys.stderr)
        self.assertLessEqual(seconds, limit)

    def check_primes_with(self, weighting):
        seconds, job = self.measure(
            jobs.manifest("primes", jobs.primes(END), weighting=weighting))
        self.check_primes(job, END)
        nodes = job.summary()["nodes"]
        work = sum(node["busySeconds"] * cluster_case.SHARES[node["name"]] for node in nodes)
        self.check(seconds, work / sum(cluster_case.SHARES.values()))

    def test_primes_with_the_weights_of_the_paper(self):
        self.check_primes_with({"policy": "paper", "mode": "Fuzzy"})

    def test_primes_with_weights_upside_down(self):
        self.check_primes_with(
            {"mode": "Explicit", "weights": {"pi4-a": 1, "pi4-b": 1, "pi3": 5}})

    def test_commands_of_unequal_length(self):
        """Thirty commands that take 2 to 20 s on the faster boards, in random order."""
        images = command_images.provide()
        fast = max(cluster_case.SHARES.values())
        seconds_there = [2 + 18 * n / (COMMANDS - 1) for n in range(COMMANDS)]
        random.Random(1).shuffle(seconds_there)
        cpu_seconds = [round(fast * seconds, 3) for seconds in seconds_there]
        milliseconds = [str(round(1000 * seconds)) for seconds in cpu_seconds]
        seconds, job = self.measure(jobs.manifest("commands", {"command": {
            "image": images["numbered"], "command": ["/commands", "burn", *milliseconds],
            "tasks": COMMANDS}}, weighting={"policy": "paper", "mode": "Fuzzy"}))
        self.assertEqual(job.status()["tasks"]["completed"], COMMANDS)
        self.check(seconds, best_schedule.greedy_makespan(cpu_seconds, list(cluster_case.SHARES.values())))


if __name__ == "__main__":
    cluster_case.main()
