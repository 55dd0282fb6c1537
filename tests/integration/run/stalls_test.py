"""A coordinator that cannot run, or whose terminal cannot be written, loses no worker.

EVENKEEL_STALL_SECONDS sets how long each stall lasts; it must be longer than a lease.
"""

import os
import pty
import select
import signal
import subprocess
import threading
import time

import evenkeel
from evenkeel import EVENKEEL, PATIENCE, RunTest, eventually, job, node, nodes, synthetic

LEASE = 2.0
STALL = float(os.environ.get("EVENKEEL_STALL_SECONDS", "7"))
SPEEDS = {"fast": 3, "middle": 2, "slow": 1}
NODES = nodes(*(node(name, speed) for name, speed in SPEEDS.items()))
TASK = 0.05  # seconds at speed 1
TASKS = int((STALL + 6) * sum(SPEEDS.values()) / TASK)
STOP_OUTPUT, START_OUTPUT = b"\x13", b"\x11"  # Ctrl-S, Ctrl-Q


class StallsTest(RunTest):
    def command_of_sleepers(self):
        manifest = job("sleepers", synthetic(TASKS, {"constant": TASK}),
                       balancing={"leaseSeconds": LEASE})
        return self.command(manifest, NODES)

    def check_nobody_was_lost(self, unable=0.0):
        """The run is complete; for `unable` seconds of it nothing could run."""
        lost = [event for event in self.timeline() if event.get("event") == "lost"]
        self.assertEqual(lost, [])
        summary = self.summary()
        self.assertEqual(summary["state"], "Complete")
        self.check_covered_once(TASKS)
        print(f"makespan {summary['makespanSeconds']:.2f} s, lower bound "
              f"{summary['lowerBoundSeconds']:.2f} s, unable to run for {unable:.2f} s")
        self.assertLess(summary["makespanSeconds"],
                        summary["lowerBoundSeconds"] * 1.03 + unable + 1.0)


class StoppedTerminalTest(StallsTest):
    def test_the_run_goes_on_while_its_terminal_is_stopped(self):
        leader, follower = pty.openpty()
        process = subprocess.Popen([EVENKEEL, *map(str, self.command_of_sleepers())],
                                   cwd=self.folder, stdin=follower, stdout=follower,
                                   stderr=follower)
        os.close(follower)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        drawn = threading.Event()

        def read():
            text = b""
            while True:
                try:
                    text += os.read(leader, 1 << 16)
                except OSError:  # the other side is closed
                    return
                if text.count(b"NODE") > 3:
                    drawn.set()

        reader = threading.Thread(target=read)
        reader.start()
        self.assertTrue(drawn.wait(PATIENCE))
        os.write(leader, STOP_OUTPUT)
        time.sleep(STALL)
        os.write(leader, START_OUTPUT)
        self.assertEqual(process.wait(PATIENCE + STALL), 0)
        reader.join()
        os.close(leader)
        self.check_nobody_was_lost()

    def test_results_are_written_while_the_terminal_is_stopped(self):
        leader, follower = pty.openpty()
        process = subprocess.Popen([EVENKEEL, *map(str, self.command_of_sleepers())],
                                   cwd=self.folder, stdin=follower, stdout=follower,
                                   stderr=follower)
        os.close(follower)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        text = b""
        while b"NODE" not in text:  # the view of the run, not a message before it
            text += os.read(leader, 1 << 16)
        os.write(leader, STOP_OUTPUT)
        eventually((self.output / "report.html").exists, "the report is written", PATIENCE + STALL)
        os.write(leader, START_OUTPUT)
        while select.select([leader], [], [], PATIENCE)[0]:
            try:
                os.read(leader, 1 << 16)
            except OSError:
                break
        self.assertEqual(process.wait(PATIENCE), 0)
        os.close(leader)
        self.check_nobody_was_lost()


class StoppedCoordinatorTest(StallsTest):
    def test_a_stopped_coordinator_takes_its_workers_back(self):
        process = self.start(self.command_of_sleepers())
        self.wait_for_tasks(process, 40)
        process.signal(signal.SIGSTOP)
        time.sleep(STALL)
        process.signal(signal.SIGCONT)
        self.assertEqual(process.wait(PATIENCE + STALL), 0, process.out + process.err)
        self.check_nobody_was_lost(unable=STALL)


if __name__ == "__main__":
    evenkeel.main()
