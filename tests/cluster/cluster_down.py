"""Takes the cluster down, checks that nothing of it is left, and compares the machine with how it was before.

Usage: cluster_down.py NOTES
"""

import json
import os
import pathlib
import sys
import time

import machine

PATIENCE = 20  # seconds for the kernel to release what killed processes held


def main():
    notes = pathlib.Path(sys.argv[1])
    if not notes.exists():
        print("skipped: no cluster was up", file=sys.stderr)
        sys.exit(machine.SKIPPED)
    machine.cluster("down", "--owner", os.getppid(), seconds=300)
    before = {kind: set(found) for kind, found in json.loads(notes.read_text()).items()}
    notes.unlink()
    end = time.monotonic() + PATIENCE
    while True:
        found = [*machine.leftovers(), *machine.differences(before, machine.snapshot())]
        if not found:
            return
        if time.monotonic() > end:
            sys.exit("\n".join(found))
        time.sleep(0.5)


if __name__ == "__main__":
    main()
