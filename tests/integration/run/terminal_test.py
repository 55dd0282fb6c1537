"""Output of a run: a live view on a terminal, plain lines elsewhere."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

import evenkeel
from evenkeel import EVENKEEL, PATIENCE, RunTest, job, node, nodes, primes, synthetic

SLEEPING = synthetic(40, {"constant": 0.1})
LISTED = nodes(node("quick", 2), node("slow", 1))
ESCAPE = "\x1b"


class Screen:
    """As much of a terminal as the view needs: lines, the cursor up, clearing. `rows` are as high
    as anything was ever drawn; a line that is too long is an error, because it would be wrapped."""

    SEQUENCE = re.compile(r"\x1b\[(\d*)([A-Za-z])|\x1b\[\?(\d+)([hl])")

    def __init__(self, columns):
        self.columns, self.rows, self.row, self.column = columns, [""], 0, 0
        self.cursor_hidden = False

    def feed(self, text):
        position = 0
        while position < len(text):
            found = self.SEQUENCE.match(text, position)
            if found:
                self._control(found)
                position = found.end()
            else:
                self._put(text[position])
                position += 1

    def _control(self, found):
        count, letter, private, switch = found.groups()
        if private:
            assert private == "25", found.group()
            self.cursor_hidden = switch == "l"
        elif letter == "A":
            self.row -= int(count or 1)
            assert self.row >= 0, "the cursor leaves the screen"
        elif letter == "K":
            self.rows[self.row] = "" if count == "2" else self.rows[self.row][:self.column]
        elif letter == "J":
            del self.rows[self.row + 1:]
            self.rows[self.row] = self.rows[self.row][:self.column]
        else:
            assert letter == "m", found.group()

    def _put(self, character):
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row += 1
            self.rows += [""] * (self.row + 1 - len(self.rows))
        else:
            assert character != ESCAPE, "half a control sequence"
            line = self.rows[self.row].ljust(self.column)
            self.rows[self.row] = line[:self.column] + character + line[self.column + 1:]
            self.column += 1
            assert self.column <= self.columns, "too long for the terminal: " + self.rows[self.row]


class TerminalTest(RunTest):
    def run_on_terminal(self, arguments, columns, on_text=None):
        """Returns (exit code, all output) of a run on a pseudoterminal."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        process = subprocess.Popen([EVENKEEL, *map(str, arguments)], cwd=self.folder, stdin=follower,
                                   stdout=follower, stderr=follower)
        os.close(follower)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        text, end = b"", time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if select.select([leader], [], [], 0.1)[0]:
                try:
                    text += os.read(leader, 1 << 16)
                except OSError:  # the other side is closed
                    break
            if on_text:
                on_text(text.decode(errors="ignore"), process)
        os.close(leader)
        return process.wait(PATIENCE), text.decode()

    def check_screen(self, text, columns):
        """`text` on the terminal, from the view's first line on: before it there may be notes."""
        first = text.index("\r" + ESCAPE)
        screen = Screen(columns)
        screen.feed(text[first:])
        self.assertFalse(screen.cursor_hidden)
        return screen.rows

    def test_live_view(self):
        for columns in (60, 80, 160):
            with self.subTest(columns=columns):
                self.output = self.folder / f"{columns}-columns-wide"
                arguments = self.command(job("sleepy", SLEEPING), LISTED)
                code, text = self.run_on_terminal(arguments, columns)
                self.assertEqual(code, 0, text)
                self.assertGreater(text.count("NODE"), 3)  # drawn over and over ...
                self.assertIn("ETA ", text)
                # The report's path is for copying: it may be wrapped.
                before, path = text.rsplit("report: ", 1)
                self.assertEqual(path.strip(), str(self.output / "report.html"))
                before = before.split("sleepy: Complete")[0]
                rows = "\n".join(self.check_screen(before, columns))
                self.assertEqual(rows.count("NODE"), 1)  # ... in place
                self.assertIn("100.0%", rows)
                self.assertIn("40 of 40 tasks", rows)
                self.assertRegex(rows, r"quick .* (1[0-9]|2[0-9]|3[0-9]) ")

    def test_interrupted_at_the_terminal(self):
        sent = []

        def interrupt(text, process):
            if not sent and text.count("NODE") > 2:
                sent.append(True)
                process.send_signal(signal.SIGINT)

        arguments = self.command(job("sleepy", synthetic(400, {"constant": 0.1})), LISTED)
        code, text = self.run_on_terminal(arguments, 100, interrupt)
        self.assertEqual(code, 130)
        rows = self.check_screen(text.rsplit("report: ", 1)[0], 200)
        self.assertIn("evenkeel: sleepy: interrupted; the same command goes on", rows)

    def test_what_happens_to_workers_is_told_above_the_view(self):
        killed = []

        def kill_a_worker(text, process):
            if not killed and text.count("NODE") > 2:
                killed.append(next(pid for pid, parent, command in evenkeel.worker_processes()
                                   if parent == process.pid and "slow" in command))
                os.kill(killed[0], signal.SIGKILL)

        code, text = self.run_on_terminal(self.command(job("sleepy", SLEEPING), LISTED), 80, kill_a_worker)
        self.assertEqual(code, 0, text)
        rows = self.check_screen(text.split("sleepy: Complete")[0], 80)
        self.assertEqual(rows[0], "worker slow was killed by signal Killed; it is started again")
        self.assertEqual("\n".join(rows).count("sleepy"), 1)

    def test_many_nodes_fit_a_screen(self):
        listed = nodes(*(node(f"node-with-a-rather-long-name-{i:02}", 1) for i in range(60)))
        manifest = job("wide", synthetic(600, {"constant": 0.02}), nodes={"maxWorkers": 60})
        code, text = self.run_on_terminal(self.command(manifest, listed), 80)
        self.assertEqual(code, 0, text)
        rows = self.check_screen(text.split("wide: Complete")[0], 400)
        self.assertLess(len([row for row in rows if "node-with-a" in row and "busy" in row]), 36)
        self.assertIn("more nodes", "\n".join(rows))


class PlainTest(RunTest):
    def test_plain_lines(self):
        process = self.run_to_end(self.command(job("sleepy", SLEEPING), LISTED))
        self.assertNotIn(ESCAPE, process.out + process.err)
        self.assertNotIn("\r", process.out)
        lines = [line for line in process.out.splitlines() if line.startswith("sleepy: ")]
        self.assertRegex(lines[0], r"^sleepy: +\d+\.\d%, \d+ of 40 tasks, ETA \d+\.\d s ± ")
        self.assertIn("100.0%, 40 of 40 tasks, done", lines[-2])
        self.assertIn("Complete in", lines[-1])

    def test_no_line_on_the_way_of_a_short_run(self):
        process = self.run_to_end(self.command(job("short", primes(1000))))
        self.assertEqual([line.split(":")[0] for line in process.out.splitlines()],
                         ["short", "moves", "result", "report"])

    def test_json_on_a_terminal_is_not_mixed_with_the_view(self):
        process = self.run_to_end(self.command(job("sleepy", SLEEPING), LISTED, "-o", "json"))
        self.assertTrue(process.out.startswith("{"))
        self.assertNotIn(ESCAPE, process.err)

    def test_version_and_help(self):
        self.assertRegex(self.run_to_end(["--version"]).out, r"^\d+\.\d+\.\d+\n$")
        for command in ([], ["run"], ["report"], ["weights"]):
            self.assertIn("--help", self.run_to_end([*command, "--help"]).out)


if __name__ == "__main__":
    evenkeel.main()
