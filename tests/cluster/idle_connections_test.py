"""A node that holds hundreds of idle connections to the operator neither has it restarted nor keeps others from
its metrics."""

import json
import subprocess
import sys
import time

import chart
import cluster_case
import operator_process

SOURCE = "pi4-a"  # connections of any pod there would come from a single address as well
CONNECTIONS = 500
# Longer than the kubelet waits before it restarts an operator that does not answer: period and failures of
# the liveness probe in the chart, and one more period.
HELD_SECONDS = 20 * (6 + 1)

# Keeps so many connections open: those that the other side closes are opened again. Prints what it holds.
HOLDER = """
import json, select, socket, sys, time
address, port, count, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
end, held, opened = time.monotonic() + seconds, [], 0
while time.monotonic() < end:
    ended = set(select.select(held, [], [], 0)[0])
    for connection in ended:
        connection.close()
    held = [connection for connection in held if connection not in ended]
    while len(held) < count:
        held.append(socket.create_connection((address, port), timeout=10))
        opened += 1
    time.sleep(0.5)
print(json.dumps({"opened": opened}))
"""


class IdleConnectionsTest(cluster_case.ClusterTest):
    beside = True

    def state(self):
        """(restarts, whether it is ready) of the operator's pod."""
        status = chart.operator_pods()[0]["status"]
        ready = next(one["status"] for one in status["conditions"] if one["type"] == "Ready")
        return sum(one["restartCount"] for one in status["containerStatuses"]), ready

    def test_the_operator_stays_ready_and_is_scraped(self):
        _, pod = operator_process.find()
        before = self.state()
        holder = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/evenkeel-{SOURCE}", sys.executable, "-c", HOLDER,
             pod["status"]["podIP"], str(operator_process.METRICS_PORT), str(CONNECTIONS),
             str(HELD_SECONDS)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        scrapes = 0
        while holder.poll() is None:
            self.assertIn("controller_runtime_", operator_process.metrics(pod))
            self.assertEqual(self.state(), before)
            scrapes += 1
            time.sleep(2)
        opened = json.loads(holder.stdout.read())["opened"]
        holder.stdout.close()
        self.assertEqual(holder.returncode, 0)
        self.assertGreater(opened, CONNECTIONS, "the operator closes what exceeds its limit")
        self.assertGreater(scrapes, 10)


if __name__ == "__main__":
    cluster_case.main()
