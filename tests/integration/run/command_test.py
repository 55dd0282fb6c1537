"""Commands as tasks: their environment, their recorded output, and the effects of crashes."""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import signal
import unittest

import evenkeel
from evenkeel import RunTest, eventually, job, node, nodes


def command(words, **more):
    return {"command": {"command": words, **more}}


def shell(script, **more):
    return command(["/bin/sh", "-c", script], **more)


def processes_with(mark):
    """Every process on this machine with this text in its environment, zombies left out."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue  # it has gone meanwhile, or is a zombie
    return found


class CommandTest(RunTest):
    def rows(self):
        return [json.loads(line) for line in (self.output / "results.jsonl").read_text().splitlines()]

    def run_job(self, workload, code=0, node_list=None, **sections):
        self.run_to_end(self.command(job("many", workload, **sections), node_list), code)
        return self.rows()


class WhatTheyGet(CommandTest):
    def test_index_and_environment(self):
        rows = self.run_job(
            shell('echo "$JOB_COMPLETION_INDEX $EVENKEEL_TASK_INDEX $EVENKEEL_TASK_COUNT '
                  '$EVENKEEL_ATTEMPT $EVENKEEL_NODE $EVENKEEL_JOB $GREETING '
                  '${EVENKEEL_ARGUMENT-none} ${EVENKEEL_TOKEN-none}"', tasks=40),
            worker={"template": {"env": [{"name": "WHO", "value": "you"},
                                         {"name": "GREETING", "value": "hello-$(WHO)"},
                                         {"name": "EVENKEEL_TOKEN", "value": "mine"}]}})
        self.assertEqual([row["stdout"] for row in rows],
                         [f"{n} {n} 40 0 local many hello-you none none\n" for n in range(40)])
        self.assertEqual({(row["status"], row["exitCode"], row["attempts"], row["node"])
                          for row in rows}, {("succeeded", 0, 1, "local")})
        self.assertEqual(self.summary()["result"],
                         {"succeeded": 40, "failed": 0, "exitCodes": {"0": 40}})

    def test_arguments_are_appended_or_put_in_place(self):
        arguments = ["a.png", "b c.png", "$(touch x); 'quoted'", "{}", "", "ünï"]
        rows = self.run_job(command(["/usr/bin/printf", "<%s>"], arguments=arguments))
        self.assertEqual([row["stdout"] for row in rows], [f"<{text}>" for text in arguments])
        self.assertEqual([row["argument"] for row in rows], arguments)
        self.output = self.folder / "other"
        rows = self.run_job(command(["/usr/bin/printf", "[%s|%s]", "{}-{}", "x{}"],
                                    arguments=arguments))
        self.assertEqual([row["stdout"] for row in rows],
                         [f"[{text}-{text}|x{text}]" for text in arguments])

    def test_a_file_has_a_line_a_task(self):
        lines = [f"line {n}" for n in range(3000)]
        self.write("names.txt", "\n".join(lines))
        rows = self.run_job(command(["/bin/echo"], argumentsFile="names.txt"))
        self.assertEqual([row["stdout"] for row in rows], [f"{line}\n" for line in lines])

    def test_a_run_does_a_range(self):
        rows = self.run_job(shell('echo "{first} {last} $EVENKEEL_FIRST $EVENKEEL_LAST"',
                                  range={"tasks": 5000}), node_list=nodes(node("a"), node("b", 0.5)))
        following = 0
        for row in rows:
            self.assertEqual(row["first"], following)
            following = row["last"] + 1
            words = f"{row['first']} {row['last']}"
            self.assertEqual(row["stdout"], f"{words} {words}\n")
        self.assertEqual(following, 5000)
        self.assertEqual(self.summary()["result"]["succeeded"], 5000)

    def test_the_failing_task_of_a_range_is_found(self):
        rows = self.run_job(
            shell("for n in $(seq {first} {last}); do [ $n -ne 77 ] || { echo seven >&2; exit 3; }; done",
                  range={"tasks": 200, "minTasks": 50}),
            taskPolicy={"backoffLimitPerTask": 1, "maxFailedTasks": 1})
        failed = [row for row in rows if row["status"] == "failed"]
        self.assertEqual([(row["first"], row["last"], row["exitCode"], row["attempts"])
                          for row in failed], [(77, 77, 3, 2)])
        self.assertEqual(sum(row["last"] - row["first"] + 1 for row in rows), 200)

    def test_a_range_is_cut_for_a_node_that_is_idle(self):
        """Node b comes to nothing at first; evenkeel-range reports its progress and can be cut."""
        rows = self.run_job(
            command(["evenkeel-range", "{first}", "{last}", "--", "/bin/sh", "-c", "sleep 0.02", "{}"],
                    range={"tasks": 400}),
            node_list=nodes(node("a"), node("b")))
        following = 0
        for row in rows:
            self.assertEqual((row["first"], row["status"]), (following, "succeeded"))
            following = row["last"] + 1
        self.assertEqual(following, 400)

    def starts(self):
        """The arguments in the order in which the tasks started."""
        return [row["argument"] for row in sorted(self.rows(), key=lambda row: int(row["stdout"]))]

    def test_a_column_of_costs_is_not_passed_on_and_the_long_ones_start_first(self):
        costs = [1] * 30 + [50]
        self.write("list.tsv", "".join(f"{cost}\t{n}\n" for n, cost in enumerate(costs)))
        self.run_job(shell("date +%s%N; sleep 0.01", argumentsFile="list.tsv", cost={"column": 1}))
        self.assertEqual([row["argument"] for row in self.rows()], [str(n) for n in range(31)])
        self.assertLess(self.starts().index("30"), 8)

    def test_costs_are_learned_from_run_to_run(self):
        arguments = [f"0.0{n % 3}" for n in range(24)] + ["0.5"]
        workload = shell("date +%s%N; sleep $EVENKEEL_ARGUMENT", arguments=arguments,
                         cost={"learned": True})
        os.environ["XDG_STATE_HOME"] = str(self.folder / "states")
        self.addCleanup(os.environ.pop, "XDG_STATE_HOME")
        self.run_job(workload)
        self.assertGreater(self.starts().index("0.5"), 20)
        kept = self.folder / "states" / "evenkeel" / "learned-costs" / "many.costs"
        self.assertEqual(len(kept.read_text().splitlines()), 1 + 4, "four different arguments")
        self.output = self.folder / "again"
        self.run_job(workload)
        self.assertLess(self.starts().index("0.5"), 8)

    def test_working_directory(self):
        rows = self.run_job(shell("pwd", tasks=1, workingDirectory=str(self.root)))
        self.assertEqual(rows[0]["stdout"], f"{self.root}\n")

    def test_a_value_of_the_cluster_is_asked_for(self):
        manifest = job("many", shell("echo $KEY", tasks=1), worker={"template": {"env": [
            {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}})
        refused = self.run_to_end(self.command(manifest), 2)
        self.assertEqual(len(refused.err.splitlines()), 1)
        self.assertIn("KEY: its value comes from the cluster", refused.err)
        self.assertFalse(self.output.exists())
        process = self.start(self.command(manifest), env={**os.environ, "KEY": "local"})
        self.assertEqual(process.wait(), 0, process.err)
        self.assertEqual(self.rows()[0]["stdout"], "local\n")


class WhatIsKept(CommandTest):
    def test_output_of_every_kind(self):
        everything = bytes(range(256)) * 1000
        self.write("bytes", everything)
        rows = self.run_job(shell(f"cat {self.folder}/bytes; echo err >&2", tasks=2,
                                  outputLimitBytes=1 << 20))
        shown = everything.decode(errors="replace")
        self.assertEqual([row["stdout"] for row in rows], [shown, shown])
        self.assertEqual(rows[0]["stderr"], "err\n")
        self.assertNotIn("stdoutCut", rows[0])

    def test_output_beyond_the_limit_is_cut_and_the_command_succeeds(self):
        rows = self.run_job(shell("head -c 10000000 /dev/zero | tr '\\0' x; echo end >&2", tasks=4,
                                  outputLimitBytes=1000))
        for row in rows:
            self.assertEqual((row["stdout"], row["stdoutCut"], row["stderr"]), ("x" * 1000, True, "end\n"))

    def test_a_thousand_tasks_on_unequal_nodes_though_a_worker_is_killed(self):
        manifest = job("many", shell('echo "$JOB_COMPLETION_INDEX" | sha256sum; sleep 0.01', tasks=1000),
                       balancing={"leaseSeconds": 1})
        listed = nodes(node("big", 0.6), node("middle", 0.4), node("small", 0.2))
        process = self.start(self.command(manifest, listed))
        workers = self.wait_for_workers(process, 3)
        self.wait_for_tasks(process, 50)
        os.kill(workers["middle"], signal.SIGKILL)
        self.assertEqual(process.wait(240), 0, process.err)
        want = [hashlib.sha256(f"{n}\n".encode()).hexdigest() + "  -\n" for n in range(1000)]
        rows = self.rows()
        self.assertEqual([row["index"] for row in rows], list(range(1000)))
        self.assertEqual([row["stdout"] for row in rows], want)
        self.check_covered_once(1000)

    def test_other_arguments_are_another_job(self):
        self.write("names.txt", "a\nb\n")
        arguments = self.command(job("many", command(["/bin/echo"], argumentsFile="names.txt")))
        self.run_to_end(arguments)
        self.run_to_end(arguments)
        self.write("names.txt", "a\nc\n")
        refused = self.run_to_end(arguments, 2)
        self.assertEqual(len(refused.err.splitlines()), 1)


class Failures(CommandTest):
    def test_each_has_a_row(self):
        rows = self.run_job(
            shell('echo "$JOB_COMPLETION_INDEX"; [ $((JOB_COMPLETION_INDEX % 10)) -ne 7 ] || '
                  '{ echo no sevens >&2; exit 3; }', tasks=100),
            taskPolicy={"backoffLimitPerTask": 1, "maxFailedTasks": 10})
        self.assertEqual([row["index"] for row in rows], list(range(100)))
        failed = [row for row in rows if row["status"] == "failed"]
        self.assertEqual([row["index"] for row in failed], list(range(7, 100, 10)))
        for row in failed:
            self.assertEqual((row["exitCode"], row["attempts"], row["stdout"], row["stderr"], row["reason"]),
                             (3, 2, f"{row['index']}\n", "no sevens\n", "exit code 3: no sevens"))
        self.assertEqual(self.summary()["result"],
                         {"succeeded": 90, "failed": 10, "exitCodes": {"0": 90, "3": 10}})

    def test_a_job_that_fails_says_of_which_tasks(self):
        rows = self.run_job(command(["/no/such/program"], tasks=1), code=1,
                            taskPolicy={"backoffLimitPerTask": 0})
        self.assertEqual([(row["index"], row["exitCode"], row["reason"]) for row in rows],
                         [(0, 127, "cannot be started: No such file or directory")])
        self.assertEqual(self.summary()["result"],
                         {"succeeded": 0, "failed": 1, "exitCodes": {"127": 1}})
        self.assertRegex(self.summary()["reason"], r"^1 task failed for good \(0\), maxFailedTasks is 0; "
                                                   r"task 0 on \S+: cannot be started: No such file")

    def test_exit_codes_mean_what_the_job_says(self):
        policy = {"backoffLimitPerTask": 2, "maxFailedTasks": 100,
                  "onExitCodes": [{"action": "FailTask", "values": [3]}]}
        rows = self.run_job(shell("exit $((JOB_COMPLETION_INDEX % 2 + 3))", tasks=4), taskPolicy=policy)
        self.assertEqual([(row["exitCode"], row["attempts"]) for row in rows],
                         [(3, 1), (4, 3), (3, 1), (4, 3)])
        self.output = self.folder / "other"
        policy["onExitCodes"][0]["action"] = "FailJob"
        self.run_job(shell("exit 3", tasks=5000), code=1, taskPolicy=policy)
        self.assertLess(len(self.rows()), 5000)

    def test_a_second_attempt_knows_that_it_is_one(self):
        rows = self.run_job(shell("[ $EVENKEEL_ATTEMPT = 1 ]", tasks=5))
        self.assertEqual({(row["status"], row["attempts"]) for row in rows}, {("succeeded", 2)})

    def test_what_a_task_wrote_before_its_time_was_over(self):
        rows = self.run_job(shell("echo begun; sleep 1000", tasks=1), code=1,
                            taskPolicy={"timeoutSeconds": 0.5, "backoffLimitPerTask": 0})
        self.assertEqual((rows[0]["status"], rows[0]["signal"], rows[0]["stdout"]),
                         ("failed", signal.SIGTERM, "begun\n"))
        self.assertIn("0.5 s", rows[0]["reason"])


class WhatBecomesOfThem(CommandTest):
    """MARK is in the environment of a command and all that it starts."""

    def begin(self, script, node_list=None, **sections):
        self.mark = f"MARK={self.root.name}"
        manifest = job("long", shell(script, tasks=4), worker={"template": {"env": [
            {"name": "MARK", "value": self.root.name}]}}, **sections)
        process = self.start(self.command(manifest, node_list))
        eventually(lambda: self.commands(), "commands run")
        return process

    def commands(self):
        return [pid for pid in processes_with(self.mark)
                if pathlib.Path(f"/proc/{pid}/comm").exists()
                and not pathlib.Path(f"/proc/{pid}/comm").read_text().startswith("evenkeel")]

    def assert_all_gone(self):
        eventually(lambda: not processes_with(self.mark), "no process of the job is left")

    STUBBORN = 'trap "" TERM HUP INT; (sleep 1000; :) & while :; do sleep 1000; done'

    def test_a_timeout_kills_them_all(self):
        process = self.begin(self.STUBBORN, taskPolicy={"timeoutSeconds": 0.3,
                                                        "backoffLimitPerTask": 0})
        self.assertEqual(process.wait(), 1, process.err)
        self.assert_all_gone()

    def test_an_interrupt_ends_them(self):
        process = self.begin(self.STUBBORN)
        process.signal(signal.SIGINT)
        process.signal(signal.SIGINT)
        self.assertEqual(process.wait(), 130, process.err)
        self.assert_all_gone()

    def test_none_outlives_a_worker_that_is_killed(self):
        process = self.begin(self.STUBBORN)
        before = set(self.commands())
        for pid in self.wait_for_workers(process, 1).values():
            os.kill(pid, signal.SIGKILL)
        eventually(lambda: not before & set(self.commands()), "the commands of the dead are gone")

    def test_none_outlives_a_coordinator_that_is_killed(self):
        process = self.begin(self.STUBBORN)
        process.signal(signal.SIGKILL)
        process.wait()
        self.assert_all_gone()

    def test_none_outlives_a_launcher_that_is_killed(self):
        process = self.begin("exec sleep 1000", taskPolicy={"backoffLimitPerTask": 0})
        launchers = [pid for pid in processes_with(self.mark)
                     if pathlib.Path(f"/proc/{pid}/comm").read_text() == "evenkeel-launch\n"]
        for pid in launchers:
            with contextlib.suppress(ProcessLookupError):  # the job has failed with the first
                os.kill(pid, signal.SIGKILL)
        self.assertEqual(process.wait(), 1)
        self.assert_all_gone()
        self.assertIn("the launcher has gone while a command ran", {row["reason"] for row in self.rows()})


class Deadly(CommandTest):
    """Tasks that kill what runs them: 7 its launcher, 20 the worker above that, each time."""

    SCRIPT = ('case $EVENKEEL_TASK_INDEX in 7) kill -9 $PPID; sleep 60;; '
              '20) kill -9 $(cut -d" " -f4 /proc/$PPID/stat); sleep 60;; esac; echo done')

    def test_they_fail_for_good_and_all_others_complete(self):
        arguments = self.command(
            job("many", shell(self.SCRIPT, tasks=60),
                taskPolicy={"backoffLimitPerTask": 1, "maxFailedTasks": 2}),
            nodes(node("alpha", 0.4), node("beta", 0.4), node("gamma", 0.2)))
        process = self.run_to_end(arguments)
        reasons = {row["index"]: row["reason"] for row in self.rows() if row["status"] == "failed"}
        self.assertEqual(reasons, {7: "the launcher has gone while a command ran",
                                   20: "the worker process died while it ran this task alone"})
        self.assertEqual(self.summary()["tasks"], {"total": 60, "completed": 58, "failed": 2})
        # docs/running.md: 4 until it is a suspect, ceil(log2(60)), two attempts, twice two others.
        self.assertLessEqual(process.err.count("was killed by signal Killed"), 4 + 6 + 2 + 4)


class Speeds(CommandTest):
    BURN = "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done"

    def check_rates(self, want_control, **popen):
        arguments = self.command(job("burning", shell(self.BURN, tasks=60)),
                                 nodes(node("fast", 0.6), node("slow", 0.15)))
        process = self.start(arguments, **popen)
        self.assertEqual(process.wait(), 0, process.err)
        rate = {row["name"]: row["rate"] for row in self.summary()["nodes"]}
        print(f"\nrates {rate}, speeds held by {self.summary()['speedControl']}", flush=True)
        self.assertGreater(rate["fast"], 2 * rate["slow"])
        self.assertIn(self.summary()["speedControl"], want_control)

    def test_commands_of_a_slow_node_are_slow(self):
        self.check_rates(("cgroup", "duty-cycle"))

    @unittest.skipUnless(os.geteuid() == 0, "is what the other test shows already, without root")
    def test_so_they_are_without_control_groups(self):
        """As a user who may not make control groups."""
        nobody = 65534
        programs = self.root / "bin"
        programs.mkdir()
        for name in ("evenkeel", "evenkeel-worker", "evenkeel-launcher"):
            shutil.copy(pathlib.Path(evenkeel.EVENKEEL).parent / name, programs)
        self.root.chmod(0o755)
        os.chown(self.folder, nobody, nobody)
        self.check_rates(("duty-cycle",), executable=programs / "evenkeel", user=nobody, group=nobody)


if __name__ == "__main__":
    evenkeel.main()
