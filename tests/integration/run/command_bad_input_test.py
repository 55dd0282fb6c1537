"""Mistakes in a job of commands: one line that names the field, and nothing is started."""

import evenkeel
from bad_input_test import BadInputTest
from evenkeel import job


class BadCommandTest(BadInputTest):
    CASES = (
        # parameters, what the line must say beside the file
        ({"tasks": 1}, "spec.workload.command.command", "1 to 256 words"),
        ({"command": [], "tasks": 1}, "spec.workload.command.command", "1 to 256 words"),
        ({"command": "ls", "tasks": 1}, "spec.workload.command.command", "must be a list"),
        ({"command": [""], "tasks": 1}, "spec.workload.command.command[0]", "is empty"),
        ({"command": ["ls", 1], "tasks": 1}, "spec.workload.command.command[1]", "in quotes"),
        ({"command": ["ls"]}, "exactly one of tasks, arguments, argumentsFile"),
        ({"command": ["ls"], "tasks": 1, "arguments": ["a"]}, "exactly one of"),
        ({"command": ["ls"], "tasks": 0}, "spec.workload.command.tasks", "1 to 10000000"),
        ({"command": ["ls"], "tasks": "many"}, "spec.workload.command.tasks", "whole number"),
        ({"command": ["ls"], "arguments": []}, "spec.workload.command.arguments", "at least one"),
        ({"command": ["ls"], "arguments": [1]}, "spec.workload.command.arguments[0]", "in quotes"),
        ({"command": ["ls"], "argumentsFile": "none.txt"}, "none.txt", "no such file"),
        ({"command": ["ls"], "argumentsFile": "."}, "no ordinary file"),
        ({"command": ["ls"], "argumentsFile": "empty.txt"}, "at least one line"),
        ({"command": ["ls"], "argumentsFile": "gap.txt"}, "line 2", "must not be empty"),
        ({"command": ["ls"], "tasks": 1, "outputLimitBytes": -1}, "0 to 1048576"),
        ({"command": ["ls"], "tasks": 1, "outputLimitBytes": 1 << 21}, "0 to 1048576"),
        ({"command": ["ls"], "tasks": 1, "workingDirectory": 3}, "workingDirectory", "in quotes"),
        ({"command": ["ls"], "tasks": 1, "workingDirectory": "data"}, "must be an absolute path"),
        ({"command": ["ls"], "tasks": 1, "args": ["x"]}, "args", "unknown field"),
        ({"command": ["ls"], "tasks": 1, "reduce": []}, "spec.workload.command.reduce", "1 to 256 words"),
        ({"command": ["ls"], "tasks": 1, "reduce": [""]}, "spec.workload.command.reduce[0]", "is empty"),
        ({"command": ["ls"], "tasks": 1, "reduce": ["x", "{}"]},
         "spec.workload.command.reduce[1]", "{results} is the only placeholder"),
    )

    def test_each_is_one_line_and_nothing_is_started(self):
        self.write("empty.txt", "")
        self.write("gap.txt", "a\n\nb\n")
        for parameters, *parts in self.CASES:
            with self.subTest(parameters=parameters):
                self.check_job(job("bad", {"command": parameters}), *parts)


if __name__ == "__main__":
    evenkeel.main()
